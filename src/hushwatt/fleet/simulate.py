"""A whole collection in memory: homes randomise, the provider tallies, nothing is written.

For experiments.  It runs the steps that the files and the service run.
"""

from collections.abc import Iterable, Iterator

import pyarrow as pa

from hushwatt.fleet.assemble import assemble
from hushwatt.household.report.levels import Watts
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Source
from hushwatt.provider.tally.tally import Tallies, carry_forward, tally_batches
from hushwatt.wire.reports import ReportBatch


def simulate(plan: Plan, watts: Iterable[Watts], homes: int, source: Source, first: int = 0) -> Tallies:
    """The tallies of `homes` homes whose `watts` come slot by slot, homes × appliances."""
    tallies = Tallies(homes, {})
    for key, tally in tally_batches(plan, _batches(plan, watts, homes, source, first)):
        tallies.add(key, tally)
    return carry_forward(plan, tallies)


def _batches(plan: Plan, watts: Iterable[Watts], homes: int, source: Source, first: int) -> Iterator[ReportBatch]:
    households = pa.array([f"{home:09d}" for home in range(homes)])
    fleet = assemble(plan, None, households, first, source)
    for slot, now in enumerate(watts, start=first):
        yield from fleet.advance(slot, (now[part] for part in fleet.partitions), source)
