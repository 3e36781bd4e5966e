"""A home's own means: on its disk only where the owner wants them, and of what was measured alone."""

import json
import random
import stat
from dataclasses import replace
from math import nan

import numpy as np
import pytest
from tests.household.living import join

from hushwatt.audit.harness.plans import plan_for
from hushwatt.household.ledger.store import Store
from hushwatt.household.private_files import restrict_to_owner
from hushwatt.household.results.own_means import (
    FILE,
    MAX_PENDING,
    OwnMeans,
    as_published,
    forget_plan,
    load,
    own_sum,
    set_wanted,
)
from hushwatt.plan import Appliance
from hushwatt.plan.sharing import SlotRange, stretches

TWO = (Appliance.of("kettle", [100, 200]), Appliance.of("oven", [100, 200]))
PLAN = plan_for(random.Random(1), "lbu", share_results=True, mapping="range", unmeasured="zero", appliances=TWO)
PLAN = replace(PLAN, appliances_per_report=2)
WEEK = stretches(PLAN).length


@pytest.fixture
def store(folder):
    with Store(folder / "ledger.sqlite") as store:
        join(store, PLAN)
        yield store


def added(store, *slots, plan=PLAN, watts=(150.0, 50.0), measured=(True, True)):
    own = OwnMeans(store)
    for slot in slots:
        own.add(plan, slot, np.array(watts), measured)
    own.keep()
    return own


def test_nothing_is_kept_unless_it_is_wanted(store, folder):
    """No file, and nothing left in memory that could be written later."""
    own = added(store, 0, 1, 2)
    set_wanted(store, True)
    own.keep()

    assert not (folder / FILE).exists()
    assert not own.pending


def test_sums_are_of_stretches(store, folder):
    """A sum and a count for each appliance and week: nothing of single slots is in the file."""
    set_wanted(store, True)
    added(store, 0, 1, WEEK)
    added(store, 2)

    assert load(store)[PLAN.id] == {
        "0": {"kettle": [450.0, 3], "oven": [150.0, 3]},
        str(WEEK): {"kettle": [150.0, 1], "oven": [50.0, 1]},
    }
    assert own_sum(load(store), PLAN, "kettle", SlotRange(0, WEEK - 1)) == (450.0, 3)
    assert own_sum(load(store), PLAN, "kettle", SlotRange(0, 4 * WEEK - 1)) == (600.0, 4)
    assert own_sum(load(store), PLAN, "fridge", SlotRange(0, WEEK - 1)) == (0, 0)


def test_what_was_not_measured_is_not_0_watts(store):
    """Whether the plan calls it 0 W or not: it is no reading."""
    set_wanted(store, True)
    added(store, 0, watts=(150.0, 0.0), measured=(True, False))
    added(store, 1, watts=(150.0, nan), measured=(True, False))

    assert load(store)[PLAN.id]["0"] == {"kettle": [300.0, 2]}


def test_the_file_is_the_owners_alone(store, folder):
    """From the first byte on, and again at every start."""
    set_wanted(store, True)
    added(store, 0)
    mode = stat.S_IMODE((folder / FILE).stat().st_mode)
    (folder / FILE).chmod(0o644)
    restrict_to_owner(folder)

    assert mode == stat.S_IMODE((folder / FILE).stat().st_mode) == 0o600


def test_turning_it_off_deletes_them(store, folder):
    """Whatever an agent has in memory, and what a copy brings back, is deleted too."""
    set_wanted(store, True)
    own = added(store, 0)
    copy = (folder / FILE).read_text()
    own.add(PLAN, 1, np.array([1.0, 1.0]), [True, True])
    (folder / f".{FILE}").write_text(copy)  # as after a power loss while it was written
    set_wanted(store, False)
    left = [each.name for each in folder.iterdir() if FILE in each.name]
    own.keep()
    (folder / FILE).write_text(copy)
    own.keep()

    assert left == []
    assert not (folder / FILE).exists()


def test_the_ledger_has_nothing_of_them(store, folder):
    """Its pages hold no mean of this home, whoever makes a copy of it."""
    set_wanted(store, True)
    added(store, 0, watts=(123.456, 50.0), plan=replace(PLAN, mapping="dither"))
    store.disk.pragma("wal_checkpoint(truncate)")

    assert b"123.4" not in (folder / "ledger.sqlite").read_bytes()


def test_a_plan_that_shares_nothing_has_none(store, folder):
    """There is nothing to compare them with."""
    set_wanted(store, True)
    added(store, 0, plan=replace(PLAN, share_results=False))

    assert not (folder / FILE).exists()


def test_a_plan_that_was_left_is_forgotten(store):
    """At once, and when an agent comes upon it later."""
    other = replace(PLAN, name="other")
    place = join(store, other)
    set_wanted(store, True)
    added(store, 0)
    added(store, 0, plan=other)
    store.write_value(f"results {PLAN.id}", "{}")
    forget_plan(store, PLAN.id)
    after = set(load(store))
    with store.transaction() as disk:
        disk.execute("UPDATE plans SET left = 1 WHERE place = ?", (place,))
    added(store, 1)

    assert after == {other.id}
    assert set(load(store)) == {PLAN.id}
    assert store.read_value(f"results {PLAN.id}") is None


def test_a_plan_that_was_left_while_nobody_looked(store):
    """The next start forgets it, although nothing is added."""
    set_wanted(store, True)
    added(store, 0)
    with store.transaction() as disk:
        disk.execute("UPDATE plans SET left = 1")
    OwnMeans(store).keep()

    assert load(store) == {}


def test_a_year_of_stretches_at_most(store):
    """What no result is about any more is deleted."""
    set_wanted(store, True)
    long = replace(PLAN, expires=PLAN.expires.replace(year=2027))
    join(store, long)
    week = stretches(long).length
    added(store, *(week * number for number in range(60)), plan=long)

    assert sorted(map(int, load(store)[long.id])) == [week * number for number in range(8, 60)]


def test_slots_that_nobody_speaks_of_are_not_counted(store):
    """Under lsp homes speak of the first slot of each window, and results are about these."""
    sampled = replace(PLAN, method="lsp", window=4)
    join(store, sampled)
    set_wanted(store, True)
    added(store, *range(9), plan=sampled)

    assert load(store)[sampled.id]["0"]["kettle"] == [450.0, 3]


@pytest.mark.parametrize(
    "mapping, typical, shown",
    [
        ("range", None, (50.0, 150.0, 250.0)),
        ("dither", None, (0.0, 130.0, 200.0)),
        ("dither", 300, (0.0, 130.0, 900.0)),
    ],
)
def test_the_quantity_is_the_published_one(mapping, typical, shown):
    """The level's watts, clipped watts, or real ones where the plan knows what is typical; NaN stays NaN."""
    kettle = Appliance.of("kettle", [100, 200], mapping=mapping, typical_mean=typical and 9, typical_high=typical)
    plan = replace(PLAN, mapping=mapping, appliances=(kettle,), appliances_per_report=1)
    found = [as_published(plan, np.array([watts]))[0] for watts in (0.0, 130.0, 900.0)]

    assert tuple(found) == shown
    assert np.isnan(as_published(plan, np.array([nan]))[0])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"plans": 7}',
        '{"plans": {"a": 7}}',
        '{"plans": {"a": {"x": {}, "0": {"kettle": [1e999, 1], "oven": [1], "tv": [1, 0], "dryer": "1"}}}}',
    ],
)
def test_a_damaged_file_is_none(store, folder, text):
    """It is begun anew, and nothing of it gets through."""
    (folder / FILE).write_text(text)

    assert all(not sums for kept in load(store).values() for sums in kept.values())
    set_wanted(store, True)
    added(store, 0)
    assert json.loads((folder / FILE).read_text())["plans"][PLAN.id]["0"]["kettle"] == [150.0, 1]


def test_an_agent_that_nobody_asks_keeps_little(store):
    """Slots that wait to be kept or forgotten are bounded, and shown in no `repr`."""
    own = OwnMeans(store)
    for slot in range(MAX_PENDING + 5):
        own.add(PLAN, slot, np.array([4321.0, 0.0]), [True, True])

    assert len(own.pending) == MAX_PENDING
    assert "4321" not in repr(own)
