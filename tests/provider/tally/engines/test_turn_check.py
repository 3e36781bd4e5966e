"""Turns that homes claim: sent to one place, and compared there."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.provider.reported import reported

from hushwatt.plan.presets import preset
from hushwatt.provider.tally.engines.turn_check import asks_turns_alone, deal_claims, disagree
from hushwatt.wire.reports.schema import ReportBatch

SPOKEN = st.lists(
    st.tuples(st.sampled_from([f"home {number}" for number in range(9)]), st.integers(0, 30)), max_size=40
)


def said(spoken):
    """A batch in which these homes speak in these slots."""
    names, slots = [name for name, _ in spoken], np.array([slot for _, slot in spoken], dtype=np.int32)
    none = np.zeros(len(spoken), dtype=np.int64)
    payloads = np.zeros((len(spoken), 1), dtype=np.uint8)
    return ReportBatch(pa.array(names, pa.string()), slots, none.astype(np.int8), none, none, payloads)


@given(SPOKEN, st.integers(1, 5), st.integers(1, 9))
def test_two_turns_of_a_home_meet(spoken, buckets, window):
    """However many buckets and turns there are: some bucket disagrees exactly when a home has two turns."""
    plan, dealt, turns = replace(preset("paper"), window=window), defaultdict(list), {}
    for some in (spoken[::2], spoken[1::2]):
        for bucket, message in deal_claims(plan, said(some), buckets):
            dealt[bucket].append(message)
    for name, slot in spoken:
        turns.setdefault(name, set()).add(slot % window)

    assert any(disagree(plan, messages) for messages in dealt.values()) == any(len(each) > 1 for each in turns.values())
    assert sum(len(message) for messages in dealt.values() for message in messages) == 8 * len(spoken)


@pytest.mark.parametrize(
    "method, asked, alone", [("lpu", 8, True), ("lpu", 3, False), ("lbu", 8, False), ("lbu", 3, False)]
)
def test_where_turns_are_all(plan_of, method, asked, alone):
    """Orders ask for the reports themselves, and without turns there is nothing to ask."""
    plan, _ = reported(plan_of, method, None, asked)

    assert asks_turns_alone(plan) is alone
