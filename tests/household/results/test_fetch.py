"""Results are fetched from the pinned key alone, kept, and tried again at the next time."""

import random

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tests.household.results.sharing import published
from tests.household.succeeding import home_of

from hushwatt.audit.harness.fake_provider import proved_answer
from hushwatt.audit.harness.plans import plan_for
from hushwatt.household.clock import SECOND
from hushwatt.household.ledger.caps import DAY
from hushwatt.household.results.fetch import ResultsFetch
from hushwatt.household.results.published import kept_results
from hushwatt.household.upload.http import HttpResponse
from hushwatt.plan.sharing import stretches
from hushwatt.plan.times import nanoseconds

PLAN = plan_for(random.Random(1), share_results=True, mapping="range")
WEEK = stretches(PLAN).length
DAY_9 = nanoseconds(PLAN.start) + 9 * DAY


@pytest.fixture
def living(folder):
    """A home, its provider and its fetches."""
    made = []

    def make(plan=PLAN):
        home, provider = home_of(folder, plan)
        provider.results = published(plan, WEEK) if plan.share_results else []
        made.append(home)
        fetch = ResultsFetch(home.store, home.source.stream("fetch"), home.said.append, home.client)
        return home, provider, fetch

    yield make
    for home in made:
        home.switch_off()


def days(fetch, first, last):
    for hour in range(24 * first, 24 * last):
        fetch.look(nanoseconds(PLAN.start) + hour * 3_600 * SECOND)


def asked(provider):
    return [request.path for request in provider.requests if request.path.endswith("/results")]


def test_what_was_published_is_kept(living):
    """From the second week on, once a day."""
    home, provider, fetch = living()
    days(fetch, 0, 7)
    early = asked(provider)
    days(fetch, 7, 10)

    assert early == []
    assert len(asked(provider)) in (2, 3)
    assert [each.span.slots for each in kept_results(home.store, PLAN, DAY_9)] == [WEEK]
    assert home.said == []


def test_a_plan_that_shares_nothing_is_not_asked_about(living):
    """There is nothing to fetch."""
    _, provider, fetch = living(plan_for(random.Random(1)))
    days(fetch, 0, 20)

    assert provider.requests == []


@pytest.mark.parametrize("state", ["paused", "left", "retired"])
def test_nothing_is_asked_while_the_home_is_silent(living, state):
    """A pause is one: nothing leaves."""
    home, provider, fetch = living()
    days(fetch, 0, 1)
    with home.store.transaction() as disk:
        disk.execute(f"UPDATE plans SET {state} = 1")
    days(fetch, 1, 20)

    assert provider.requests == []


def test_an_impostor_is_not_believed(living):
    """Nothing of what it says is kept, and it is said once."""
    home, provider, fetch = living()
    provider.key = Ed25519PrivateKey.generate()
    days(fetch, 0, 20)

    assert kept_results(home.store, PLAN, DAY_9) == []
    assert asked(provider) == []
    assert sum("no results to compare with" in line for line in home.said) == 1


def test_an_old_provider_is_said_once(living, monkeypatch):
    """One that does not know the address is asked again at the next time, in vain, without a word."""
    home, provider, fetch = living()
    plain = provider.answer

    def answer(request):
        if not request.path.endswith("/results"):
            return plain(request)
        provider.requests.append(request)
        return proved_answer(provider.key, request, b"{}", status=404)

    monkeypatch.setattr(provider, "answer", answer)
    days(fetch, 0, 20)

    assert len(asked(provider)) > 5
    (line,) = home.said
    assert "does not know how to share results; its server is too old" in line


@pytest.mark.parametrize("body", [b"", b"[", b"[]", b'{"plan": "another"}', b"[" * 100_000])
def test_an_answer_that_makes_no_sense(living, monkeypatch, body):
    """What was kept before stays, and one line says so."""
    home, provider, fetch = living()
    days(fetch, 0, 9)
    before = kept_results(home.store, PLAN, DAY_9)
    plain = provider._document
    monkeypatch.setattr(provider, "_document", lambda request: plain(request) | {"plan": "another"})
    real = HttpResponse.json
    monkeypatch.setattr(
        HttpResponse, "json", lambda self: real(HttpResponse(self.status, self.headers, body if body else b"null"))
    )
    days(fetch, 9, 12)

    assert kept_results(home.store, PLAN, DAY_9) == before != []
    assert len(home.said) == 1


def test_a_provider_that_is_down_is_tried_at_the_next_time(living):
    """Not at once, and not more often."""
    home, provider, fetch = living()
    provider.down = True
    days(fetch, 0, 12)
    tries = len(provider.requests)
    provider.down = False
    days(fetch, 12, 14)

    assert 4 <= tries <= 5
    assert kept_results(home.store, PLAN, DAY_9 + 4 * DAY) != []
    assert len(home.said) == 1
