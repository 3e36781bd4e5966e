"""Someone who sees every byte of many homes for years, and guesses as well as can be.

He knows the plan and its laws.  Each fresh draw adds to what speaks for every level of the appliances that it is
about; a repeat says nothing new.  This is not the arithmetic of the printed chances: it only reads bytes.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushwatt.audit.attacks.attack import unsent_probe
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import SlotReports, levels_of, report
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Simulation
from hushwatt.privacy.laws import Law, law_for
from hushwatt.privacy.long_run.long_run import owner_levels
from hushwatt.privacy.typical import typical_mean
from hushwatt.wire.payload import Layout, take

Right = NDArray[np.bool_]  # homes × appliances: whether the guess was right
Scores = NDArray[np.float64]
Seen = Callable[[int, list[Law], NDArray[np.bool_], NDArray[np.bool_], NDArray[np.intp]], None]


@dataclass
class LevelWatcher:
    """Adds up, for every home and level, how much its answers speak for it."""

    plan: Plan
    scores: Scores  # homes × cells

    def see(self, laws: list[Law], said: NDArray[np.bool_], about: NDArray[np.bool_], homes: NDArray[np.intp]) -> None:
        """Take in answers: which cells they speak for."""
        worths = [np.log(float(law.likelihood_ratio)) for law in laws]
        self.scores[homes] += said * np.repeat(worths, self.plan.widths)

    def guesses(self) -> NDArray[np.intp]:
        """The likeliest level of every home's appliances; "not measured" is none."""
        parts = np.split(self.scores, np.cumsum(self.plan.widths)[:-1], axis=1)
        sizes = [each.levels for each in self.plan.appliances]
        return np.stack([part[:, :size].argmax(axis=1) for part, size in zip(parts, sizes, strict=True)], axis=1)


@dataclass
class OwnerWatcher:
    """Adds up, for every home and appliance, how much its answers speak for an owner at the typical mean."""

    plan: Plan
    scores: Scores  # homes × appliances
    other: int = 0  # what everybody else answers: the lowest level, or the last answer

    def see(self, laws: list[Law], said: NDArray[np.bool_], about: NDArray[np.bool_], homes: NDArray[np.intp]) -> None:
        """Take in answers: what they say of the owner's levels, against what they say of the other answer."""
        starts = np.cumsum([0, *self.plan.widths])
        for place, (appliance, law) in enumerate(zip(self.plan.appliances, laws, strict=True)):
            hold, rise = float(law.hold), float(law.rise)
            silent = 1.0 if law.direct else (1 - hold) / (1 - rise)  # how a level's silence speaks for it
            speaks = np.where(said[:, starts[place] : starts[place + 1]], hold / rise, silent)
            owner = sum(part * speaks[:, level] for level, part in owner_levels(self.plan, appliance))
            self.scores[homes, place] += np.where(about[:, place], np.log(owner / speaks[:, self.other]), 0.0)

    def guesses(self) -> NDArray[np.bool_]:
        """Whether each home owns each appliance."""
        return np.asarray(self.scores > 0)


def watch_levels(plan: Plan, slots: int, homes: int, seed: int) -> Right:
    """Homes whose levels never change, any level as likely, for so many slots."""
    random = np.random.default_rng(seed)
    sizes = [each.levels for each in plan.appliances]
    levels = random.integers(0, sizes, (homes, len(sizes))).astype(np.uint16)
    watcher = LevelWatcher(plan, np.zeros((homes, plan.width)))
    _watch(plan, slots, homes, Simulation(seed, "levels"), lambda slot: levels, watcher)
    return np.asarray(watcher.guesses() == levels)


def watch_owners(plan: Plan, slots: int, homes: int, seed: int) -> Right:
    """Homes that own an appliance and use the typical mean in every slot, or that do not, both as likely."""
    return _watch_owners(plan, slots, homes, seed, otherwise=0.0)


def watch_measuring(plan: Plan, slots: int, homes: int, seed: int) -> Right:
    """The same where homes without the appliance have no plug on it, and say so."""
    return _watch_owners(plan, slots, homes, seed, otherwise=np.nan)


def _watch_owners(plan: Plan, slots: int, homes: int, seed: int, otherwise: float) -> Right:
    random, source = np.random.default_rng(seed), Simulation(seed, "owners")
    owns = random.random((homes, len(plan.appliances))) < 0.5
    watts = np.where(owns, [typical_mean(plan, each) for each in plan.appliances], otherwise)
    watcher = OwnerWatcher(plan, np.zeros(owns.shape), other=-1 if np.isnan(otherwise) else 0)
    _watch(plan, slots, homes, source, lambda slot: levels_of(plan, slot, watts, source), watcher)
    return np.asarray(watcher.guesses() == owns)


def _watch(
    plan: Plan,
    slots: int,
    homes: int,
    source: Simulation,
    lived: Callable[[int], NDArray[np.uint16]],
    watcher: LevelWatcher | OwnerWatcher,
) -> None:
    """Let homes report by the shipped function, slot by slot, and show every byte to the watcher."""
    fleet, layout, probe = enrol(plan, homes, 0, source), Layout.of(plan), unsent_probe(plan)
    for slot in range(slots):
        sent = report(fleet, slot, lived(slot), source)
        for drawn, rows in _fresh(sent, probe):
            said, about = answered(layout, sent.payloads[rows])
            watcher.see(laws_of(plan, drawn), said, about, sent.homes[rows])


def _fresh(sent: SlotReports, probe: int) -> list[tuple[int, NDArray[np.intp]]]:
    """The rows that were drawn in this slot, by what they were drawn with."""
    fresh = sent.spent == sent.drawn + probe
    return [(drawn, np.flatnonzero(fresh & (sent.drawn == drawn))) for drawn in np.unique(sent.drawn[fresh]).tolist()]


def laws_of(plan: Plan, drawn: int) -> list[Law]:
    """The law of every appliance in a report drawn with so much."""
    return [law_for(plan.oracle, drawn, plan.appliances_per_report, width) for width in plan.widths]


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
