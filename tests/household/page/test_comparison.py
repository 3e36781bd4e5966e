"""Compare my home: shown where a plan shares its results, switched by the owner, and off until then."""

from datetime import UTC, datetime

import pytest
from tests.household.living import join

from hushwatt.household.compare import Comparison, wants_comparison
from hushwatt.household.page import comparison

WEEK = (datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 8, tzinfo=UTC))


@pytest.fixture
def sharing(owner, plan_of):
    join(owner.home.store, plan_of(3, method="lbu", name="Shared", share_results=True))
    return owner


def test_a_plan_that_shares_nothing_has_no_such_section(owner):
    """There is nothing to compare with."""

    assert "Compared with other homes" not in owner.text()


def test_the_owner_switches_it_on_and_off(sharing):
    """Off at first; each way the page says what becomes of the home's own averages."""
    before = sharing.text()
    sharing.post("compare", on="1")
    on, text = wants_comparison(sharing.home.store), sharing.text()
    sharing.post("compare", on="0")

    assert "Your own averages are not kept." in before
    assert "Compare my home" in before
    assert on
    assert "Switching it off deletes them." in text
    assert not wants_comparison(sharing.home.store)


def test_a_comparison_in_watts(sharing, monkeypatch):
    """What this home uses, what homes use, and which is more; too few homes are said to be that."""
    found = [
        Comparison("dishwasher", 31.24, 24.1, 28.8, *WEEK),
        Comparison("kettle", None, None, None, *WEEK),
    ]
    monkeypatch.setattr(comparison, "comparisons", lambda store, plan, now: found)
    text = sharing.text()

    assert "dishwasher 31.2 W 24.1 to 28.8 W 2024-01-01 to 2024-01-07 more than homes here" in text
    assert "kettle not known too few homes" in text
