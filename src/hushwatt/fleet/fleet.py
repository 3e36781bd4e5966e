"""Homes by name, moved through the slots together, part by part.

Each part of a fleet remembers for itself, and waits on disk while the others
have their turn.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from hushwatt.fleet.provider_decisions import DecisionRounds, DecisionState
from hushwatt.fleet.readings.partitions import Partitions, PartitionSource
from hushwatt.fleet.spill_store import SpillStore
from hushwatt.household.report.homes import Homes
from hushwatt.household.report.levels import Levels, Watts
from hushwatt.household.report.report import SlotReports, levels_of, report
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Source
from hushwatt.wire.reports import ReportBatch

BetweenRounds = tuple[Homes, Levels, SlotReports]  # homes between their two rounds


@dataclass
class Fleet:
    """Every home of a collection, and what they and the provider remember."""

    plan: Plan
    households: pa.Array  # sorted
    slot: int  # the next one
    decisions: DecisionState | None
    partitions: Partitions = field(init=False)
    memory: SpillStore[Homes] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.partitions = Partitions.of(len(self.households), len(self.plan.appliances))
        self.memory = SpillStore(len(self.partitions))

    def advance(self, slot: int, watts: Iterator[Watts], source: Source) -> Iterator[ReportBatch]:
        """Take all homes through a slot; `watts` come part by part, and so does what is sent.

        It is in the order of the report table.
        """
        if self.decisions is None:
            yield from self._decide_at_home(slot, watts, source)
        else:
            yield from self._decide_at_provider(self.decisions, slot, watts, source)
        self.slot = slot + 1

    def _decide_at_home(self, slot: int, watts: Iterator[Watts], source: Source) -> Iterator[ReportBatch]:
        for part, where in enumerate(self.partitions):
            streams, homes = PartitionSource(source, part), self.memory.take(part)
            sent = report(homes, slot, levels_of(self.plan, slot, next(watts), streams), streams)
            self.memory.put(part, homes)
            yield batch_of(self.households[where], [sent])

    def _decide_at_provider(
        self, decisions: DecisionState, slot: int, watts: Iterator[Watts], source: Source
    ) -> Iterator[ReportBatch]:
        rounds = DecisionRounds(self.plan, decisions, len(self.households), source)
        waiting = SpillStore[BetweenRounds](len(self.partitions))
        rounds.begin(self.slot, slot)
        for part, where in enumerate(self.partitions):
            streams, homes = PartitionSource(source, part), self.memory.take(part)
            homes.slot = slot
            levels = levels_of(self.plan, slot, next(watts), streams)
            waiting.put(part, (homes, levels, rounds.probe(homes, where.start, levels, streams)))
        rounds.decide()
        for part, where in enumerate(self.partitions):
            homes, levels, probes = waiting.take(part)
            published = list(rounds.publish(homes, where.start, levels, PartitionSource(source, part)))
            self.memory.put(part, homes)
            yield batch_of(self.households[where], [probes, *published])
        rounds.end()


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
    names = households if everyone else households.take(pa.array(who))
    slots = np.full(len(who), sents[0].slot, dtype=np.int32)
    return ReportBatch(names, slots, rounds, spent, drawn, payloads)
