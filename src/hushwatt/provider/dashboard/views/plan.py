"""The plan in plain words, and what accuracy to expect of it."""

from typing import Any

from hushwatt.plan.summary import facts, levels
from hushwatt.privacy.advice.candidate import Z95
from hushwatt.provider.dashboard import words
from hushwatt.provider.dashboard.page_context import PageContext
from hushwatt.provider.dashboard.promised import foreseen, sentences
from hushwatt.provider.dashboard.tables import Column, Table, numbers
from hushwatt.provider.dashboard.tables import words as texts

SLOTS = 30
PROMISED_BELOW = ("promise", "one appliance")  # told in more words


def show(scene: PageContext) -> dict[str, Any]:
    homes = scene.asked.counts.get("homes", max(scene.state.homes, scene.plan.minimum_homes, 1))
    slots = scene.asked.counts.get("slots", SLOTS)
    return {
        "facts": [(label, text) for label, text in facts(scene.plan) if label not in PROMISED_BELOW],
        "sentences": sentences(scene.plan),
        "levels": _levels(scene),
        "homes": homes,
        "slots": slots,
        **_accuracy(scene, homes, slots),
    }


def _levels(scene: PageContext) -> Table:
    rows = [
        [", ".join(map(words.title, names.split(", "))), str(count), text]
        for names, count, text in levels(scene.plan)
    ]
    return Table(
        "Appliances and their levels", [Column("Appliances"), *numbers("Levels"), *texts("Which")], rows
    )


def _accuracy(scene: PageContext, homes: int, slots: int) -> dict[str, Any]:
    found = foreseen(scene.plan, homes, slots)
    if found is None:
        return {}
    rows = []
    judged = zip(scene.plan.appliances, found.priors, found.variances, found.biases, strict=True)
    for appliance, prior, variance, bias in judged:
        error = Z95 * variance**0.5
        digits = words.decimals(error)
        rows.append(
            [
                words.title(appliance.name),
                f"about {prior.mean:,.3g}{words.THIN}W",
                f"±{words.number(error, digits)}{words.THIN}W",
                f"±{words.percent(error / prior.mean, 0)}",
                f"{words.number(bias, digits)}{words.THIN}W",
            ]
        )
    headings = numbers("Thought to use", "Expected error, 95 %", "Of that", "Lost to the levels")
    return {
        "accuracy": Table("What accuracy to expect", [Column("Appliance"), *headings], rows),
        "right_order": words.percent(found.right_order, 0),
        "needed": {share: f"{found.homes_needed(share / 100):,}" for share in (20, 10, 5)},
    }
