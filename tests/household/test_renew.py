"""A place taken anew and an address that changed: by the owner's word, and never with fresh budget."""

import time
from dataclasses import replace

import pytest
from tests.household.living import NO_CAPS
from tests.household.serving import Provider, plan_text

from hushwatt.household.join import agree, pause, propose, taking_part
from hushwatt.household.leave import leave, left_without_erasure
from hushwatt.household.ledger.store import Store
from hushwatt.household.renew import known_provider, move_address, renew
from hushwatt.household.upload.delivery_note import note_failure, read_note
from hushwatt.household.upload.http import Unreachable
from hushwatt.household.upload.provider_client import ProviderClient, WrongProvider
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import OperatingSystem

CAPS = replace(NO_CAPS, smallest_minimum_homes=10)


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    """A provider with two plans of one name, and another provider with the first of them."""
    folder = tmp_path_factory.mktemp("town")
    began, others = plan_text(), tmp_path_factory.mktemp("others")
    one, other = Provider(folder, began, began.replace("window = 3", "window = 4")), Provider(others, began)
    one.start()
    other.start()
    yield one, other
    one.stop()
    other.stop()


@pytest.fixture
def store(folder):
    with Store(folder / "ledger.sqlite") as opened:
        yield opened


@pytest.fixture
def plan(town, store):
    """The plan of a home that takes part."""
    plan = Plan.load(town[0].plans[0])
    agree(store, shown(store, town[0], plan), "words", None, time.time_ns(), OperatingSystem())
    return plan


def shown(store, provider, plan):
    client = ProviderClient(provider.address)
    return propose(store, CAPS, client, plan.id, client.offer(plan.id).key, time.time_ns())


def test_a_place_is_taken_anew_and_nothing_else_changes(store, town, plan):
    """A pause stays, spends stay, the slot stays, and the consent to the other key is written down."""
    with store.transaction() as disk:
        disk.execute("INSERT INTO spends (place, slot, purpose, start, end, amount) VALUES (1, 1, 'lost', 0, 1, 7)")
    pause(store, None, 5)
    before = taking_part(store)[0]
    renew(store, shown(store, town[1], plan), "asked again", None, time.time_ns(), OperatingSystem())
    after = taking_part(store)[0]

    assert after["provider"] != before["provider"]
    assert after["address"] == town[1].address
    assert (after["slot"], after["paused"], after["secret"]) == (before["slot"], 5, before["secret"])
    assert store.value("SELECT sum(amount) FROM spends") == 7
    assert store.value("SELECT count(*) FROM consents WHERE words = 'asked again'") == 1


def test_what_waited_is_sent_soon(store, town, plan):
    """What was tried before is due at once, and nothing is said to be wrong any more; what is fresh keeps its time."""
    with store.transaction() as disk:
        row = "INSERT INTO reports (place, slot, spent, drawn, payload, due, tries) VALUES (1, ?, 1, 1, x'00', 99, ?)"
        disk.execute(row, (1, 3))
        disk.execute(row, (2, 0))
    note_failure(store, 1, Unreachable("away"), 5)
    move_address(store, plan.id, ProviderClient(f"http://localhost:{town[0].port}"), 9)

    assert store.rows("SELECT slot, due FROM reports ORDER BY slot") == [{"slot": 1, "due": 9}, {"slot": 2, "due": 99}]
    assert read_note(store, 1) is None


def test_a_plan_of_the_same_name_is_not_left_by_it(store, town, plan):
    """Only joining lets one plan take the place of another."""
    other = Plan.load(town[0].plans[1])
    alone = replace(shown(store, town[0], other), replaces=None)
    agree(store, alone, "words", None, time.time_ns(), OperatingSystem())
    renew(store, shown(store, town[0], plan), "asked again", None, time.time_ns(), OperatingSystem())

    assert {row["plan"] for row in taking_part(store)} == {plan.id, other.id}


def test_an_address_changes_where_the_same_key_is_shown(store, town, plan):
    """By another name of the same machine; what else answers is not believed, and changes nothing."""
    key = known_provider(store, plan.id)[1]
    move_address(store, plan.id, ProviderClient(f"http://localhost:{town[0].port}"), 9)
    moved = known_provider(store, plan.id)
    with pytest.raises(WrongProvider):
        move_address(store, plan.id, ProviderClient(town[1].address), 9)
    with pytest.raises(Unreachable):
        move_address(store, plan.id, ProviderClient("http://127.0.0.1:1"), 9)

    assert moved == known_provider(store, plan.id) == (f"http://localhost:{town[0].port}", key)


def test_a_plan_left_out_of_reach_waits_for_its_erasure(store, town, plan):
    """It is listed until the provider was asked, and no longer."""
    with store.transaction() as disk:
        disk.execute("UPDATE plans SET address = 'http://127.0.0.1:1'")
    with pytest.raises(Unreachable):
        leave(store, plan.id, time.time_ns())
    waiting = left_without_erasure(store)
    with store.transaction() as disk:
        disk.execute("UPDATE plans SET address = ?", (town[0].address,))
    leave(store, plan.id, time.time_ns())

    assert waiting == [plan]
    assert left_without_erasure(store) == []


def test_joining_again_ends_the_wait(store, town, plan):
    """Who takes part again has nothing to be erased."""
    with store.transaction() as disk:
        disk.execute("UPDATE plans SET address = 'http://127.0.0.1:1'")
    with pytest.raises(Unreachable):
        leave(store, plan.id, time.time_ns())
    agree(store, shown(store, town[0], plan), "words", None, time.time_ns(), OperatingSystem())

    assert left_without_erasure(store) == []
