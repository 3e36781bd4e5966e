"""How long a home's past can be protected as one and at what price, in words and for programs."""

import re
from typing import TYPE_CHECKING, Any

from hushwatt.cli.terminal import fitted, terminal_width, wrapped
from hushwatt.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from hushwatt.plan.plan import Plan
    from hushwatt.privacy.advice import Candidate
    from hushwatt.privacy.advice.protection import Protection, Step

NOT_WITH_THESE = "not with these levels"
COLUMNS = 118  # where there is no terminal
SPARE = ((4,), (2,), (5,))  # what narrow terminals lack: limits, how often, homes with these levels


def share_of(text: str) -> float:
    """A share as people write it.

    >>> share_of("10%"), share_of("7.5 %"), share_of("0.1")
    (0.1, 0.075, 0.1)
    """
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?(%?)", text.strip())
    share = float(match[1]) / (100 if match[2] else 1) if match else 0.0
    if not 0 < share < 1:
        raise UsageError(f"--within is {text}; write a share above 0 and below 100%, such as 10%")
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
    console.print(fitted(frontier_table(found), width, SPARE))
    for line in wrapped(frontier_remarks(found), width):
        console.print(line)


def advised_lines(found: "Protection", asked: "Plan", protect: str | None) -> list[str]:
    """The plan that was found, in words."""
    from hushwatt.plan.amounts import plain
    from hushwatt.plan.periods import how_often

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
        f"the expected error of a middling mean over 30 days is {percent(best.middling_error)}, its 95 % limits "
        f"±{percent(best.limits)}.",
    ]
    return [*lines, *_changes(asked, plan)]


def _nothing(found: "Protection", protect: str | None) -> str:
    if protect is not None:
        return (
            f"With a window of {protect}, {found.homes:,} homes are too few for an answer even once in four weeks: "
            "more homes are needed, a shorter window, or a lower minimum_homes."
        )
    return (
        f"With {found.homes:,} homes no window keeps the expected error of a middling mean over 30 days within "
        f"{percent(found.within)}: more homes are needed, a larger error, or a larger ε."
    )


def _changes(asked: "Plan", plan: "Plan") -> list[str]:
    """What is no longer as in the plan that advice was asked for, but for the levels."""
    lines, slots = [], [each.slot.lasting(1) for each in (asked, plan)]
    if plan.slot != asked.slot:
        lines.append(
            f"THE SLOT CHANGES from {slots[0]} to {slots[1]}: means over longer slots vary less, so the window can be "
            "longer. What happens within a slot is no longer asked; --protect keeps the slot."
        )
    if plan.window * plan.slot.seconds < asked.window * asked.slot.seconds:
        lasted = asked.slot.lasting(asked.window)
        lines.append(f"The window is shorter than the {lasted} of the plan: so long a one would need more homes.")
    return lines


def frontier_table(found: "Protection") -> "Table":
    """Every length of protection beside its price."""
    from rich import box
    from rich.table import Table

    from hushwatt.plan.periods import how_often

    table = Table("protected as one", "slot", "published", box=box.SIMPLE_HEAD, pad_edge=False)
    share = percent(found.within)
    for heading in ("expected error", "95 % limits", f"homes for {share}", "with new levels"):
        table.add_column(heading, justify="right", no_wrap=True)
    for step in found.frontier:
        best = step.best
        often = "too few homes" if best is None else how_often(best.plan.publish, step.slot).removeprefix("once ")
        table.add_row(
            step.protects,
            step.slot.lasting(1),
            often,
            "–" if best is None else percent(best.middling_error),
            "–" if best is None else f"±{percent(best.limits)}",
            "–" if best is None else count(step.needed),
            count(step.needed_with_new_levels),
        )
    return table


def frontier_remarks(found: "Protection") -> list[str]:
    """How to read the frontier."""
    steps = [step for step in found.frontier if step.best is not None]
    epsilon = f" at ε {steps[0].best.promise.dearest / 1e6:.4g}" if steps and steps[0].best else ""
    return [
        f"Each line is the best plan for {found.homes:,} homes{epsilon}. Errors are of a middling appliance's mean of "
        "real watts over 30 days, all causes counted: noise, and what lies above the last level. "
        f"Homes for {percent(found.within)}: with the levels of the line, then with levels chosen for that many."
    ]


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
