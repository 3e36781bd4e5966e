"""While the store is away Prometheus still hears what is counted, and why; so the right alert fires."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta

import pytest

from hushwatt.provider.api import health
from hushwatt.provider.store.access_tokens import add_token
from hushwatt.provider.store.session import StoreUnavailable


@pytest.fixture
def talk(collecting, plan_of):
    return collecting(plan_of(3, 4), access="token", enrolment="open")


def bearer(talk):
    """A new token, as a header; an older one stops working."""
    with talk.service.database.writing() as session:
        token = add_token(session, "prometheus", talk.now, talk.now + 86400)
    return {"Authorization": f"Bearer {token}"}


def take_away(monkeypatch, talk, seconds=0.0):
    """The store says no to every reader, after a while."""

    @contextmanager
    def away():
        time.sleep(seconds)
        raise StoreUnavailable("the database cannot be reached, or cannot write", "unreachable")
        yield

    monkeypatch.setattr(talk.service.database, "reading", away)


@pytest.mark.parametrize("seconds", [0.0, 0.5], ids=["says no", "is slow to say no"])
def test_counters_are_told_without_the_store(talk, monkeypatch, seconds):
    """Who had a right token sees why writes fail, in time for Prometheus, and no gauge that is out of date."""
    monkeypatch.setattr(health, "STORE_SECONDS", 0.2)
    right = bearer(talk)
    before = talk.client.get("/metrics", headers=right)
    take_away(monkeypatch, talk, seconds)
    talk.service.metrics.store_errors.labels("unreachable").inc()
    began = time.monotonic()
    away = talk.client.get("/metrics", headers=right)

    assert time.monotonic() - began < 0.4
    assert (before.status_code, away.status_code) == (200, 200)
    assert 'hushwatt_store_errors_total{reason="unreachable"} 1.0' in away.text
    assert "hushwatt_homes{" in before.text
    assert "# TYPE hushwatt_homes gauge" not in away.text


def test_strangers_see_nothing_without_the_store(talk, monkeypatch):
    """Without a token, or with one that was never right, there is nothing to see; nor with one that was revoked."""
    revoked = bearer(talk)
    talk.client.get("/metrics", headers=revoked)
    bearer(talk)
    talk.client.get("/metrics", headers=revoked)
    take_away(monkeypatch, talk)

    assert talk.client.get("/metrics").status_code == 401
    for headers in (revoked, {"Authorization": "Bearer hushwatt_wrong"}):
        assert talk.client.get("/metrics", headers=headers).status_code == 503


def publish(talk, _):
    """A slot is due."""
    talk.at_slot(0, late=timedelta(days=2))
    talk.client.portal.start_task_soon(talk.service.publish_due).exception()


ASKERS = {
    "a slot that is due": publish,
    "a login": lambda talk, _: talk.client.post("/login", data={"token": "hushwatt_wrong"}),
    "a home that leaves": lambda talk, home: talk.leave(*home, home[1]),
}


@pytest.mark.parametrize("ask", ASKERS.values(), ids=ASKERS)
def test_nobody_waits_for_a_store_that_another_asks(talk, monkeypatch, ask):
    """A store that answers nobody for seconds holds up who asks it, and no other: liveness is told again and again."""
    home = talk.home()
    talk.send(*home, b"")  # now its signer is known
    take_away(monkeypatch, talk, seconds=2)
    told, began = 0, time.monotonic()
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(ask, talk, home)
        while not asked.done():
            talk.client.get("/healthz")
            told += 1

    assert time.monotonic() - began >= 2
    assert told > 3  # one before, one that had to wait, and one after it, if it held up others
