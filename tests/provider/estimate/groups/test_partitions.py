"""Into which parts homes may be divided."""

import numpy as np
import pytest

from hushwatt.provider.estimate.groups.partitions import PoolSpeakers, answers, label_codes, partitions
from hushwatt.provider.tally.labels import Cells

TWO = Cells(("tariff", "region"), (("A", "n"), ("A", "s"), ("B", "n"), ("B", "s")))


def told(cells, speakers, present=None, need=10):
    """The single groups, by the label or labels they are of, that are answered."""
    speakers = np.array(speakers, dtype=float)
    present = speakers[None] > 0 if present is None else np.array(present, dtype=bool)
    found = partitions(PoolSpeakers(speakers, present, need), label_codes(cells))
    groups = [each for by in (["tariff"], ["region"], ["tariff", "region"]) for each in cells.groups(by)]
    return ["".join(each.values()) for each in groups if answers(found, cells.matching(each))]


@pytest.mark.parametrize(
    ("speakers", "expected"),
    [
        ([0, 10, 11, 12, 13], ["A", "B", "n", "s", "An", "As", "Bn", "Bs"]),  # all
        ([0, 9, 11, 12, 13], ["A", "B", "n", "s"]),  # one label at a time
        ([0, 1, 1, 50, 50], ["n", "s"]),  # a tariff that is too small takes the other with it
        ([12, 9, 11, 12, 13], ["A", "B", "(none)", "n", "s", "(none)", "(none)(none)"]),  # enough have no labels
        ([3, 9, 11, 12, 33], ["B", "s"]),  # too few have none: those of the smaller value are not told either
        ([0, 0, 30, 12, 13], ["n", "s", "As", "Bn", "Bs", "A", "B"]),  # no such combination, and all are enough
        ([0, 0, 30, 9, 33], ["A", "B", "As"]),  # region n is too small, so nothing of regions is told
        ([0, 2, 3, 2, 2], []),
    ],
)
def test_what_is_told(speakers, expected):
    """From how many homes of each cell spoke."""
    found = told(TWO, speakers)

    assert sorted(found) == sorted(expected)


def test_the_first_label_stays_longest():
    """Where not all combinations are there, it is divided first: labels go by the alphabet, however they come."""
    cells = Cells(("tariff", "region"), (("A", "n"), ("B", "s"), ("C", "s"), ("A", "s")))
    speakers = [0, 12, 11, 4, 8]

    assert told(cells, speakers) == ["B", "n", "s", "An", "Bs"]


def test_a_block_speaks_in_every_unit():
    """Values that were not heard in one of the joined slots are told with others."""
    cells = Cells(("tariff",), (("A",), ("B",), ("C",)))
    everywhere, not_always = [[0, 1, 1, 1], [0, 1, 1, 1]], [[0, 1, 1, 1], [0, 0, 1, 1]]

    def tariffs(present):
        found = partitions(
            PoolSpeakers(np.array([0, 10.0, 10, 10]), np.array(present, dtype=bool), 10), label_codes(cells)
        )
        return ["".join(each.values()) for each in cells.groups(["tariff"]) if answers(found, cells.matching(each))]

    assert tariffs(everywhere)[:3] == ["A", "B", "C"]
    assert len(tariffs(not_always)) == 1
    assert "A" not in tariffs(not_always)
