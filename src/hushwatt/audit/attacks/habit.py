"""The averaging attack on habits: what ε per window does not protect.  [claim C15]

A home whose appliances stay at the same level sends many answers about it over the months, each private,
and all of them together are not.  The attacker sees every byte and guesses the level that makes the answers
likeliest, which no other guess from them betters.  How often he is right is measured on real reports, and
compared with what the laws of as many answers say: more would be a leak, less a blunt attack.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from hushwatt.audit.attacks.attack import unsent_probe
from hushwatt.audit.finding import Audit, Finding
from hushwatt.errors import UsageError
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import SlotReports, report
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.privacy.entropy import Simulation
from hushwatt.privacy.laws import Law, law_for
from hushwatt.wire.payload import Layout, take

DAYS = (30, 90, 365)
HOMES, QUICK_HOMES = 1_000, 40
DAY = 86_400
SIGMAS = 4.5  # by which what is measured and what is foreseen may differ
Scores = NDArray[np.float64]  # homes × cells


@dataclass
class HabitAttacker:
    """Adds up, for every home and level, how much its answers speak for it."""

    plan: Plan
    scores: Scores
    answers: dict[int, NDArray[np.int64]] = field(default_factory=dict)  # by budget: homes × appliances

    def see(self, sent: SlotReports) -> None:
        """Take the fresh draws of one slot into account; a repeat says nothing new."""
        layout = Layout.of(self.plan)
        fresh = sent.spent == sent.drawn + unsent_probe(self.plan)
        for drawn in np.unique(sent.drawn[fresh]).tolist():
            rows = fresh & (sent.drawn == drawn)
            said, about = answered(layout, sent.payloads[rows])
            worths = [log(law.likelihood_ratio) for law in self.laws(drawn)]  # of one answer for a level
            self.scores[sent.homes[rows]] += said * np.repeat(worths, self.plan.widths)
            seen = self.answers.setdefault(drawn, np.zeros((len(self.scores), len(self.plan.widths)), np.int64))
            seen[sent.homes[rows]] += about

    def laws(self, drawn: int) -> list[Law]:
        """The law of every appliance in a report drawn with so much."""
        return [law_for(self.plan.oracle, drawn, self.plan.appliances_per_report, d) for d in self.plan.widths]

    def guesses(self) -> NDArray[np.intp]:
        """The likeliest level of every home's appliances."""
        parts = np.split(self.scores, np.cumsum(self.plan.widths)[:-1], axis=1)
        return np.stack([part.argmax(axis=1) for part in parts], axis=1)

    def foreseen(self, levels: NDArray[np.uint16], random: np.random.Generator) -> "HabitAttacker":
        """Another attacker, who saw as many answers drawn from the laws alone."""
        other = HabitAttacker(self.plan, np.zeros_like(self.scores))
        starts = np.cumsum([0, *self.plan.widths])
        for drawn, seen in self.answers.items():
            for place, law in enumerate(self.laws(drawn)):
                said = drawn_answers(law, seen[:, place], levels[:, place], random)
                other.scores[:, starts[place] : starts[place + 1]] += log(law.likelihood_ratio) * said
        return other


def answered(layout: Layout, rows: NDArray[np.uint8]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which cells every report speaks for, and which appliances it speaks of."""
    cells = np.zeros((len(rows), int(layout.starts[-1])), dtype=bool)
    about = np.zeros((len(rows), len(layout.widths)), dtype=bool)
    every = np.arange(len(rows))
    for entry, place in enumerate(layout.places[:-1]):
        member = take(rows, place, layout.number_bits) if layout.partial else np.full(len(rows), entry)
        about[every, member] = True
        first, answer = layout.starts[member], place + layout.number_bits
        if layout.direct:
            cells[every, first + take(rows, answer, layout.places[entry + 1] - answer)] = True
            continue
        for level in range(layout.places[entry + 1] - answer):
            said = take(rows, answer + level, 1).astype(bool)
            cells[every[said], first[said] + level] = True
    return cells, about


def drawn_answers(
    law: Law, seen: NDArray[np.int64], levels: NDArray[np.uint16], random: np.random.Generator
) -> NDArray[np.int64]:
    """How many of `seen` answers of each home speak for each level, drawn from the law at once."""
    chances = np.where(np.arange(law.levels) == levels[:, None], float(law.hold), float(law.rise))
    if law.correlated:
        return random.multinomial(seen, chances / chances.sum(axis=1, keepdims=True))
    return random.binomial(seen[:, None], chances)


@dataclass(frozen=True)
class GuessingRate:
    """How often the attacker is right after some days."""

    days: int
    levels: float  # of all levels
    homes: float  # of all homes, all their levels
    foreseen: float  # of all levels, by the laws


def habit_audits(quick: bool = False) -> Iterator[Audit]:
    """The advised plan, and the paper's."""
    for name in ("advised", "paper"):
        yield partial(audit_habit, preset(name), homes=QUICK_HOMES if quick else HOMES)


def audit_habit(plan: Plan, days: tuple[int, ...] = DAYS, homes: int = QUICK_HOMES) -> Finding:
    """How many constant levels are found out under a plan after some days."""
    told = attack_habit(plan, days, homes)
    within = all(abs(each.levels - each.foreseen) <= _doubt(plan, each, homes) for each in told)
    parts = [f"{_percent(each.levels)} after {each.days:,} days" for each in told]
    figure = f"constant levels found out: {', '.join(parts)}; all of a home's in {_percent(told[-1].homes)}"
    guessing = float(np.mean([1 / width for width in plan.widths]))
    figure += f" of homes; guessing alone {_percent(guessing)}"
    numbers = {f"told_after_{each.days}_days": each.levels for each in told}
    numbers |= {f"foreseen_after_{each.days}_days": each.foreseen for each in told}
    return Finding("C15", f"habits, {plan.name}", figure, within, numbers=numbers)


def attack_habit(plan: Plan, days: tuple[int, ...], homes: int, seed: int = 2) -> list[GuessingRate]:
    """What the attacker finds out about homes that never change, at the end of each number of days."""
    if plan.decision == "provider":
        raise UsageError("habits are attacked in what homes send by themselves; here the provider decides")
    source, random = Simulation(seed, "habit"), np.random.default_rng(seed)
    levels = random.integers(0, plan.widths, (homes, len(plan.widths))).astype(np.uint16)
    fleet, attacker = enrol(plan, homes, 0, source), HabitAttacker(plan, np.zeros((homes, plan.width)))
    ends = {max(1, each * DAY // plan.slot.seconds): each for each in days}
    told = []
    for slot in range(max(ends)):
        attacker.see(report(fleet, slot, levels, source))
        if slot + 1 in ends:
            right = attacker.guesses() == levels
            expected = [attacker.foreseen(levels, random).guesses() == levels for _ in range(4)]
            told.append(GuessingRate(ends[slot + 1], right.mean(), right.all(axis=1).mean(), float(np.mean(expected))))
    return told


def _doubt(plan: Plan, told: GuessingRate, homes: int) -> float:
    """How far chance alone takes what is measured from what is foreseen."""
    cells = homes * len(plan.appliances)
    return SIGMAS * sqrt(1.25 * max(told.foreseen * (1 - told.foreseen), 1 / cells) / cells)


def _percent(share: float) -> str:
    """A share as a percentage; what is nearly all is not called all.

    >>> _percent(0.8447), _percent(1.0)
    ('84.5 %', 'over 99.9 %')
    """
    return f"{100 * share:.3g} %" if share <= 0.9995 else "over 99.9 %"
