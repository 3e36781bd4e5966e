"""Turns that homes claim: sent to one place, and compared there."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.provider.reported import reported

from hushwatt.provider.tally.engines.turn_check import CLAIM, asks_turns_alone, claims_of, deal_claims, disagree

CLAIMS = st.lists(st.tuples(st.integers(0, 2**64 - 1) | st.integers(0, 5), st.integers(0, 2)), max_size=40)


@given(CLAIMS, st.integers(1, 5))
def test_two_turns_of_a_home_meet(claims, buckets):
    """However many buckets there are: some bucket disagrees exactly when a home has two turns."""
    dealt = defaultdict(list)
    for some in (claims[::2], claims[1::2]):
        for bucket, message in deal_claims(np.array(some, dtype=CLAIM), buckets):
            dealt[bucket].append(message)
    turns = defaultdict(set)
    for home, turn in claims:
        turns[home].add(turn)

    assert any(disagree(messages) for messages in dealt.values()) == any(len(each) > 1 for each in turns.values())
    assert sum(len(message) for messages in dealt.values() for message in messages) == CLAIM.itemsize * len(claims)


def test_a_turn_is_the_slot_in_its_window(plan_of):
    """Reports of a home have one hash and one turn, those of another home another hash."""
    plan, batch = reported(plan_of, "lpu", None, 8)
    claims = claims_of(plan, batch)
    claimed = set(zip(batch.households.to_pylist(), claims.tolist(), strict=True))

    assert len(claimed) == len(set(batch.households.to_pylist()))
    assert sorted(set(claims["turn"].tolist())) == list(range(plan.window))


@pytest.mark.parametrize(
    "method, asked, alone", [("lpu", 8, True), ("lpu", 3, False), ("lbu", 8, False), ("lbu", 3, False)]
)
def test_where_turns_are_all(plan_of, method, asked, alone):
    """Orders ask for the reports themselves, and without turns there is nothing to ask."""
    plan, _ = reported(plan_of, method, None, asked)

    assert asks_turns_alone(plan) is alone
