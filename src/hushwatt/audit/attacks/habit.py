"""The long run, attacked: what `plan check` prints is what years of real bytes tell.  [claim C15]

Homes report by the shipped function.  The best attacker there can be sees every byte and says of each appliance
whether the home owns it, where homes say so whether it measures it, and of a level that never changes which it is.
How often he is right is compared with
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
from hushwatt.audit.attacks.watcher import Right, watch_levels, watch_measuring, watch_owners
from hushwatt.audit.finding import Audit, Finding
from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.privacy.long_run import LongRun, long_run
from hushwatt.privacy.long_run.answers import DAY

DAYS = (30, 90, 365, 1_825)
WORK, PLAN_WORK, QUICK_WORK = 6_000_000, 1_000_000, 100_000  # homes times slots of one attack
MOST_HOMES, FEWEST_HOMES = 100_000, 200
MOST_SLOTS = 10_000  # longer times are not attacked
SIGMAS = 4.5  # by which what is measured and what is printed may differ
ROUNDING = 0.002  # by which printed chances may be off
ATTACKS = {"owned": watch_owners, "measured": watch_measuring, "constant": watch_levels}
WORDS = {
    "owned": "owners told right in",
    "measured": "homes that measure told right in",
    "constant": "constant levels named in",
}


@dataclass(frozen=True)
class Attacked:
    """How often the attacker was right after some days, beside what is printed."""

    days: int
    kind: str  # owned, measured or constant
    told: float  # over all appliances
    printed: float
    excess: float  # by how many times chance the worst of all figures is off; negative where it is below
    within: bool
    at_most: bool = False  # whether what is printed is a bound


def habit_audits(quick: bool = False) -> Iterator[Audit]:
    """21 plans of every kind, among them the presets."""
    for plan in habit_plans():
        yield partial(audit_habit, plan, work=QUICK_WORK if quick else WORK)


def audit_habit(plan: Plan, days: tuple[int, ...] = DAYS, work: int = WORK) -> Finding:
    """Whether what is printed about the long run of a plan is what its bytes tell."""
    attacks = list(attack_habit(plan, days, work))
    numbers: dict[str, float | int | str] = {}
    for each in attacks:
        numbers[f"{each.kind}_after_{each.days}_days"] = each.told
        numbers[f"{each.kind}_printed_after_{each.days}_days"] = each.printed
    numbers["off_by_sigmas"] = max((each.excess for each in attacks), key=abs)
    passed = all(each.within for each in attacks)
    return Finding("C15", f"long run, {plan.name}", _figure(attacks), passed, numbers=numbers)


def attack_habit(plan: Plan, days: tuple[int, ...] = DAYS, work: int = WORK, seed: int = 2) -> Iterator[Attacked]:
    """Every attack after each number of days; as many homes as the work allows."""
    if plan.decision == "provider":
        raise UsageError("habits are attacked in what homes send by themselves; here the provider decides")
    for run in _runs(plan, days):
        homes = int(np.clip(work // run.slots, FEWEST_HOMES, MOST_HOMES))
        for kind, watch in ATTACKS.items():
            if kind != "measured" or plan.answers_unmeasured:
                yield compared(kind, watch(plan, run.slots, homes, seed), run)


def _runs(plan: Plan, days: tuple[int, ...]) -> list[LongRun]:
    """The long run after each number of days that can be attacked; of very short slots after fewer days."""
    runs = {run.slots: run for run in (long_run(plan, each) for each in sorted(days, reverse=True))}
    short = [run for slots, run in sorted(runs.items()) if slots <= MOST_SLOTS]
    return short or [long_run(plan, max(1, MOST_SLOTS * plan.slot.seconds // DAY))]


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
        at_most=run.at_most,
    )


def _beyond_rounding(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.sign(differences) * np.maximum(np.abs(differences) - ROUNDING, 0))


def _figure(attacks: list[Attacked]) -> str:
    """Percentages after each number of days, with what is printed in brackets."""
    parts = []
    for kind in dict.fromkeys(each.kind for each in attacks):
        told = [f"{_percent(each.told)} ({_percent(each.printed)})" for each in attacks if each.kind == kind]
        parts.append(f"{WORDS[kind]} {', '.join(told)} %")
    days = ", ".join(f"{each.days:,}" for each in attacks if each.kind == "owned")
    bound = " at most" if attacks[0].at_most else ""
    return f"after {days} days, beside what is printed{bound}: {'; '.join(parts)}"


def _percent(share: float) -> str:
    """A share out of a hundred; what is nearly all is not called all.

    >>> _percent(0.8447), _percent(0.99996)
    ('84.5', 'over 99.9')
    """
    return f"{100 * share:.3g}" if share <= 0.9995 else "over 99.9"
