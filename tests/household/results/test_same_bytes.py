"""What leaves the home is byte for byte the same, at the same times, whether its owner compares or not."""

import random
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from tests.household.results.sharing import RecordingProvider, SharedHome, published, readings

from hushwatt.audit.harness.plans import plan_for
from hushwatt.household.compare import comparisons
from hushwatt.household.results.own_means import FILE
from hushwatt.plan import Appliance, SlotLength

SLOTS = 21
MINUTES = {"slot": SlotLength(60, "s"), "expires": datetime(2024, 1, 1, 4, 20, tzinfo=UTC)}  # stretches of 5 minutes


@pytest.fixture
def shared_home(folder, monkeypatch):
    def make(method="lbu", **fields):
        two = (Appliance.of("dishwasher", [20, 60, 200]), Appliance.of("oven", [50, 100]))
        usual = {"appliances": two, "share_results": True, "window": 4, "epsilon": 4_000_000, "mapping": "range"}
        counts = {} if method == "lba" else {"appliances_per_report": 1}
        plan = plan_for(random.Random(3), method, **{**usual, **counts, **MINUTES, **fields})
        provider = RecordingProvider(plan)
        provider.results = published(plan, 14)
        return SharedHome(folder, plan, provider, monkeypatch)

    return make


def hourly(slot, place):
    return 37.5 if place == 0 else 400 * (slot % 3)


@pytest.mark.parametrize("method, unmeasured", [("lbu", "zero"), ("lba", "answer"), ("lpu", "answer")])
def test_on_or_off_not_a_byte_is_another(shared_home, method, unmeasured):
    """Two lives with the same chances, clock and readings: requests, headers and times are alike, the disks are not."""
    home = shared_home(method, unmeasured=unmeasured)
    rows, length = readings(home.plan, SLOTS, hourly), SLOTS * 60 + 30
    without, quiet = home.live("off", length, rows)
    kept, heard = home.live("on", length, rows, on=True)

    assert heard == quiet
    assert sum(b"/results HTTP" in raw for _, raw in heard) >= 3
    assert sum(b"/reports HTTP" in raw for _, raw in heard) >= SLOTS // 4 - 1
    assert not (without.path / FILE).exists()
    assert (kept.path / FILE).stat().st_mode & 0o777 == 0o600
    now = heard[-1][0]
    with kept.store() as here, without.store() as there:
        own = {each.appliance: each.own_watts for each in comparisons(here, home.plan, now)}
        assert own["dishwasher"] == 40.0  # the watts that stand for its level
        assert [each.own_watts for each in comparisons(there, home.plan, now)] == [None, None]
        assert [each.low for each in comparisons(there, home.plan, now)] == [24.0, 24.0]


def test_nothing_at_home_moves_a_fetch(shared_home):
    """Other readings, other chances in all but the offset, comparison on: results are asked for at the same times."""
    home = shared_home(unmeasured="answer")
    length = SLOTS * 60
    asked = []
    for name, rows, on in (("still", "", False), ("busy", readings(home.plan, SLOTS, lambda *_: 900), True)):
        _, heard = home.live(name, length, rows, on)
        asked.append([time for time, raw in heard if b"/results HTTP" in raw])

    assert asked[0] == asked[1] != []
    gaps = {later - earlier for earlier, later in pairwise(asked[0])}
    assert gaps == {300 * 10**9}


def test_a_fetch_names_nobody(shared_home):
    """No device, no key, no signature, no cookie: a nonce is all there is."""
    home = shared_home()
    _, heard = home.live("home", 900)
    fetches = [raw for _, raw in heard if b"/results HTTP" in raw]
    names = {line.split(b":")[0].lower() for raw in fetches for line in raw.split(b"\r\n")[1:] if line}

    assert names == {b"host", b"user-agent", b"accept-encoding", b"hushwatt-nonce"}
