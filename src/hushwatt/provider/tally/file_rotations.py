"""The turns and orders of homes that files name, checked in memory while their reports go by slot by slot."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import has_turns
from hushwatt.provider.checks.rotation import IN_PLACE, REFUSALS, Rotations
from hushwatt.provider.tally.draws import slot_runs
from hushwatt.provider.tally.home_index import HomeIndex
from hushwatt.provider.tally.label_table import LabelTable
from hushwatt.provider.tally.tally import Tallies, Tally, TallyKey, tally_batches
from hushwatt.wire.reports.order import SortKeys
from hushwatt.wire.reports.schema import ReportBatch


@dataclass(frozen=True)
class TalliedBatch:
    """A batch of what is to be counted, each report once, and what it adds up to by itself."""

    batch: ReportBatch
    groups: list[tuple[TallyKey, Tally]]
    repeats: int = 0  # left out of it
    refused: Counter[str] = field(default_factory=Counter)  # likewise, by reason
    ordered: bool = True  # as far as the piece has been read
    keys: SortKeys | None = None  # of all its reports, those that were left out too

    def add_to(self, tallies: Tallies) -> None:
        tallies.add_all(self.groups)
        tallies.repeats += self.repeats
        tallies.refused += self.refused


FEW = 2_000  # reports of a slot, on average, below which the homes of many slots are looked up together


class RotationChecker:
    """Told every batch once, says which of its reports are out of turn or out of order."""

    def __init__(self, plan: Plan) -> None:
        self._rotations = Rotations(plan)
        self._index = HomeIndex(plan.window if has_turns(plan) else 1)
        self.refused: Counter[str] = Counter()  # reports, by reason

    def in_place(self, batch: ReportBatch) -> NDArray[np.bool_]:
        """Which reports of a batch, sorted by slot and household, are to be counted."""
        verdicts = self.verdicts(batch)
        for verdict, reason in REFUSALS.items():
            if count := int((verdicts == verdict).sum()):
                self.refused[reason] += count
        in_place: NDArray[np.bool_] = verdicts == IN_PLACE
        return in_place

    def verdicts(self, batch: ReportBatch) -> NDArray[np.int8]:
        """Likewise, and why the others are not."""
        verdicts = np.full(len(batch), IN_PLACE, dtype=np.int8)
        runs = list(slot_runs(batch.slot))
        at_once = self._index.look_up(batch.households) if len(batch) < FEW * len(runs) else None
        for rows, slot in runs:
            homes = self._index.numbers(slot, batch.households[rows]) if at_once is None else at_once[rows]
            self._make_room()
            verdicts[rows] = self._verdicts(slot, homes, batch.round[rows], batch.payloads[rows])
        return verdicts

    def _make_room(self) -> None:
        """Have a row for every home, and spare ones: a few new homes in every slot are not to move all others."""
        missing = len(self._index) - len(self._rotations)
        if missing > 0:
            self._rotations.grow(max(missing, len(self._rotations) // 2))

    def _verdicts(
        self, slot: int, homes: NDArray[np.intp], rounds: NDArray[np.int8], payloads: NDArray[np.uint8]
    ) -> NDArray[np.int8]:
        """Verdicts of one slot; a home is in each round once."""
        if not rounds.any():
            return self._rotations.judge(slot, homes, payloads)
        verdicts = np.empty(len(homes), dtype=np.int8)
        for round in np.unique(rounds):
            rows = np.flatnonzero(rounds == round)
            verdicts[rows] = self._rotations.judge(slot, homes[rows], payloads[rows])
        return verdicts


def tally_in_rotation(plan: Plan, batches: Iterable[TalliedBatch], labels: LabelTable | None = None) -> Tallies:
    """What is in place of all batches, slots ascending, adds up to."""
    tallies, checker = Tallies(0, {}), RotationChecker(plan)
    for tallied in batches:
        in_place = checker.in_place(tallied.batch)
        if not in_place.all():
            groups = list(tally_batches(plan, [tallied.batch.without(~in_place)], labels))
            tallied = replace(tallied, groups=groups)
        tallied.add_to(tallies)
    tallies.refused += checker.refused
    return tallies
