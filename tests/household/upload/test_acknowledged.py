"""A report is over when the provider has said so of this very report, and waits until then."""

import pytest
from tests.household.answering import KEY, FakeProvider
from tests.household.living import fresh_store, join

from hushwatt.household.upload import outbox
from hushwatt.household.upload.backoff import MAX_BACKOFF, MIN_BACKOFF
from hushwatt.household.upload.http import Unreachable
from hushwatt.household.upload.outbox import Outbox
from hushwatt.privacy.entropy import OperatingSystem
from hushwatt.wire.signature import public_bytes

NOW = 10**18
LATER = NOW + 1


@pytest.fixture
def sending(plan_of, monkeypatch):
    """Two plans with seven reports each, of which uploads take three at a time; the last is not due yet."""
    monkeypatch.setattr(outbox, "BATCH_RECORDS", 3)
    plans = plan_of(3, 3), plan_of(3, 3, name="another")
    server, said = FakeProvider(plans, KEY), []
    with fresh_store() as store:
        for plan in plans:
            join(store, plan)
        store.disk.execute("UPDATE plans SET provider = ?, secret = ?", (public_bytes(KEY), bytes(32)))
        rows = [(place, slot, LATER if slot == 6 else 0) for place in (1, 2) for slot in range(7)]
        store.disk.executemany("INSERT INTO reports VALUES (?, ?, 1, 1, x'00', ?, 0, NULL)", rows)
        yield store, server, Outbox(store, OperatingSystem(), said.append, server.provider_client), said


def states(store, place=1):
    """Of every slot: when it is due, what was answered, and how often it was tried."""
    rows = store.rows("SELECT slot, due, answer, tries FROM reports WHERE place = ? ORDER BY slot", (place,))
    return {row["slot"]: (row["due"], row["answer"], row["tries"]) for row in rows}


def test_only_what_was_sent_is_over(sending):
    """One upload is about three reports of a plan: the others wait, and go in the next."""
    store, server, box, _ = sending
    box.send(NOW)
    once = states(store)
    box.send(NOW)

    assert once == {slot: (None, "accepted", 1) if slot < 3 else (0, None, 0) for slot in range(6)} | {
        6: (LATER, None, 0)
    }
    assert states(store) == dict.fromkeys(range(6), (None, "accepted", 1)) | {6: (LATER, None, 0)}
    assert [server.slots_in(body) for body in server.uploads] == [[0, 1, 2], [0, 1, 2], [3, 4, 5], [3, 4, 5]]


def test_each_report_has_its_own_answer(sending):
    """A refusal is about one report, for good or until it is time, and about no neighbour."""
    store, server, box, said = sending
    server.reasons = {0: "too_late", 2: "too_early"}
    box.send(NOW)
    found = states(store)
    server.reasons = {}
    box.send(NOW + MAX_BACKOFF)

    assert [found[slot] for slot in range(4)] == [
        (None, "too_late", 1),
        (None, "accepted", 1),
        (NOW + MAX_BACKOFF, "too_early", 1),
        (0, None, 0),
    ]
    assert [server.slots_in(body) for body in server.uploads[2:]] == [[2, 3, 4], [2, 3, 4]]
    assert states(store)[2] == (None, "accepted", 2)
    assert len(said) == 2
    assert all("refused a report: too_early, too_late" in line for line in said)


def test_what_fails_waits_whole(sending, monkeypatch):
    """When no answer comes, no report of that plan is over, and none of the other plan waits for it."""
    store, server, box, said = sending
    ask, broken = server.ask, []

    def fail(method, path, *more):
        if path.endswith("/reports") and not broken:
            broken.append(path)
            raise Unreachable("gone")
        return ask(method, path, *more)

    monkeypatch.setattr(server, "ask", fail)
    box.send(NOW)
    first, second = states(store, 1), states(store, 2)

    assert all(NOW + MIN_BACKOFF // 2 <= first[slot][0] <= NOW + MIN_BACKOFF for slot in range(6))
    assert {first[slot][1:] for slot in range(6)} == {(None, 1)}
    assert first[6] == (LATER, None, 0)
    assert [second[slot][1] for slot in range(4)] == ["accepted"] * 3 + [None]
    assert len(said) == 1
    box.send(NOW + MIN_BACKOFF)
    assert [states(store)[slot][1] for slot in range(4)] == ["accepted"] * 3 + [None]
