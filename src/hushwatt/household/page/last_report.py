"""What the home measured beside what it sent, in words and watts, for the last slot that ended.

The true side comes from the agent's memory.  It is in no file, and on no other page.
"""

import numpy as np

from hushwatt.household.ledger.store import Store
from hushwatt.household.page import html
from hushwatt.household.page.data import OwnerPageData
from hushwatt.household.report.preview import named_levels
from hushwatt.household.status import PlanStatus
from hushwatt.household.words.chances import plain_name
from hushwatt.household.words.plan_words import watts_words
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.plan import Plan

MAX_NAMED = 3  # levels that are named one by one


def last_report(data: OwnerPageData, each: PlanStatus) -> str:
    """The last slot of a plan, appliance by appliance."""
    plan = each.plan
    slot, watts = data.latest.get(plan.id, (None, None))
    if slot is None or watts is None:
        return html.paragraph(
            "What your home measured is shown here beside what it sent, once a report's time has passed while "
            "hushwatt runs. It is kept nowhere else.",
            soft=True,
        )
    levels_sent, rows = _levels_sent(data.store, plan, slot), []
    for appliance, mean in zip(plan.appliances, watts, strict=True):
        true, said = true_level(plan, appliance.name, float(mean)), levels_sent.get(appliance.name)
        measured = _answers(appliance, [true], "true") + html.text(watts_words(plan, appliance, true))
        rows.append([html.text(plain_name(appliance.name)), measured, _sent(plan, appliance, true, said)])
    head = ["Appliance", "Your home measured (shown only here)", "It sent" if levels_sent else "Nothing was sent"]
    return html.table(head, rows, f"About {data.clock_time(plan, slot)}")


def true_level(plan: Plan, name: str, watts: float) -> int:
    """The level that holds a mean; when dithering, the one whose value is nearest; NaN is beyond the last."""
    appliance = next(each for each in plan.appliances if each.name == name)
    if np.isnan(watts):
        return appliance.levels
    if plan.mapping == "dither" or appliance.edges is None:
        return int(np.argmin(np.abs(np.array(appliance.values) - watts)))
    return int(np.searchsorted(np.array(appliance.edges), watts, side="left"))


def sent_words(plan: Plan, appliance: Appliance, said: list[int]) -> str:
    """What a report says of an appliance, in watts."""
    if not said:
        return "no level at all"
    named = [watts_words(plan, appliance, level) for level in said]
    if len(named) <= MAX_NAMED:
        return " or ".join(named)
    return f"{len(named)} levels at once, from {named[0]} to {named[-1]}"


def _sent(plan: Plan, appliance: Appliance, true: int, said: list[int] | None) -> str:
    if said is None:
        return '<span class="soft">nothing: not asked this time</span>'
    words = html.text(sent_words(plan, appliance, said))
    return f'{_answers(appliance, said, "sent")}{words} <span class="soft">({_verdict(true, said)})</span>'


def _verdict(true: int, said: list[int]) -> str:
    """Whether chance let the truth through; with bits, several levels are named at once, or none."""
    if len(said) > 1:
        return "the measured one among them" if true in said else "the measured one not among them"
    return "as measured" if said == [true] else "not what was measured"


def _answers(appliance: Appliance, answers: list[int], kind: str) -> str:
    return html.cells(appliance.levels, answers, kind)


def _levels_sent(store: Store, plan: Plan, slot: int) -> dict[str, list[int]]:
    payload = store.value(
        "SELECT payload FROM reports WHERE slot = ? AND place = (SELECT place FROM plans WHERE plan = ?)",
        (slot, plan.id),
    )
    return {} if payload is None else named_levels(plan, payload)
