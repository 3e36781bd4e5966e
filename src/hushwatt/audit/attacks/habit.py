"""The long run, attacked: what `plan check` prints is what years of real bytes tell.  [claim C15]

Homes report by the shipped function.  The best attacker there can be sees every byte and says of each appliance
whether the home owns it, and of a level that never changes which it is.  How often he is right is compared with
the printed chances: more would be a leak, less a promise that is told too gloomily or an attack that is blunt.  Where
homes decide by themselves the printed chances are bounds, and must not be exceeded.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from hushwatt.audit.attacks.habit_plans import habit_plans
from hushwatt.audit.attacks.watcher import Right, watch_levels, watch_owners
from hushwatt.audit.finding import Audit, Finding
from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.privacy.long_run import LongRun, long_run

DAYS = (30, 90, 365, 1_825)
WORK, QUICK_WORK = 1_200_000, 60_000  # homes times slots of one attack
MOST_HOMES, FEWEST_HOMES = 20_000, 200
MOST_SLOTS = 10_000  # beyond, a span is not attacked
SIGMAS = 4.5  # by which what is measured and what is printed may differ
ROUNDING = 0.002  # by which printed chances may be off


@dataclass(frozen=True)
class Attacked:
    """How often the attacker was right after some days, beside what is printed."""

    days: int
    kind: str  # owned or constant
    told: float  # over all appliances
    printed: float
    excess: float  # by how many times chance the worst of all figures is off; negative where it is below
    within: bool


def habit_audits(quick: bool = False) -> Iterator[Audit]:
    """Twenty plans of every kind, among them the presets."""
    for plan in habit_plans():
        yield partial(audit_habit, plan, work=QUICK_WORK if quick else WORK)


def audit_habit(plan: Plan, days: tuple[int, ...] = DAYS, work: int = WORK) -> Finding:
    """Whether what is printed about the long run of a plan is what its bytes tell."""
    attacks = list(attack_habit(plan, days, work))
    if not attacks:
        return Finding("C15", f"long run, {plan.name}", f"nothing attacked: over {MOST_SLOTS:,} slots in a span", True)
    numbers: dict[str, float | int | str] = {}
    for each in attacks:
        numbers[f"{each.kind}_after_{each.days}_days"] = each.told
        numbers[f"{each.kind}_printed_after_{each.days}_days"] = each.printed
    worst = max(attacks, key=lambda each: abs(each.excess))
    numbers["off_by_sigmas"] = worst.excess
    figure = "; ".join(_figure(kind, [each for each in attacks if each.kind == kind]) for kind in ("owned", "constant"))
    return Finding("C15", f"long run, {plan.name}", figure, all(each.within for each in attacks), numbers=numbers)


def attack_habit(plan: Plan, days: tuple[int, ...] = DAYS, work: int = WORK, seed: int = 2) -> Iterator[Attacked]:
    """Both attacks after each number of days; as many homes as the work allows."""
    if plan.decision == "provider":
        raise UsageError("habits are attacked in what homes send by themselves; here the provider decides")
    runs = {run.slots: run for run in (long_run(plan, each) for each in sorted(days, reverse=True))}
    for run in sorted(runs.values(), key=lambda each: each.slots):
        if run.slots <= MOST_SLOTS:
            homes = int(np.clip(work // run.slots, FEWEST_HOMES, MOST_HOMES))
            for kind, watch in (("owned", watch_owners), ("constant", watch_levels)):
                yield compared(kind, watch(plan, run.slots, homes, seed), run)


def compared(kind: str, right: Right, run: LongRun) -> Attacked:
    """How often guesses were right, appliance by appliance and over all of them, beside what is printed."""
    printed = np.array([getattr(told, kind) for told in run.told.values()])
    told, doubts = right.mean(axis=0), np.sqrt(np.maximum(printed * (1 - printed), 1 / len(right)) / len(right))
    over_all = max(float(right.mean(axis=1).std()), sqrt(1 / len(right))) / sqrt(len(right))
    excesses = _beyond_rounding(np.append(told - printed, (told - printed).mean())) / np.append(doubts, over_all)
    worst = float(excesses[np.abs(excesses).argmax()]) if not run.at_most else float(excesses.max())
    return Attacked(
        days=run.after_days,
        kind=kind,
        told=float(told.mean()),
        printed=float(printed.mean()),
        excess=worst,
        within=worst <= SIGMAS and (run.at_most or worst >= -SIGMAS),
    )


def _beyond_rounding(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.sign(differences) * np.maximum(np.abs(differences) - ROUNDING, 0))


def _figure(kind: str, attacks: list[Attacked]) -> str:
    words = {"owned": "owners told right", "constant": "constant levels named"}
    parts = [f"{_percent(each.told)} after {each.days:,} days (printed {_percent(each.printed)})" for each in attacks]
    return f"{words[kind]} {', '.join(parts)}"


def _percent(share: float) -> str:
    """A share as a percentage; what is nearly all is not called all.

    >>> _percent(0.8447), _percent(1.0)
    ('84.5 %', 'over 99.9 %')
    """
    return f"{100 * share:.3g} %" if share <= 0.9995 else "over 99.9 %"
