"""How long a home's past can be protected as one and at what price, in words and for programs."""

import re
from typing import TYPE_CHECKING, Any

from hushwatt.cli.terminal import terminal_width, wrapped
from hushwatt.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from hushwatt.plan.plan import Plan
    from hushwatt.privacy.advice import Candidate
    from hushwatt.privacy.advice.protection import Protection, Step

NOT_WITH_THESE = "not with these levels"
WORDS = ("protected as one", "slot", "published")
COLUMNS = 124  # where there is no terminal
SPARE = ("published", "homes", "told in a year")  # what narrow terminals lack, first things first


def share_of(text: str, option: str = "--within") -> float:
    """A share as people write it.

    >>> share_of("10%"), share_of("7.5 %"), share_of("0.1")
    (0.1, 0.075, 0.1)
    """
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?(%?)", text.strip())
    share = float(match[1]) / (100 if match[2] else 1) if match else 0.0
    if not 0 < share < 1:
        raise UsageError(f"{option} is {text}; write a share above 0 and below 100%, such as 10%")
    return share


def protection_document(found: "Protection", protect: str | None) -> dict[str, Any]:
    """The protection that was found, for programs."""
    return {
        "homes": found.homes,
        "days": 30,
        **({"within": found.within} if protect is None else {"protect": protect}),
        "best": None if found.best is None else _advised_document(found.best),
        "frontier": [_step_document(step, found.within) for step in found.frontier],
    }


def _advised_document(best: "Candidate") -> dict[str, Any]:
    from hushwatt.cli.plan.advice_text import candidate_document

    plan = best.plan
    lasting = {"slot": str(plan.slot), "window": plan.window, "window_days": _days(plan), "publish": plan.publish}
    return lasting | {"expected_error": best.middling_error} | candidate_document(best)


def _step_document(step: "Step", within: float) -> dict[str, Any]:
    plan = step.best and step.best.plan
    return {
        "protects": step.protects,
        "slot": str(step.slot),
        "window": step.window,
        "publish": plan and plan.publish,
        "expected_error": step.best and step.best.middling_error,
        "mean_error": step.best and step.best.limits,
        "told_after_a_year": plan and told_in_a_year(plan),
        "too_few_homes": step.best is None,
        "within": within,
        "homes_needed": step.needed,
        "homes_needed_with_new_levels": step.needed_with_new_levels,
    }


def _days(plan: "Plan") -> float:
    return plan.window * plan.slot.seconds / 86_400


def print_protection(found: "Protection", asked: "Plan", protect: str | None) -> None:
    """What is advised, and the frontier."""
    from rich.console import Console

    width = terminal_width(COLUMNS)
    console = Console(highlight=False, width=width)
    for line in wrapped(advised_lines(found, asked, protect), width):
        console.print(line)
    console.print(fitting_table(found, width))
    for line in wrapped(frontier_remarks(found), width):
        console.print(line)


def advised_lines(found: "Protection", asked: "Plan", protect: str | None) -> list[str]:
    """The plan that was found, in words."""
    from hushwatt.plan.amounts import plain
    from hushwatt.plan.periods import how_often
    from hushwatt.privacy.advice.protection import month_of
    from hushwatt.privacy.long_run import ANALYST, long_run_words

    best = found.best
    if best is None:
        return [_nothing(found, protect)]
    plan, promised = best.plan, best.promise
    lines = [
        f"Any {plan.slot.lasting(plan.window)} of a home's life cost it at most ε {plain(plan.epsilon)} (odds "
        f"{promised.odds}), of which {float(promised.appliance_dearest) / 1e6:.3g} reaches one appliance (odds "
        f"{promised.appliance_odds}).",
        f"{plan.method}, {plan.oracle}, {plan.appliances_per_report} of {len(plan.appliances)} appliances in a report, "
        f"slots of {plan.slot.lasting(1)}, published {how_often(plan.publish, plan.slot)}. With {found.homes:,} homes "
        f"the expected error of a middling mean over {plan.slot.lasting(month_of(plan))} is "
        f"{percent(best.middling_error)}, its 95 % limits ±{percent(best.limits)}.",
        _sentence(long_run_words(plan, voice=ANALYST)[0]),
    ]
    return [*lines, *_changes(asked, plan, protect is not None)]


def _nothing(found: "Protection", protect: str | None) -> str:
    if protect is not None:
        return (
            f"With a window of {protect}, {found.homes:,} homes are too few for an answer even once in four weeks: "
            "more homes are needed, a shorter window, or a lower minimum_homes."
        )
    return (
        f"With {found.homes:,} homes no window keeps the expected error of a middling mean over a month within "
        f"{percent(found.within)}: more homes are needed, a larger error, or a larger ε."
    )


def _changes(asked: "Plan", plan: "Plan", fixed: bool) -> list[str]:
    """What is no longer as in the plan that advice was asked for, but for the levels."""
    lines, slots = [], [each.slot.lasting(1) for each in (asked, plan)]
    if plan.slot != asked.slot:
        lines.append(
            f"THE SLOT CHANGES from {slots[0]} to {slots[1]}: means over longer slots vary less, so the window can be "
            "longer. What happens within a slot is no longer asked; --protect keeps the slot."
        )
    if not fixed and plan.window * plan.slot.seconds < asked.window * asked.slot.seconds:
        lasted = asked.slot.lasting(asked.window)
        lines.append(f"The window is shorter than the {lasted} of the plan: so long a one would need more homes.")
    return lines


def fitting_table(found: "Protection", width: int) -> "Table":
    """The frontier with as many columns as there is room for."""
    from rich.console import Console
    from rich.measure import Measurement

    console = Console(width=10 * width)
    for dropped in range(len(SPARE) + 1):
        table = frontier_table(found, SPARE[:dropped])
        if Measurement.get(console, console.options, table).maximum <= width:
            break
    return table


def frontier_table(found: "Protection", without: "Sequence[str]" = ()) -> "Table":
    """Every length of protection beside its price, but for some columns."""
    from rich import box
    from rich.table import Table

    rows = [_price(step) for step in found.frontier]
    shown = [name for name in rows[0] if name not in without]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in shown:
        heading = f"homes for {percent(found.within)}" if name == "homes" else name
        table.add_column(heading, justify="left" if name in WORDS else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(row[name] for name in shown))
    return table


def _price(step: "Step") -> dict[str, str]:
    """A row: how often a length of protection is published, what a year tells, its error, and the homes it needs."""
    from hushwatt.plan.periods import how_often

    often, told, error, homes = "too few homes", "–", "–", "–"
    if step.best is not None:
        plan = step.best.plan
        often = how_often(plan.publish, plan.slot).removeprefix("once ")
        chances = told_in_a_year(plan)
        told = f"{100 * max(chances['owned'], chances.get('measured', 0)):.0f} of 100"
        error, homes = percent(step.best.middling_error), count(step.needed)
    return {
        "protected as one": step.protects,
        "slot": step.slot.lasting(1),
        "published": often,
        "told in a year": told,
        "expected error": error,
        "homes": homes,
        "with new levels": count(step.needed_with_new_levels),
    }


def told_in_a_year(plan: "Plan") -> dict[str, float]:
    """The chances of who saw all reports of a home for a year, about the appliance that is told best."""
    from hushwatt.privacy.long_run import long_run

    chances = [each.as_json() for each in long_run(plan).told.values()]
    return {kind: max(each[kind] for each in chances) for kind in chances[0]}


def frontier_remarks(found: "Protection") -> list[str]:
    """How to read the frontier."""
    plans = [step.best.plan for step in found.frontier if step.best]
    epsilon = f" at ε {plans[0].epsilon / 1e6:.4g}" if plans else ""
    owns = "owns and measures" if any(plan.answers_unmeasured for plan in plans) else "owns"
    return [
        f"Each line is the best plan for {found.homes:,} homes{epsilon}. Told in a year: how often someone who saw all "
        f"reports of a home for a year would typically tell right whether it {owns} the appliance that is told best; "
        "guessing is 50. Errors are of a middling appliance's mean of real watts over a month, all causes counted: "
        f"noise, and what lies above the last level. Homes for {percent(found.within)}: with the levels of the line, "
        "then with levels chosen for that many."
    ]


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def count(homes: int | None) -> str:
    """A number of homes, to two digits and never less; none where no number is enough.

    >>> count(118_203), count(None)
    ('120,000', 'not with these levels')
    """
    from hushwatt.privacy.advice.advise import round_up

    return NOT_WITH_THESE if homes is None else f"{round_up(homes):,}"


def percent(share: float) -> str:
    """A share with two digits.

    >>> percent(0.1), percent(0.0213), percent(12.0)
    ('10 %', '2.1 %', 'more than 1,000 %')
    """
    if share > 10:
        return "more than 1,000 %"
    return f"{100 * share:.2g} %" if share < 0.995 else f"{100 * share:.0f} %"
