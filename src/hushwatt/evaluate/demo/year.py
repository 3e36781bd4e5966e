"""A million homes for a year: what the provider would count is drawn at once, no home is followed.

Every home speaks once in a year, so a year of reports costs it what one report does.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from hushwatt.evaluate.demo.compared import ComparedAnswer
from hushwatt.evaluate.demo.rehearsal import SEED, WATTS_DIVISOR
from hushwatt.evaluate.generators.paper_homes import paper_homes
from hushwatt.fleet.aggregate import aggregate
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import source_for
from hushwatt.privacy.long_run import long_run_words
from hushwatt.provider.estimate.document import document
from hushwatt.provider.estimate.estimate import estimate

HOMES = 1_000_000
LIKE = 500  # invented homes, each of which stands for as many as the others
DAYS = 365
MONTH = 30  # days


@dataclass(frozen=True)
class YearRehearsal(ComparedAnswer):
    """The whole year beside the truth, and its first month."""

    month: ComparedAnswer


def rehearse_year(
    homes: int = HOMES,
    seed: int = SEED,
    noise: int | None = None,
    advance: Callable[[int], None] = lambda n: None,
) -> YearRehearsal:
    """What so many homes like the demo's would show in a year; `noise` is a seed, fresh noise without one."""
    plan = year_plan()
    watts = paper_homes(LIKE, DAYS, seed) / WATTS_DIVISOR
    tallies = aggregate(plan, _told(watts, advance), homes, source_for(noise, plan.id))

    def until(days: int) -> ComparedAnswer:
        said = document(estimate(plan, tallies, last=days - 1))
        return ComparedAnswer(plan, homes, days, watts[:days].mean(axis=(0, 1)), said)

    return YearRehearsal(**vars(until(DAYS)), month=until(MONTH))


def _told(watts: NDArray[np.float64], advance: Callable[[int], None]) -> Iterator[NDArray[np.float64]]:
    for now in watts:
        yield now
        advance(1)


def year_plan() -> Plan:
    """What a million homes would be asked.

    >>> year_plan().epsilon, year_plan().window
    (1000000, 365)
    """
    return Plan.parse((files("hushwatt.evaluate.demo") / "year.toml").read_text(encoding="utf-8"))


def observed(plan: Plan, short: Plan) -> list[tuple[str, str]]:
    """What someone who sees all reports of one home for a year can tell; `short` is a plan with a shorter window."""
    owned, constant, worst = (f"{said[0].upper()}{said[1:]}." for said in long_run_words(plan, DAYS))
    asked, appliances = plan.appliances_per_report, len(plan.appliances)
    about = "all" if asked == appliances else f"{asked} of {appliances}"
    then = long_run_words(short, DAYS)[0]
    return [
        ("one home", f"It speaks once in {plan.slot.lasting(plan.window)}, about {about} appliances. {owned}"),
        ("a habit", constant),
        ("at worst", worst),
        (
            "beside it",
            f"Under the first plan, whose window is {short.slot.lasting(short.window)}, {then}. "
            "The longer the window, the longer the protection, and the more homes it takes.",
        ),
    ]
