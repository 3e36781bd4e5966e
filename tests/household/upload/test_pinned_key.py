"""Every errand, the first time and every later one, is for the holder of the pinned key alone."""

from contextlib import suppress
from dataclasses import replace

import pytest
from tests.household.answering import ADDRESS, KEY, OTHER, THIRD, FakeProvider, vouched
from tests.household.living import NO_CAPS, fresh_store

from hushwatt.errors import HushwattError
from hushwatt.household import leave as errands
from hushwatt.household.join import agree, pinned_key, propose, taking_part
from hushwatt.household.leave import leave
from hushwatt.household.renew import renew
from hushwatt.household.upload.outbox import Outbox
from hushwatt.household.upload.provider_client import WrongProvider, choose_plan
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.entropy import OperatingSystem
from hushwatt.wire.payload import Layout
from hushwatt.wire.proof import NONCE_HEADER
from hushwatt.wire.signature import public_bytes

NOW = 10**18  # after any slot of these tests
HISTORIES = {
    "none": [],
    "of strangers": [vouched(THIRD, OTHER)],
    "of strangers, from the pinned key": [vouched(KEY, THIRD, by=OTHER), vouched(THIRD, OTHER)],
    "backwards": [vouched(OTHER, KEY)],
    "to another": [vouched(KEY, THIRD)],
    "out of order": [vouched(THIRD, OTHER), vouched(KEY, THIRD)],
}


class Owner:
    """A home that takes part in one plan, and its errands."""

    def __init__(self, store, plan, server, monkeypatch):
        self.store, self.plan, self.server, self.said = store, plan, server, []
        self.outbox = Outbox(store, OperatingSystem(), self.said.append, server.provider_client)
        monkeypatch.setattr(errands, "ProviderClient", server.provider_client)
        self.slot = 0
        self.join(self.offer())

    def list(self):
        choose_plan(self.server.provider_client(), None, pinned_key(self.store, ADDRESS))

    def offer(self):
        return propose(self.store, NO_CAPS, self.server.provider_client(), self.plan.id)

    def join(self, proposal):
        agree(self.store, proposal, "words", "code", nanoseconds(self.plan.start), OperatingSystem())

    def fill(self):
        """One more report waits, and is due."""
        row = (self.slot, bytes(Layout.of(self.plan).size))
        self.store.disk.execute("INSERT INTO reports VALUES (1, ?, 1, 1, ?, 0, 0, NULL)", row)
        self.slot += 1

    def upload(self):
        self.outbox.send(NOW)
        if self.said:
            raise WrongProvider(self.said[-1])

    def leave(self):
        leave(self.store, None, NOW)


def prepared(owner, errand):
    """The errand itself; all that comes before it is done with whoever is there now."""
    if errand == "upload":
        owner.fill()
    elif errand == "join again":
        owner.leave()
        proposal = owner.offer()
        return lambda: owner.join(proposal)
    elif errand == "look again":
        with suppress(HushwattError):
            owner.leave()
        return owner.offer
    elif errand == "leave" and not owner.store.value("SELECT device FROM plans"):
        owner.join(owner.offer())
    return getattr(owner, errand)


ERRANDS = ("list", "offer", "upload", "leave", "join again", "look again")


@pytest.fixture
def owner(plan_of, monkeypatch):
    plan = plan_of(3, 3)
    with fresh_store() as store:
        yield Owner(store, plan, FakeProvider((plan,), KEY), monkeypatch)


@pytest.mark.parametrize("history", HISTORIES)
@pytest.mark.parametrize("before", [0, 1])
@pytest.mark.parametrize("errand", ERRANDS)
def test_another_key_is_never_believed(owner, errand, before, history):
    """Whatever went well before, who has another key is told nothing and changes nothing."""
    for _ in range(before):
        prepared(owner, errand)()
    step = prepared(owner, errand)
    kept = owner.store.rows("SELECT provider, device, secret FROM plans"), waiting(owner)
    owner.server.requests.clear()
    owner.server.key, owner.server.history = OTHER, HISTORIES[history]

    with pytest.raises(WrongProvider, match="another key"):
        step()

    assert {request.method for request in owner.server.requests} == {"GET"}
    assert (owner.store.rows("SELECT provider, device, secret FROM plans"), waiting(owner)) == kept
    assert pinned_key(owner.store, ADDRESS) == public_bytes(KEY)


@pytest.mark.parametrize("errand", ERRANDS)
@pytest.mark.parametrize("steps", [[(KEY, OTHER)], [(KEY, THIRD), (THIRD, OTHER)]])
def test_a_key_that_follows_is_believed(owner, errand, steps):
    """A chain of words from the pinned key to the new one, of any length."""
    step = prepared(owner, errand)
    owner.server.key, owner.server.history = OTHER, [vouched(*each) for each in steps]

    step()

    assert waiting(owner) == 0


@pytest.fixture
def two_plans(plan_of, monkeypatch):
    """A home that took part in two plans of one provider, and left the later one."""
    first, second = (replace(plan_of(3, 3), name=name) for name in ("first", "second"))
    with fresh_store() as store:
        owner = Owner(store, first, FakeProvider((first, second), KEY), monkeypatch)
        owner.plan = second
        owner.join(owner.offer())
        leave(store, second.id, NOW)
        yield owner, first, second


def agree_anew(owner, plan, key):
    """The owner sees another key, and agrees to it for a plan that the home is in."""
    owner.server.key = key
    proposal = propose(owner.store, NO_CAPS, owner.server.provider_client(), plan.id, public_bytes(key))
    renew(owner.store, proposal, "again", "code", NOW, OperatingSystem())


def test_a_plan_that_was_left_does_not_pin_against_the_last_consent(two_plans):
    """The provider lost its key; what the owner agreed to since holds for every plan of it."""
    owner, first, second = two_plans
    agree_anew(owner, first, OTHER)

    assert pinned_key(owner.store, ADDRESS) == public_bytes(OTHER)
    assert owner.offer().offer.key == public_bytes(OTHER)
    assert owner.store.value("SELECT provider FROM plans WHERE plan = ?", (second.id,)) == public_bytes(KEY)


def test_a_key_that_nobody_agreed_to_is_refused_all_the_same(two_plans):
    """Neither the key that was given up, nor a third one, with one plan left or with both."""
    owner, first, _ = two_plans
    agree_anew(owner, first, OTHER)
    for leaving in (False, True):
        owner.server.key = OTHER
        if leaving:
            leave(owner.store, first.id, NOW)
        for key in (KEY, THIRD):
            owner.server.key = key
            with pytest.raises(WrongProvider, match="another key"):
                owner.offer()
        assert pinned_key(owner.store, ADDRESS) == public_bytes(OTHER)


def test_a_nonce_is_used_once(owner):
    """No two questions of a home share one, whatever they ask and over whichever connection."""
    for errand in (*ERRANDS, *ERRANDS):
        prepared(owner, errand)()
        if not taking(owner):
            owner.join(owner.offer())

    nonces = [request.headers[NONCE_HEADER] for request in owner.server.requests]

    assert len(nonces) > 20
    assert len(set(nonces)) == len(nonces)
    assert {len(nonce) for nonce in nonces} == {64}


def waiting(owner):
    return owner.store.value("SELECT count(*) FROM reports WHERE due IS NOT NULL")


def taking(owner):
    with suppress(HushwattError):
        return taking_part(owner.store)
    return []
