"""Homes that joined before there were caps on a lifetime: what their owners agreed to goes on, and is said."""

import random
from dataclasses import replace

import apsw
import pytest
from tests.household.living import TURN, FixedReadings, HomeUnderTest, join, plan_for

from hushwatt.audit.harness.fake_provider import KEY, FakeProvider
from hushwatt.audit.harness.home_under_test import SeededSource
from hushwatt.audit.harness.released import total_cost
from hushwatt.household.join import agree, propose
from hushwatt.household.ledger.caps import AMOUNTS, Caps
from hushwatt.household.ledger.high_water_mark import ProcessMark
from hushwatt.household.ledger.store import MIGRATIONS, SCHEMA, Store
from hushwatt.household.membership import first_memory
from hushwatt.household.page.data import OwnerPageData
from hushwatt.household.page.view import home_page
from hushwatt.household.status import cap_objections, meters, plan_statuses
from hushwatt.household.successor import objections
from hushwatt.plan.amounts import MICRO
from hushwatt.privacy.entropy import OperatingSystem
from hushwatt.wire.signature import public_bytes

EARLIER = "ε 2000 in a year, no limit for a lifetime"


@pytest.fixture
def plan():
    return plan_for(random.Random(1), "lbu", epsilon=9 * MICRO, window=300, appliances_per_report=1, minimum_homes=10)


@pytest.fixture
def path(folder, plan):
    """A ledger of the format before: a plan that the home takes part in, and ε 150 that it spent under it."""
    path = folder / "ledger.sqlite"
    disk = apsw.Connection(str(path))
    disk.execute(SCHEMA + MIGRATIONS[0])
    disk.execute("INSERT INTO home VALUES ('home', 'a home')")
    slot, memory = first_memory(plan, 0, OperatingSystem())
    disk.execute(
        "INSERT INTO plans (plan, canonical, address, provider, joined, device, secret, slot, memory) "
        "VALUES (?, ?, 'http://127.0.0.1', ?, 0, ?, ?, ?, ?)",
        (plan.id, plan.canonical(), public_bytes(KEY), bytes(16), bytes(32), slot, memory),
    )
    for members in (None, b"\x00\x00", b"\x00\x00"):
        disk.execute(
            "INSERT INTO spends VALUES (1, -9000, 'publication', 0, 1, ?, ?, NULL, NULL)", (50 * MICRO, members)
        )
    disk.execute("PRAGMA user_version = 2")
    disk.close()
    return path


def home_of(path, caps):
    home = HomeUnderTest(path, SeededSource(1), caps=caps, readings=FixedReadings(1.0), mark=ProcessMark())
    home.clock.advance(1)
    return home


def test_totals_begin_with_what_was_spent(path):
    """Nothing that an older ledger knows is forgotten."""
    with Store(path) as store:
        rows = store.rows("SELECT members, amount FROM totals ORDER BY amount")

        assert [(row["members"], row["amount"]) for row in rows] == [(b"", 50 * MICRO), (b"\x00\x00", 100 * MICRO)]


def test_it_goes_on_speaking_and_says_why(path, plan):
    """Neither the new year nor a lifetime silences it; log, status and page say what goes on."""
    home = home_of(path, Caps(epsilon_per_day=900 * MICRO, appliance_epsilon=900 * MICRO))
    home.live(800 * TURN, TURN)
    now = home.clock.wall
    every = plan_statuses(home.store, now)
    page = home_page(OwnerPageData(home.store, home.caps, now, {}, [], "token"))
    year, life = meters(home.store, home.caps, now)[1:]
    home.switch_off()

    assert total_cost(home.released) > 20 * MICRO
    assert every[0].state == "taking part"
    assert every[0].agreed_before
    assert [line for line in home.said if EARLIER in line] == home.said
    assert len(home.said) == 1
    assert page.count(EARLIER) == 1
    assert not any("_year" in line for line in cap_objections(home.caps, every)[plan.id])
    assert (year.cap, life.cap) == (2_000 * MICRO, 0)


@pytest.mark.parametrize(
    "named", [{"epsilon_per_year": 20}, {"epsilon_lifetime": 160}, {"appliance_epsilon_lifetime": 152}]
)
def test_what_the_owner_writes_binds_it(path, named):
    """A cap in the file holds for every plan, also where it is the default of today."""
    usual = {"epsilon_per_day": 50, "appliance_epsilon": 50}
    home = home_of(path, Caps.of({**usual, **named}))
    home.live(800 * TURN, TURN)
    spent = total_cost(home.released)
    retired = plan_statuses(home.store, home.clock.wall)[0].retired
    home.switch_off()

    assert spent <= 20 * MICRO
    assert (retired is not None) == ("epsilon_per_year" not in named)


def test_another_plan_of_the_same_home_gets_todays_caps(path, plan):
    """What is joined now is weighed by the caps of now, and held to them, with all that was spent before."""
    home = home_of(path, Caps(epsilon_per_day=900 * MICRO, appliance_epsilon=900 * MICRO))
    other = plan_for(random.Random(9), "lbu", epsilon=MICRO, window=60_000)
    with Store(path) as store:
        proposal = propose(store, Caps(), FakeProvider((other,)).provider_client(), other.id)
    place = join(home.store, other, source=home.source)
    home.live(5 * TURN, TURN)
    home.switch_off()

    assert {each.cap for each in proposal.objections} >= {"epsilon_lifetime", "appliance_epsilon_lifetime"}
    assert home.slots(1)
    assert home.slots(place) == []
    assert any("has retired from" in line and other.name in line for line in home.said)


def test_a_successor_is_weighed_by_todays_caps(path, plan):
    """A plan that asks as much as the one before is not followed by itself, and the owner is told why."""
    new = replace(plan, name="new", replaces=plan.id)
    with Store(path) as store:
        reasons = objections(store, Caps(follow_successors=True), plan, new, 0)

    assert reasons
    assert all(line.startswith("beyond your caps: ") for line in reasons)
    assert any("epsilon_per_year is 20" in line for line in reasons)


def test_agreeing_anew_is_agreeing_to_todays_caps(path, plan):
    """After leaving and joining again, what is default now holds."""
    low = ("epsilon_per_day", "epsilon_per_year", "appliance_epsilon", "appliance_epsilon_per_year")
    caps, wide = (Caps.of(dict.fromkeys(names, 90_000)) for names in (low, AMOUNTS))
    with Store(path) as store:
        store.disk.execute("UPDATE plans SET left = 1, device = NULL")
        client = FakeProvider((plan,)).provider_client()
        refused, allowed = (propose(store, each, client, plan.id) for each in (caps, wide))
        agree(store, allowed, "words", None, 0, OperatingSystem())

        assert [each.cap for each in refused.objections] == ["epsilon_lifetime", "appliance_epsilon_lifetime"]
        assert not plan_statuses(store, 0)[0].agreed_before
