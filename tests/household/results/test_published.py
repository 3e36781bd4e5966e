"""What a provider says was published: only what fits the plan gets through, whatever else it says."""

import json
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.household.living import fresh_store
from tests.household.results.sharing import published

from hushwatt.audit.harness.plans import plan_for
from hushwatt.household.results.published import keep_results, kept_results, read_results
from hushwatt.household.untrusted_json import Malformed
from hushwatt.plan.presets import preset
from hushwatt.plan.sharing import stretches
from hushwatt.plan.times import nanoseconds

PLAN = plan_for(random.Random(1), share_results=True, mapping="range")
WEEK = stretches(PLAN).length
LATER = nanoseconds(PLAN.expires)


def read(results, plan=PLAN, now=LATER):
    return read_results(plan, {"plan": plan.id, "results": results}, now)


def test_what_was_published_is_kept_and_found_again():
    """All ranges and all appliances, by way of the ledger."""
    found = read(published(PLAN, 5 * WEEK))
    with fresh_store() as store:
        assert kept_results(store, PLAN, LATER) == []
        keep_results(store, PLAN, found)
        again = kept_results(store, PLAN, LATER)

    assert [each.span.slots for each in found] == [WEEK, 4 * WEEK]
    assert again == found
    assert set(found[0].means) == set(PLAN.names)
    assert (found[0].means[PLAN.names[0]].low, found[0].homes) == (24.0, 4_210)


@pytest.mark.parametrize(
    "change",
    [
        {"slot": 1},
        {"slot": -1},
        {"slots": WEEK - 1},
        {"slots": 0},
        {"slots": 10**9},
        {"slot": True},
        {"homes": "many"},
        {"homes": None},
    ],
)
def test_a_time_that_the_calendar_has_not(change):
    """Ranges that nobody would share are passed over, and the others stay."""
    good, bad = published(PLAN, WEEK)[0], published(PLAN, WEEK)[0] | change

    assert len(read([bad, good])) == 1


def test_a_time_that_has_not_passed():
    """Nobody can have published it."""
    assert read(published(PLAN, WEEK), now=nanoseconds(PLAN.start)) == []


@pytest.mark.parametrize(
    "change",
    [
        {"ci95": None},
        {"ci95": [1]},
        {"ci95": [2, 1]},
        {"ci95": [1, "a lot"]},
        {"ci95": [1, [2]]},
        {"ci95": [1, 10**400]},
        {"ci95": [None, 1]},
        {"counted": WEEK // 2},
        {"counted": WEEK + 1},
        {"counted": -1},
        {"clipped": False},  # real watts, of which the plan knows nothing
    ],
)
def test_a_mean_that_is_none(change):
    """An appliance without an answer is one without an answer."""
    (result,) = read(published(PLAN, WEEK - 1, **change))

    assert result.means == {}


def test_real_watts_are_not_clipped():
    """A plan with prior knowledge is about real watts, and a mean of other ones is not compared."""
    real = replace(preset("everyday"), share_results=True)
    week = stretches(real).length

    assert read(published(real, week - 1, clipped=True), real, 2**62)[0].means == {}
    assert len(read(published(real, week - 1, clipped=False), real, 2**62)[0].means) == len(real.names)


def test_names_of_other_appliances_are_passed_over():
    """Nothing that is not in the plan is kept or shown."""
    results = published(PLAN, WEEK)
    results[0]["appliances"]["\x1b[2J"] = results[0]["appliances"][PLAN.names[0]]
    with fresh_store() as store:
        keep_results(store, PLAN, read(results))
        kept = store.read_value(f"results {PLAN.id}")

    assert set(json.loads(kept)["results"][0]["appliances"]) == set(PLAN.names)


def test_an_answer_about_another_plan_is_refused():
    """So is one that is no table."""
    for answer in ({"plan": "0" * 64, "results": []}, [], None, "results"):
        with pytest.raises(Malformed, match="is not about this plan"):
            read_results(PLAN, answer, LATER)


def test_a_damaged_note_is_none():
    """Whatever stands in the ledger."""
    with fresh_store() as store:
        for text in ("", "{", "[]", json.dumps({"plan": PLAN.id, "results": 7})):
            store.write_value(f"results {PLAN.id}", text)
            assert kept_results(store, PLAN, LATER) == []


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["slot", "slots", "homes", "appliances"]), inner),
    max_leaves=20,
)


@given(results=json_values)
def test_no_answer_does_more_than_be_refused(results):
    """Anything that JSON can hold gives results or one refusal."""
    try:
        found = read_results(PLAN, {"plan": PLAN.id, "results": results}, LATER)
    except Malformed:
        return
    assert len(found) <= 4
