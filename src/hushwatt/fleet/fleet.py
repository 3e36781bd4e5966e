"""Homes by name, moved through the slots together, part by part.

Each part of a fleet remembers for itself, and waits on disk while the others
have their turn.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from hushwatt.fleet.provider_decisions import Decided, Rounds
from hushwatt.fleet.readings.parts import Parts, PartSource
from hushwatt.fleet.spill_store import SpillStore
from hushwatt.household.report.homes import Homes
from hushwatt.household.report.levels import Levels, Watts
from hushwatt.household.report.report import SlotReports, levels_of, report
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Source
from hushwatt.wire.reports import ReportBatch

Waiting = tuple[Homes, Levels, SlotReports]  # homes between their two rounds


@dataclass
class Fleet:
    """Every home of a collection, and what they and the provider remember."""

    plan: Plan
    households: pa.Array  # sorted
    slot: int  # the next one
    decided: Decided | None
    parts: Parts = field(init=False)
    memory: SpillStore[Homes] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.parts = Parts.of(len(self.households), len(self.plan.appliances))
        self.memory = SpillStore(len(self.parts))

    def move(self, slot: int, watts: Iterator[Watts], source: Source) -> Iterator[ReportBatch]:
        """Move all homes through a slot; `watts` come part by part, and so does what is sent.

        It is in the order of the report table.
        """
        if self.decided is None:
            yield from self._by_themselves(slot, watts, source)
        else:
            yield from self._as_decided(self.decided, slot, watts, source)
        self.slot = slot + 1

    def _by_themselves(self, slot: int, watts: Iterator[Watts], source: Source) -> Iterator[ReportBatch]:
        for part, where in enumerate(self.parts):
            streams, homes = PartSource(source, part), self.memory.take(part)
            sent = report(homes, slot, levels_of(self.plan, slot, next(watts), streams), streams)
            self.memory.put(part, homes)
            yield batch_of(self.households[where], [sent])

    def _as_decided(
        self, decided: Decided, slot: int, watts: Iterator[Watts], source: Source
    ) -> Iterator[ReportBatch]:
        rounds, waiting = Rounds(self.plan, decided, len(self.households), source), self._shelf()
        rounds.begin(self.slot, slot)
        for part, where in enumerate(self.parts):
            streams, homes = PartSource(source, part), self.memory.take(part)
            homes.slot = slot
            levels = levels_of(self.plan, slot, next(watts), streams)
            waiting.put(part, (homes, levels, rounds.probe(homes, where.start, levels, streams)))
        rounds.decide()
        for part, where in enumerate(self.parts):
            homes, levels, probes = waiting.take(part)
            told = rounds.publish(homes, where.start, levels, PartSource(source, part))
            sents = [probes, *told]
            self.memory.put(part, homes)
            yield batch_of(self.households[where], sents)
        rounds.end()

    def _shelf(self) -> SpillStore[Waiting]:
        return SpillStore(len(self.parts))


def batch_of(households: pa.Array, sents: list[SlotReports]) -> ReportBatch:
    """What was sent in one slot, all rounds together, in the order of the households."""
    who = np.concatenate([sent.homes for sent in sents])
    rounds = np.concatenate([np.full(len(sent.homes), sent.round, dtype=np.int8) for sent in sents])
    spent, drawn, payloads = (
        np.concatenate([getattr(sent, name) for sent in sents]) for name in ("spent", "drawn", "payloads")
    )
    if len(sents) > 1:
        order = np.lexsort((rounds, who))
        who, rounds, spent, drawn, payloads = (c[order] for c in (who, rounds, spent, drawn, payloads))
    everyone = len(sents) == 1 and len(who) == len(households)
    named = households if everyone else households.take(pa.array(who))
    slots = np.full(len(who), sents[0].slot, dtype=np.int32)
    return ReportBatch(named, slots, rounds, spent, drawn, payloads)
