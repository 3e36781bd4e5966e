"""Answers that no provider should give, even one with the right key, read by the shipped code of a home."""

import hashlib
import json
import random
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import isfinite
from pathlib import Path
from urllib.parse import SplitResult

from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.fake_provider import ADDRESS, KEY, Endpoint, SentRequest, proved_answer
from hushwatt.audit.harness.home_under_test import join
from hushwatt.audit.harness.plans import plan_for
from hushwatt.chaos.mutations import GAP, Mutator, resident
from hushwatt.chaos.scenario import Scenario
from hushwatt.errors import HushwattError
from hushwatt.household.consent_text import consent_terms
from hushwatt.household.ledger.store import Store
from hushwatt.household.results.fetch import parse_results
from hushwatt.household.upload.http import HttpResponse, HttpSession
from hushwatt.household.upload.outbox import Outbox, verdicts
from hushwatt.household.upload.provider_client import (
    ProviderClient,
    choose_plan,
    key_chain_reaches,
    parse_enrolment,
    parse_erased,
    parse_plan_list,
)
from hushwatt.household.upload.timed_socket import Deadline, TimedSocket
from hushwatt.plan.plan import Plan
from hushwatt.plan.sharing import stretches
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.entropy import OperatingSystem
from hushwatt.privacy.promise import Promise, promise
from hushwatt.wire.signature import public_bytes, sign_plan

ANSWERS, WHOLE, RAW, SENT = 5_000, 20, 200, 5  # read, in whole conversations, as bytes, by an outbox
GROWTH = 64 << 20  # bytes that a case may leave behind
WORD = re.compile(r"[a-z_]{1,40}")
STATUSES = (200, 200, 200, 200, 201, 204, 301, 400, 401, 404, 410, 422, 429, 500, 503, 99, 999)
PLACES = (
    b'{"device": "' + b"00" * 16 + b'", "devices": [\0], "turn": \0, "turns": [\0]}',
    b'{"device": "' + b"00" * 16 + b'", "turn": 1}',
    b'{"device": \0}',
    b"\0",
)
TURNS = plan_for(random.Random(0), "lpu")
SHARED = plan_for(random.Random(0), "lbu", share_results=True)
WEEK = str(stretches(SHARED).length).encode()
RESULT = b'{"plan": "' + SHARED.id.encode() + b'", "results": [{"slot": 0, "slots": ' + WEEK + b', "homes": 9, '
TEMPLATES: dict[Callable[[HttpResponse], object], tuple[bytes, ...]] = {
    parse_plan_list: (
        b'{"plans": [{"id": "' + b"5f" * 32 + b'", "name": \0}, {"id": \0}, \0]}',
        b'{"plans": \0, "key": \0}',
        b"[\0]",
    ),
    lambda answer: parse_enrolment(TURNS, answer): PLACES,
    parse_erased: (b'{"reports": \0, "note": \0}', b'{"reports": 7}', b"[\0]"),
    lambda answer: key_chain_reaches(answer, bytes(32), bytes(32)): (
        b'{"history": [{"key": "' + b"00" * 32 + b'", "successor": \0, "signature": \0}]}',
        b'{"history": [{"key": "' + b"00" * 32 + b'", "successor": "' + b"11" * 32 + b'", "signature": "'
        + b"22" * 64 + b'"}, \0]}',
        b'{"history": \0}',
    ),
    lambda answer: _read_verdicts(answer): (
        b'{"accepted": 3, "repeated": 0, "rejected": []}',
        b'{"accepted": \0, "repeated": \0, "rejected": [{"index": \0, "reason": \0}]}',
        b'{"accepted": 2, "repeated": 0, "rejected": [{"index": 1, "reason": \0}]}',
        b'{"rejected": \0}',
    ),
    lambda answer: _read_results(answer): (
        RESULT + b'"appliances": {"appliance 0": {"ci95": [\0, \0], "counted": ' + WEEK + b', "clipped": true}}}]}',
        RESULT + b'"appliances": {"appliance 0": {"ci95": \0, "counted": \0, "clipped": \0}, \0: 1}}, \0]}',
        b'{"plan": "' + SHARED.id.encode() + b'", "results": [{"slot": \0, "slots": \0, "homes": \0}, \0]}',
        b'{"plan": \0, "results": \0}',
    ),
    lambda answer: answer.problem: (
        b'{"title": \0, "detail": \0, "status": \0}',
        b'{"title": "no\\n\\u202e"}',
    ),
}  # fmt: skip
HEADS = (
    b"HTTP/1.1 200 OK\r\nContent-Length: \0\r\n\r\n{}",
    b"HTTP/1.1 \0 OK\r\nHushwatt-Proof: \0\r\nContent-Length: 2\r\n\r\n{}",
    b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\0\r\n{}\r\n0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\0",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-ffffffffffffffffffff\r\n\0",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: \0\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\0",
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 302 Found\r\nLocation: \0\r\n\r\n",
    b"\0",
)


def case(seed: int, folder: Path) -> None:
    """Thousands of answers, each of which ends in a value or in a refusal of our own."""
    mutator, before = Mutator(seed), resident()
    readers = list(TEMPLATES)
    for _ in range(ANSWERS - WHOLE - RAW - SENT):
        reader = mutator.pick(readers)
        body = mutator.message(mutator.pick(TEMPLATES[reader]))
        _refuse_or_read(partial(reader, HttpResponse(mutator.pick(STATUSES), {}, body)))
    plan = plan_for(mutator.chance, "lbu")
    weighed = promise(plan)
    for _ in range(WHOLE):
        _converse(plan, weighed, mutator)
    for _ in range(RAW):
        bent = mutator.message(mutator.pick(HEADS))
        _refuse_or_read(partial(_raw(bent).ask, "GET", "/v1/plans"))
    _send(folder, plan, mutator)
    expect(resident() - before < GROWTH, f"{(resident() - before) >> 20} MiB stayed in memory")


def _read_verdicts(answer: HttpResponse) -> None:
    words = verdicts(answer, 3)
    expect(len(words) == 3 and all(map(WORD.fullmatch, words)), "a verdict that is no word was believed")


def _read_results(answer: HttpResponse) -> None:
    for result in parse_results(SHARED, answer, nanoseconds(SHARED.expires)):
        limits = [limit for mean in result.means.values() for limit in (mean.low, mean.high)]
        expect(set(result.means) <= set(SHARED.names), "an appliance that is not in the plan was believed")
        expect(all(map(isfinite, limits)), "a number beyond all sense was believed")


def _refuse_or_read(step: Callable[[], object]) -> None:
    """Do something with an answer; only our own refusals may come of it, each one printable line."""
    try:
        step()
    except HushwattError as refusal:
        expect(str(refusal).isprintable() and len(str(refusal)) < 2_000, "a refusal repeats what was sent")


class HostileProvider(Endpoint):
    """A provider that has its key, and answers anything else with whatever comes to its mind."""

    def __init__(self, plan: bytes, mutator: Mutator, trust: float = 0.7) -> None:
        self.plan, self.mutator, self.trust = plan, mutator, trust

    def answer(self, request: SentRequest) -> HttpResponse:
        mutator, signed = self.mutator, dict[str, str]()
        body, status = self._body(request.path), mutator.pick(STATUSES)
        wanted = f"/v1/plans/{hashlib.sha256(self.plan).hexdigest()}"
        if request.path == wanted and mutator.happens(self.trust):
            body, status, signed = self.plan, 200, sign_plan(KEY, self.plan)
        answer = proved_answer(KEY, request, body, signed, status)
        if mutator.happens(0.05):
            name = mutator.pick(sorted(answer.headers))
            bent = mutator.bent(answer.headers[name].encode()).decode("latin-1")
            return replace(answer, headers={**answer.headers, name: bent})
        return answer

    def _body(self, path: str) -> bytes:
        fitting = {"plans": TEMPLATES[parse_plan_list], "devices": PLACES}.get(path.rpartition("/")[2])
        return self.mutator.message(self.mutator.pick(fitting or self.mutator.pick(list(TEMPLATES.values()))))


def _converse(plan: Plan, weighed: Promise, mutator: Mutator) -> None:
    """A whole visit: the list, a plan that may be bent, joining, sending and leaving."""
    canonical = _bent_plan(plan, mutator) if mutator.happens(0.5) else plan.canonical()
    name = hashlib.sha256(canonical).hexdigest()
    client = HostileProvider(canonical, mutator, trust=0.95).provider_client()
    _refuse_or_read(lambda: choose_plan(client, None))
    _refuse_or_read(lambda: _read_terms(client, name, weighed))
    for errand in (
        lambda provider: provider.enrol(plan, KEY, "code"),
        lambda provider: verdicts(provider.upload(KEY, bytes(16), b"records", 1), 3),
        lambda provider: provider.erase(KEY, bytes(16), 1),
    ):

        def visit(errand: Callable[..., object] = errand) -> None:
            with client.plan_session(name, public_bytes(KEY)) as provider:
                errand(provider)

        _refuse_or_read(visit)


def _read_terms(client: ProviderClient, name: str, weighed: Promise) -> None:
    offer = client.offer(name, public_bytes(KEY))
    shown = consent_terms(offer.plan, weighed, ADDRESS, offer.key)
    expect(all(words.isprintable() for _, words in shown), "a plan writes lines of its own")


def _bent_plan(plan: Plan, mutator: Mutator) -> bytes:
    """A plan with one thing in it that should not be there, or bent as bytes."""
    fields = json.loads(plan.canonical())
    with suppress(ValueError):
        fields[mutator.pick(sorted(fields))] = json.loads(mutator.filled(GAP))
        return json.dumps(fields).encode()
    return mutator.bent(plan.canonical())


class CannedSocket:
    """A socket that has heard everything it will ever hear."""

    def __init__(self, heard: bytes) -> None:
        self.heard = memoryview(heard)

    def settimeout(self, seconds: float) -> None:
        """It never waits."""

    def send(self, data: memoryview) -> int:
        return len(data)

    def recv_into(self, buffer: memoryview) -> int:
        part, self.heard = self.heard[: len(buffer)], self.heard[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)

    def close(self) -> None:
        """It was never open."""


def _raw(heard: bytes) -> HttpSession:
    """A session with someone who says these bytes, whatever is asked."""

    def dial(parts: SplitResult, deadline: Deadline) -> TimedSocket:
        return TimedSocket(CannedSocket(heard), deadline)  # type: ignore[arg-type]

    return HttpSession(ADDRESS, Deadline(60), dial)


def _send(folder: Path, plan: Plan, mutator: Mutator) -> None:
    """An outbox that such a provider answers: a report waits, or its verdict is a plain word."""
    with Store(folder / "ledger.sqlite") as store:
        join(store, plan)
        with store.transaction() as disk:
            disk.execute("UPDATE plans SET provider = ?", (public_bytes(KEY),))
            disk.execute("INSERT INTO reports VALUES (1, 0, 1, 1, x'00', 0, 0, NULL)")
        said = list[str]()
        hostile = HostileProvider(plan.canonical(), mutator, trust=0.95)
        outbox = Outbox(store, OperatingSystem(), said.append, hostile.provider_client)
        for _ in range(SENT):
            outbox.send(1 << 60)
            (row,) = store.rows("SELECT due, answer FROM reports")
            known = row["answer"] is None or WORD.fullmatch(row["answer"])
            expect(bool(known), "a verdict that is no word was kept")
            with store.transaction() as disk:
                disk.execute("UPDATE reports SET due = 0, answer = NULL")
        expect(all(line.isprintable() for line in said), "what a provider wrote was said as it was")


SAYS = "no answer of a provider, signed or not, ends the agent or a command in anything but a refusal"
SCENARIO = Scenario("foreign-answers", 25, SAYS, quick=ANSWERS, full=1_000_000, case=case, each=ANSWERS, unit="answers")
