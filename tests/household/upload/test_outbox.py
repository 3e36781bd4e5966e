"""The outbox: stored bytes, sent as they are until the provider has them."""

import time
from contextlib import contextmanager

import pytest
from tests.household.living import NO_CAPS
from tests.household.serving import Provider, plan_text

from hushwatt.household.clock import SECOND
from hushwatt.household.join import agree, pause, propose, resume
from hushwatt.household.ledger.home_ledger import HomeLedger
from hushwatt.household.ledger.store import Store
from hushwatt.household.membership import Membership
from hushwatt.household.upload.backoff import MAX_BACKOFF, MIN_BACKOFF
from hushwatt.household.upload.http import HttpResponse, Unreachable
from hushwatt.household.upload.outbox import Outbox, verdicts
from hushwatt.household.upload.provider_client import ProviderClient, ProviderRefused
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import OperatingSystem


@pytest.fixture(scope="module")
def provider(tmp_path_factory):
    served = Provider(tmp_path_factory.mktemp("provider"), plan_text(slot="60s", minimum_homes="1"))
    served.start()
    yield served
    served.stop()


class Recorded(ProviderClient):
    """A client that keeps a copy of every upload that is attempted."""

    bodies: list = []  # noqa: RUF012

    @contextmanager
    def plan_session(self, plan_id, pinned=None):
        with super().plan_session(plan_id, pinned) as provider:
            upload = provider.upload

            def recorded(key, device, body, time):
                self.bodies.append(body)
                return upload(key, device, body, time)

            provider.upload = recorded
            yield provider


@pytest.fixture
def home(folder, provider):
    """A home with two reports that wait, of slots that have just ended."""
    import numpy as np

    with Store(folder / "ledger.sqlite") as store:
        plan = Plan.load(provider.plans[0])
        proposal = propose(store, NO_CAPS, ProviderClient(provider.address), plan.id)
        agree(store, proposal, "words", None, time.time_ns(), OperatingSystem())
        member = Membership(plan, 1, HomeLedger(store, NO_CAPS), OperatingSystem())
        now = int(plan.calendar.slot_of([time.time_ns()])[0])
        store.disk.execute("UPDATE plans SET slot = ?", (now - 2,))
        member.reload()
        for _ in range(2):
            member.report_slot(np.array([50.0, 50.0, 50.0]), due=0)
        yield store


def outbox(store, said):
    Recorded.bodies = []
    return Outbox(store, OperatingSystem(), said.append, client=Recorded)


def test_reports_are_sent_and_acknowledged(home):
    """What is due goes in one upload, and what the provider has is not sent again."""
    said = []
    box = outbox(home, said)
    box.send(time.time_ns())
    box.send(time.time_ns())

    assert home.rows("SELECT due, answer, tries FROM reports") == [{"due": None, "answer": "accepted", "tries": 1}] * 2
    assert len(Recorded.bodies) == 1
    assert said == []


def test_the_same_bytes_again_after_an_outage(home, provider):
    """While the provider is away the pauses grow; then the very same bytes arrive once."""
    said, now = [], time.time_ns()
    box = outbox(home, said)
    box.send(now)
    first = Recorded.bodies[0]
    home.disk.execute("UPDATE reports SET due = 0, answer = NULL, tries = 0")  # as if the answer was lost
    home.disk.execute("UPDATE plans SET address = 'http://127.0.0.1:9'")
    box.send(now)
    waits = []
    for _ in range(3):
        due = home.value("SELECT max(due) FROM reports")
        waits.append(due - now)
        now = due
        box.send(now)
    home.disk.execute("UPDATE plans SET address = ?", (provider.address,))
    box.send(home.value("SELECT max(due) FROM reports"))
    answers = home.rows("SELECT answer FROM reports")

    assert MIN_BACKOFF / 2 <= waits[0] <= MIN_BACKOFF
    assert waits[2] >= 2 * MIN_BACKOFF > waits[0]
    assert set(Recorded.bodies) == {first}
    assert answers == [{"answer": "accepted"}] * 2
    assert len(said) == 1
    assert "does not answer" in said[0]


def test_a_paused_home_sends_nothing(home):
    """What waits is kept while paused, and goes out as it is when the owner resumes."""
    said = []
    box = outbox(home, said)
    pause(home, None, time.time_ns())
    box.send(time.time_ns())
    silent, kept = list(Recorded.bodies), home.value("SELECT count(*) FROM reports WHERE due IS NOT NULL")
    resume(home, None)
    box.send(time.time_ns())

    assert (silent, kept) == ([], 2)
    assert len(Recorded.bodies) == 1
    assert home.rows("SELECT DISTINCT answer FROM reports") == [{"answer": "accepted"}]


def test_a_pause_while_the_provider_is_proving_itself(home):
    """The owner's word counts up to the last moment before the reports are handed over."""

    class Slow(Recorded):
        @contextmanager
        def plan_session(self, plan_id, pinned=None):
            with super().plan_session(plan_id, pinned) as provider:
                pause(home, None, time.time_ns())
                yield provider

    Recorded.bodies = []
    Outbox(home, OperatingSystem(), print, client=Slow).send(time.time_ns())

    assert Recorded.bodies == []


def test_a_provider_with_another_key_gets_nothing(home):
    """Someone else at the same address is found out by the key, and no report is sent there."""
    home.disk.execute("UPDATE plans SET provider = zeroblob(32)")  # the key of someone else was pinned
    said = []
    box = outbox(home, said)
    box.send(time.time_ns())

    assert Recorded.bodies == []
    assert len(said) == 1
    assert "another key" in said[0]


def test_a_key_that_follows_is_believed(home, provider, hushwatt):
    """A new key for which the old one vouches takes its place."""
    before = home.value("SELECT provider FROM plans")
    provider.stop()
    rotated = hushwatt("provider", "keys", "rotate", "--data", provider.folder / "data")
    provider.start()
    said = []
    outbox(home, said).send(time.time_ns())

    assert said == []
    assert home.value("SELECT provider FROM plans").hex() == rotated.stdout.strip() != before.hex()


def test_refusals_are_final_or_wait():
    """A record refused for good is not sent again; one that came too early is."""
    body = b'{"accepted": 1, "repeated": 0, "rejected": [{"index": 1, "reason": "too_late"}]}'

    assert verdicts(HttpResponse(200, {}, body), 2) == ["accepted", "too_late"]
    assert verdicts(HttpResponse(410, {}, b""), 2) == ["plan_over"] * 2
    with pytest.raises(Unreachable):
        verdicts(HttpResponse(503, {}, b"{}"), 1)
    with pytest.raises(ProviderRefused, match="clock is too far off"):
        verdicts(HttpResponse(401, {}, b'{"title": "The signer\'s clock is too far off"}'), 1)


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b"[]",
        b"[" * 200_000,
        b'{"accepted": 2, "repeated": 0}x',
        b'{"accepted": 1, "repeated": 0, "rejected": []}',
        b'{"accepted": 3, "repeated": 0, "rejected": []}',
        b'{"accepted": true, "repeated": 1, "rejected": []}',
        b'{"accepted": 1, "repeated": 0, "rejected": [{"index": true, "reason": "late"}]}',
        b'{"accepted": 1, "repeated": 0, "rejected": [{"index": 2, "reason": "late"}]}',
        b'{"accepted": 1, "repeated": 0, "rejected": [{"index": 1, "reason": "Your home:"}]}',
        b'{"accepted": 1, "repeated": 0, "rejected": [{"index": 1, "reason": "\\ud800"}]}',
        b'{"accepted": 0, "repeated": 0, "rejected": [' + b'{"index": 1, "reason": "a"}, ' * 2 + b"{}]}",
        b'{"accepted": 0, "repeated": 0, "rejected": [' + b",".join([b'{"index": 1, "reason": "a"}'] * 2) + b"]}",
    ],
    ids=range(13),
)
def test_an_answer_must_add_up(body):
    """An acknowledgement that does not say what became of each report is none."""
    with pytest.raises(Unreachable):
        verdicts(HttpResponse(200, {}, body), 2)


def test_pauses_have_an_end():
    """The longest pause is an hour."""

    assert MAX_BACKOFF == 3600 * SECOND
