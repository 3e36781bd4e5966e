"""Reports dealt into buckets come back in order, each once, and no bucket is large."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.wire.reports import external_sort
from hushwatt.wire.reports.external_sort import BucketIndex, ExternalSort, slot_counts
from hushwatt.wire.reports.schema import ReportBatch

counts = st.dictionaries(st.integers(0, 1000), st.integers(1, 60), min_size=1, max_size=20)


def batch_of(reports):
    """Reports told by slot, household, round and one byte."""
    slots, homes, rounds, payloads = zip(*reports, strict=True)
    amounts = np.ones(len(reports), dtype=np.int64)
    return ReportBatch(
        pa.array(homes),
        np.array(slots, np.int32),
        np.array(rounds, np.int8),
        amounts,
        amounts,
        np.array(payloads, np.uint8)[:, None],
    )


@given(counts=counts)
def test_buckets_ascend_and_stay_small(counts):
    """A later slot is never in an earlier bucket; small slots share one only while they fit in it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(external_sort, "BUCKET_REPORTS", 25)
        deal = BucketIndex.of(Counter(counts))
    held = Counter()
    for slot, first, parts in zip(deal.slots, deal.first, deal.parts, strict=True):
        held[first] += counts[slot] / parts

    assert all(step >= 0 for step in np.diff(deal.first))
    assert all(
        later > first + parts - 1
        for first, later, parts in zip(deal.first, deal.first[1:], deal.parts, strict=False)
        if parts > 1
    )
    assert max(held.values()) <= 25


@given(
    reports=st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from(["", "ada", "Δora", "z" * 40]), st.integers(0, 1)),
        min_size=1,
        max_size=40,
    ),
    data=st.data(),
)
def test_the_first_of_each_in_order(reports, data):
    """Whatever the order in which batches arrive: their places decide which report was first."""
    numbered = [(*report, number) for number, report in enumerate(reports)]
    batches = [numbered[start : start + 7] for start in range(0, len(numbered), 7)]
    arrivals = data.draw(st.permutations(range(len(batches))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(external_sort, "BUCKET_REPORTS", 3)
        spill = ExternalSort(slot_counts([np.array([slot for slot, *_ in reports])]), 1)
    for place in arrivals:
        spill.add(place, batch_of(batches[place]))
    found, repeats = [], 0
    for bucket in spill.buckets():
        batch, again = spill.bucket(bucket)
        columns = (
            batch.slot.tolist(),
            batch.households.to_pylist(),
            batch.round.tolist(),
            batch.payloads[:, 0],
        )
        found += [(*report, int(number)) for *report, number in zip(*columns, strict=True)]
        repeats += again
    spill.close()
    first = {report[:3]: report for report in reversed(numbered)}

    assert sorted(found) == sorted(first.values())
    assert [report[0] for report in found] == sorted(report[0] for report in found)
    assert repeats == len(reports) - len(found)
