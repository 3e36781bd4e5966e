"""The functions that a cluster hosts, without the cluster."""

import numpy as np
import pytest
from tests.provider.reported import KINDS, arrow, one_by_one, plainly, twice

from hushwatt.provider.tally.engines.arrow_tally import merge_tallies, tally_partition, tally_sorted
from hushwatt.provider.tally.engines.overlaps import overlapping
from hushwatt.provider.tally.engines.tally_arrow import decode_tallies
from hushwatt.provider.tally.tally import finish_tallies
from hushwatt.wire.row_error import RowError


def added(encoded):
    """All batches in one, as a cluster adds them."""
    (whole,) = merge_tallies(iter(encoded))
    return decode_tallies(whole.to_pylist())


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_sorted_parts_of_homes(table, kind):
    """Each half of the homes by itself, repeats included, adds up to the whole."""
    plan, batch = table(*kind)
    both = twice(batch)
    half = np.array([home < "home 10" for home in both.households.to_pylist()])
    encoded = []
    for homes in (half, ~half):
        rows = sorted(np.flatnonzero(homes), key=lambda row: (row % len(batch), row))
        encoded += tally_sorted(plan, iter(arrow(both.taken(np.array(rows)), size=37)))
    tallies, infos = added(encoded)

    assert plainly(finish_tallies(plan, tallies).groups) == plainly(one_by_one(plan, batch))
    assert sum(info.repeats for info in infos) == len(batch)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind[1] != "household"], ids=str)
def test_partitions_in_order(table, kind):
    """Batches in order are tallied as they come, and say where they lie."""
    plan, batch = table(*kind)
    tallies, (info,) = added(tally_partition(plan, iter(arrow(batch, size=37))))

    assert plainly(finish_tallies(plan, tallies).groups) == plainly(one_by_one(plan, batch))
    assert info.ordered
    assert not overlapping([[span] for span in info.spans])


def test_a_partition_in_no_order(table):
    """It is said, and nothing is counted."""
    plan, batch = table("lbu", None, 8)
    tallies, (info,) = added(tally_partition(plan, iter(arrow(batch.taken(np.array([1, 0])), size=9))))

    assert not info.ordered
    assert tallies.groups == {}


def test_a_wrong_row_is_refused(table):
    """What is wrong with it is said; where it stands is for whoever knows the file."""
    plan, batch = table("lbu", None, 2)
    some = batch.taken(np.array([0, 0, 1, 2]))
    some.payloads[3] = 255
    parts = arrow(some, size=4)

    for tallied in (tally_partition, tally_sorted):
        with pytest.raises(RowError, match="its payload has"):
            list(tallied(plan, iter(parts)))
