"""The plan in plain words, and what accuracy to expect of it, beside what was reached."""

from typing import Any

from hushwatt.plan.summary import facts, levels
from hushwatt.provider.dashboard import formatting
from hushwatt.provider.dashboard.page_context import PageContext
from hushwatt.provider.dashboard.plan_promise import expected_accuracy, sentences
from hushwatt.provider.dashboard.query import COUNTS
from hushwatt.provider.dashboard.tables import Column, HtmlTable, number_columns, text_columns

DEFAULT_SLOTS = 30  # where there is no answer yet
REACHED = ["Reached: mean of a home", "95 % interval"]
PROMISED_BELOW = ("promise", "one appliance")  # told in more words


def show(page: PageContext) -> dict[str, Any]:
    estimates = page.estimates
    told = sum(slot.slots for slot in estimates.slots if slot.enough)
    homes = page.query.counts.get("homes", max(estimates.homes or page.state.homes, page.plan.minimum_homes, 1))
    slots = page.query.counts.get("slots", min(told, COUNTS["slots"][1]) or DEFAULT_SLOTS)
    return {
        "facts": [(label, text) for label, text in facts(page.plan) if label not in PROMISED_BELOW],
        "sentences": sentences(page.plan),
        "levels": _levels(page),
        "homes": homes,
        "slots": slots,
        "reached": bool(estimates.answered),
        **_accuracy(page, homes, slots),
    }


def _levels(page: PageContext) -> HtmlTable:
    rows = [
        [", ".join(map(formatting.title, names.split(", "))), str(count), text]
        for names, count, text in levels(page.plan)
    ]
    return HtmlTable(
        "Appliances and their levels", [Column("Appliances"), *number_columns("Levels"), *text_columns("Which")], rows
    )


def _accuracy(page: PageContext, homes: int, slots: int) -> dict[str, Any]:
    accuracy = expected_accuracy(page.plan, homes, slots)
    if accuracy is None:
        return {}
    rows = []
    judged = zip(page.plan.appliances, accuracy.priors, accuracy.half_widths, accuracy.losses, strict=True)
    for appliance, prior, half, above in judged:
        error = half * prior.mean
        digits = formatting.decimals(error)
        rows.append(
            [
                formatting.title(appliance.name),
                f"about {prior.mean:,.3g}{formatting.THIN}W",
                f"±{formatting.number(error, digits)}{formatting.THIN}W",
                f"±{formatting.percent(half, 0)}",
                formatting.percent(above, 0),
                *_reached(page, appliance.name),
            ]
        )
    headings = number_columns(
        "Thought to use", "Expected error, 95 %", "Of that", "Above the top level", *REACHED * page.estimates.answered
    )
    return {
        "accuracy": HtmlTable("What accuracy to expect", [Column("Appliance"), *headings], rows),
        "right_order": formatting.percent(accuracy.right_order, 0),
        "needed": {share: _needed(accuracy.homes_needed(share / 100)) for share in (20, 10, 5)},
    }


def _reached(page: PageContext, name: str) -> list[str]:
    """What the slots that were asked for have come to, if there is an answer."""
    period = page.estimates.by_period.get(name)
    if not page.estimates.answered:
        return []
    if period is None:
        return [formatting.NONE] * len(REACHED)
    return [
        formatting.watts(period.watts, period.low, period.high),
        formatting.watts_between(period.low, period.high),
    ]


def _needed(homes: int | None) -> str:
    return "not with these levels" if homes is None else f"from {homes:,} homes on"
