"""A fleet is cut into parts that fit in memory, and no two of them share their noise."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from hushwatt.fleet.assemble import assemble
from hushwatt.fleet.readings import partitions as module
from hushwatt.fleet.readings.partitions import MAX_CELLS, MIN_HOMES, Partitions, PartitionSource
from hushwatt.privacy.entropy import Simulation


@pytest.mark.parametrize("homes", [1, 32_768, 1_000_000, 10_000_001])
@pytest.mark.parametrize("appliances", [1, 15, 1_000])
def test_every_home_is_in_one_part(homes, appliances):
    """Parts follow each other without a gap, and none is too large for the memory."""
    parts = Partitions.of(homes, appliances)
    ends = [(part.start, part.stop) for part in parts]

    assert ends[0][0] == 0
    assert ends[-1][1] == homes
    assert all(before[1] == after[0] for before, after in pairwise(ends))
    assert sum(parts.length(number) for number in range(len(parts))) == homes
    assert parts.size * appliances <= max(MAX_CELLS, MIN_HOMES * appliances)


def test_a_million_homes_of_the_paper_are_one_part():
    """So seeded runs of that size are what they were before there were parts."""

    assert len(Partitions.of(1_000_000, 15)) == 1


def test_there_is_no_part_beyond_the_last():
    """A part that is not there is an IndexError, as of any sequence."""
    with pytest.raises(IndexError):
        Partitions(10, 5)[2]


def test_parts_have_streams_of_their_own():
    """The first part has the fleet's streams, every other its own."""
    fleet = Simulation(1, "")
    words = [PartitionSource(fleet, part).stream("slot", 1).words(4) for part in range(3)]

    assert (words[0] == fleet.stream("slot", 1).words(4)).all()
    assert len(np.unique(np.concatenate(words))) == 12


class Once:
    """Streams of noise, each of which may be opened only once."""

    def __init__(self):
        self.source, self.opened = Simulation(1, ""), set()

    def stream(self, *labels):
        assert labels not in self.opened, f"{labels} makes the same noise twice"
        self.opened.add(labels)
        return self.source.stream(*labels)


@pytest.mark.parametrize("mapping", ["range", "dither"])
@pytest.mark.parametrize(
    "method, more",
    [
        ("lbu", {"appliances_per_report": 1}),
        ("lsp", {}),
        ("lpu", {}),
        ("lba", {}),
        ("lbd", {"decision": "provider"}),
        ("lba", {"decision": "provider", "appliances_per_report": 2}),
        ("lpd", {}),
        ("lpa", {"appliances_per_report": 1}),
    ],
)
def test_no_noise_is_used_twice(plan_for, monkeypatch, method, more, mapping):
    """Every part, slot and round, and every choice of who speaks, has a stream that nothing else has."""
    monkeypatch.setattr(module, "MAX_CELLS", 1)
    monkeypatch.setattr(module, "MIN_HOMES", 20)
    plan, source = plan_for(method, mapping=mapping, **more), Once()
    fleet = assemble(plan, None, pa.array([f"h{home:02}" for home in range(60)]), 0, source)
    for slot in range(5):
        watts = np.full((20, 3), 60.0 * slot)
        list(fleet.advance(slot, iter([watts] * 3), source))

    assert any("part" in labels for labels in source.opened)
