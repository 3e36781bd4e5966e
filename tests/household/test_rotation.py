"""Turns and orders at home: as offered, kept through everything, and never refused."""

import json

import numpy as np
import pytest
from tests.household.living import NO_CAPS, fresh_store, join

from hushwatt.audit.harness.fake_provider import FakeProvider
from hushwatt.household.join import agree, propose, taking_part
from hushwatt.household.ledger.home_ledger import HomeLedger
from hushwatt.household.membership import Membership
from hushwatt.household.report.homes import enrol, walked_by_cursor
from hushwatt.household.report.serialise import dump_home, load_home, strategy_of
from hushwatt.household.upload.provider_client import ProviderRefused
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.entropy import OperatingSystem, Simulation
from hushwatt.privacy.ledger import Ledger
from hushwatt.privacy.rotation import order_of
from hushwatt.provider.checks.rotation import IN_PLACE, Rotations
from hushwatt.wire.payload import Layout

CAPS = NO_CAPS
METHODS = ["lbu", "lsp", "lpu"]
ONE = np.array([0])


@pytest.fixture
def plan(plan_of):
    fields = {"window": 4, "appliances_per_report": 2, "minimum_homes": 10}
    return plan_of(2, 2, 2, 2, 2, method="lpu", oracle="grr", **fields)


def joined(store, plan, **told):
    """Agree to a plan of a provider that tells these things about the new device."""
    provider = FakeProvider((plan,), enrolment=told)
    proposal = propose(store, CAPS, provider.provider_client("https://provider.example"), plan.id)
    agree(store, proposal, "words", None, nanoseconds(plan.start), OperatingSystem())
    row = taking_part(store)[0]
    return load_home(plan, row["slot"], row["memory"], Ledger.of(plan, 1))


def phase(homes):
    return (homes.slot + strategy_of(homes).wait) % homes.plan.window


def device(number):
    return bytes([number] * 16).hex()


@pytest.mark.parametrize("turn", range(4))
def test_the_turn_offered_is_taken(plan, turn):
    """The home speaks at that turn, in the order that belongs to its device."""
    with fresh_store() as store:
        homes = joined(store, plan, device=device(7), turn=turn)

        assert phase(homes) == turn
        assert homes.order[0].tolist() == order_of(plan, bytes([7] * 16)).tolist()


def test_an_older_provider_offers_none(plan):
    """Without an offer the home draws its own turn and order."""
    orders = []
    for _ in range(5):  # all alike: once in 10⁸
        with fresh_store() as store:
            orders.append(tuple(joined(store, plan, device=device(7)).order[0].tolist()))

    assert all(sorted(order) == [0, 1, 2, 3, 4] for order in orders)
    assert len(set(orders)) > 1


@pytest.mark.parametrize("turn", [-1, 4, 2.0, True, "1", [1], 10**30])
def test_a_turn_that_is_none(plan, turn):
    """Whatever else a provider says is refused."""
    with fresh_store() as store, pytest.raises(ProviderRefused, match="a turn that the plan does not have"):
        joined(store, plan, device=device(7), turn=turn)


def test_another_device_has_another_place(plan):
    """Left and joined again, the home takes the new turn and order; its slot and its spends stay."""
    with fresh_store() as store:
        joined(store, plan, device=device(1), turn=1)
        store.disk.execute("UPDATE plans SET slot = 41, left = 5, device = NULL, secret = NULL")
        homes = joined(store, plan, device=device(2), turn=2)

        assert homes.slot == 41
        assert phase(homes) == 2
        assert homes.order[0].tolist() == order_of(plan, bytes([2] * 16)).tolist()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("away", range(4))
def test_another_device_says_nothing_of_the_old_one(plan_of, method, away):
    """After it joined again a home asks by the new order only: no repeat of what the old device said."""
    plan = plan_of(2, 2, 2, 2, 2, method=method, oracle="grr", window=4, appliances_per_report=2, minimum_homes=10)
    turns = {"turn": 1 if method == "lpu" else None}
    with fresh_store() as store:
        joined(store, plan, device=device(1), **turns)
        lived(store, plan, 6 + away)
        store.disk.execute("UPDATE plans SET left = 5, device = NULL, secret = NULL")
        joined(store, plan, device=device(2), **turns)
        lived(store, plan, 12)
        order, heard = order_of(plan, bytes([2] * 16)), 0
        for row in store.rows("SELECT slot, payload FROM reports WHERE slot >= ?", (7 + away,)):
            first = (row["slot"] if method == "lbu" else row["slot"] // 4) * 2
            named = Layout.of(plan).members(np.frombuffer(row["payload"], dtype=np.uint8)[None, :])
            assert named[0].tolist() == sorted(order[(first + step) % 5] for step in range(2))
            heard += 1

        assert heard >= {"lbu": 12, "lsp": 8, "lpu": 3}[method]


def lived(store, plan, slots):
    member = Membership(plan, 1, HomeLedger(store, NO_CAPS), OperatingSystem())
    for _ in range(slots):
        member.report_slot(np.zeros(len(plan.appliances)), due=0)


def test_the_same_device_keeps_its_place(plan):
    """A home that could not leave goes on as it was, whatever it is offered: it is held to what it said."""
    with fresh_store() as store:
        before = joined(store, plan, device=device(1))
        store.disk.execute("UPDATE plans SET left = 5")
        after = joined(store, plan, device=device(1), turn=(phase(before) + 1) % 4)

        assert dump_home(after) == dump_home(before)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("appliances", "asked"), [(5, 1), (5, 2), (6, 2), (4, 3)])
def test_the_provider_refuses_nothing(plan_of, method, appliances, asked):
    """Paused, lost and capped slots, restarts, and ledgers that are put back: every report is in place."""
    plan = plan_of(*[2] * appliances, method=method, oracle="grr", window=3, appliances_per_report=asked)
    chance, known, heard = np.random.default_rng(5), Rotations(plan, 1), 0
    with fresh_store() as store:
        member = Membership(plan, join(store, plan), HomeLedger(store, NO_CAPS), Simulation(3, "home"))
        while member.slot < 150:
            kind, slot = chance.integers(0, 8), member.slot
            if kind == 0:
                member.skip_slots(slot + int(chance.integers(0, 5)), "paused")
            elif kind == 1:
                member.charge_lost_slots(slot + int(chance.integers(0, 5)), "away", unseen=int(chance.integers(2)))
            elif kind == 2:
                member.reload()
            else:
                member.report_slot(np.zeros(appliances), due=0)
        for row in store.rows("SELECT slot, payload FROM reports ORDER BY slot"):
            payload = np.frombuffer(row["payload"], dtype=np.uint8)[None, :]
            assert known.judge(row["slot"], ONE, payload) == IN_PLACE
            heard += 1

    assert heard > (5 if method == "lpu" else 20)


@pytest.mark.parametrize("method", METHODS)
def test_an_older_memory_goes_on(plan_of, method):
    """A home that counted its draws asks, turn after turn, what it would have asked."""
    plan = plan_of(2, 2, 2, 2, 2, method=method, oracle="grr", window=3, appliances_per_report=2)
    homes = enrol(plan, 1, 0, Simulation(1, "home"))
    homes.skip_to(7)
    order, cursor = homes.order[0].tolist(), 3
    memory = json.loads(dump_home(homes)) | {"cursor": cursor}

    again = load_home(plan, 7, json.dumps(memory), Ledger.of(plan, 1))

    assert "cursor" not in json.loads(dump_home(again))
    for turn in range(4):
        again.skip_to(7 + strategy_of(again).wait if method != "lbu" else 7 + turn)
        while not strategy_of(again).offer():
            again.skip_to(again.slot + 1)
        expected = sorted(order[(cursor + 2 * turn + step) % 5] for step in range(2))
        assert again.next_members(ONE)[0].tolist() == expected
        again.skip_to(again.slot + 1)


def test_an_older_fleet_goes_on(plan_of):
    """The same for many homes with turns of their own."""
    plan = plan_of(2, 2, 2, 2, 2, method="lpu", window=4, appliances_per_report=2)
    homes = enrol(plan, 50, 6, Simulation(1, "homes"))
    orders, cursors = homes.order.copy(), np.arange(50) % 5

    walked_by_cursor(homes, cursors)

    for _ in range(8):
        who = np.flatnonzero(homes.strategies.offers())
        places = (cursors[who, None] + np.arange(2)) % 5
        assert (homes.next_members(who) == np.sort(orders[who[:, None], places], axis=1)).all()
        cursors[who] += 2
        homes.skip_to(homes.slot + 1)


def test_whoever_misses_a_draw_keeps_silent(plan_of):
    """LSP: after a gap with a draw in it, nothing of an older turn is sent as if it were of this one."""
    from hushwatt.household.report.report import report

    plan = plan_of(2, 2, method="lsp", window=4)
    homes, levels = enrol(plan, 3, 0, Simulation(1, "homes")), np.zeros((3, 2), dtype=np.uint16)
    source = Simulation(2, "draws")

    heard = [len(report(homes, slot, levels, source).homes) for slot in (0, 1, 2, 5, 7, 8, 9, 12)]

    assert heard == [3, 3, 3, 0, 0, 3, 3, 3]
