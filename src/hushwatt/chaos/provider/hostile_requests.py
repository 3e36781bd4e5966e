"""Requests bent in every way: methods, addresses, questions, headers, bodies.

Most are put to the service in this process, where the processor's time that each takes can be
told apart from what else the machine does; some go as bent bytes over a real connection.
"""

import json
import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

from hushwatt.audit.harness.buckets import GatewayHomes, bucket_plan, check_tallies, gather
from hushwatt.audit.harness.expect import Fault, expect
from hushwatt.audit.harness.in_process_client import JSON, EnrolledSigner, InProcessClient
from hushwatt.audit.harness.raw_connection import RawConnection, request
from hushwatt.audit.harness.service_process import ServiceProcess
from hushwatt.chaos.scenario import Scenario
from hushwatt.provider.dashboard.views import VIEWS
from hushwatt.provider.store.tallies import read_tallies
from hushwatt.wire.signature import sign_request

INSIDE, OUTSIDE = 950, 50  # requests in this process, and over real connections
HOMES, SLOTS = 8, 4
LONGEST = 1.0  # seconds of the processor's time
METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "post", "X" * 300)
WORDS = (
    "", "0", "-1", "1e309", "nan", "null", "true", "[]", "{}", "9" * 400, "norm-sub", "none", "a" * 5000,
    "2024-01-01", "0001-01-01", "9999-12-31", "0000-00-00", "24:00", "2024-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59.999999-23:59", "%00", "%ff", "..", "../../etc/passwd", "<script>",
    "'; DROP TABLE reports;--", "\u20ac", "\U0001f4a1",
)  # fmt: skip
KEYS = ("from", "to", "smooth", "consistency", "k", "appliance", "homes", "slots", "plan", "x")


@dataclass(frozen=True)
class RequestDraft:
    """A request before it is sent."""

    method: str
    path: str
    query: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def target(self) -> str:
        return self.path + (f"?{self.query}" if self.query else "")


Bend = Callable[[RequestDraft, random.Random], RequestDraft]


def case(seed: int, folder: Path) -> None:
    """Many bent requests, after which the service answers as before and holds what it held."""
    chance, plan = random.Random(seed), bucket_plan(HOMES, SLOTS)
    (folder / "inside").mkdir()
    with InProcessClient(folder / "inside", plan, now=plan.start + timedelta(minutes=SLOTS), grace="1d") as client:
        member = client.join(HOMES)
        crowd = GatewayHomes(plan, member.key, member.name, member.devices)
        first = {(home, 0) for home in range(HOMES)}
        client.send(member, crowd.body(sorted(first)))
        client.ask("POST", f"{client.path}/publish", b'{"until": 1}', JSON)
        drafts = _drafts(client, crowd, member)
        for _ in range(INSIDE):
            _put(client, bent(chance.choice(drafts), chance))
        expect(client.ask("GET", "/readyz").status == 200, "the service is not ready any more")
        with client.service.database.reading() as session:
            check_tallies(crowd, first, read_tallies(session, 1, 0, SLOTS))
    (folder / "outside").mkdir()
    _outside(folder / "outside", chance)


def bent(draft: RequestDraft, chance: random.Random) -> RequestDraft:
    """The same request, wrong in one to four ways."""
    for _ in range(chance.randint(1, 4)):
        draft = chance.choice(BENDS)(draft, chance)
    return draft


def _put(client: InProcessClient, draft: RequestDraft) -> None:
    began = time.process_time()
    try:
        said = client.ask(draft.method, draft.target, draft.body, draft.headers)
    except UnicodeEncodeError:  # a header that no client can send
        return
    except Exception as failure:
        raise Fault(f"{draft.method[:9]} {draft.target[:99]!r}: {type(failure).__name__}") from failure
    taken = time.process_time() - began
    expect(said.status < 500, f"{draft.method[:9]} {draft.target[:99]!r} was answered {said.status}")
    expect(taken < LONGEST, f"{draft.method[:9]} {draft.target[:99]!r} took {taken:.1f} s of the processor")


def _drafts(client: InProcessClient, crowd: GatewayHomes, member: EnrolledSigner) -> list[RequestDraft]:
    """A good request of every kind; uploads are of reports that are known already."""
    here = client.path
    plain = ("/login", "/healthz", "/readyz", "/metrics", "/v1/plans", "/v1/keys", "/v1/openapi.json", here)
    requests = [RequestDraft("GET", path, "", (), b"") for path in plain]
    requests += [
        RequestDraft("GET", f"{here}/{what}", query, (), b"")
        for what in ("estimates", "top", "slots", "health", "export.csv", "export.json", "export.parquet")
        for query in ("", "from=2024-01-01&to=2030-01-01", "smooth=true&consistency=none")
    ]
    requests += [
        RequestDraft("GET", view.path, query, (), b"")
        for view in VIEWS
        for query in ("", "from=2024-01-01&smooth=true")
    ]
    body = crowd.body([(home, 0) for home in range(HOMES)])
    path = f"{here}/reports"
    signed = tuple(sign_request(member.key, member.name, "POST", path, client.now, body).items())
    requests += [RequestDraft("POST", path, "", signed, body)] * 12
    away = f"{here}/devices/{bytes(16).hex()}"
    leave = tuple(sign_request(member.key, member.name, "DELETE", away, client.now, b"").items())
    requests += [
        RequestDraft("DELETE", away, "", leave, b""),
        RequestDraft("POST", f"{here}/devices", "", tuple(JSON), json.dumps({"public_key": "0" * 63}).encode()),
        RequestDraft("POST", f"{here}/publish", "", tuple(JSON), b'{"until": -1}'),
        RequestDraft("POST", "/login", "", (("Content-Type", "application/x-www-form-urlencoded"),), b"token=a&then=/"),
    ]
    return requests


def _method(draft: RequestDraft, chance: random.Random) -> RequestDraft:
    return replace(draft, method=chance.choice(METHODS))


def _address(draft: RequestDraft, chance: random.Random) -> RequestDraft:
    parts = draft.path.split("/")
    place = chance.randrange(len(parts))
    word = chance.choice(WORDS)
    parts[place : place + chance.randint(0, 1)] = [quote(word, safe="/.") if chance.random() < 0.8 else word]
    return replace(draft, path="/" + "/".join(parts).lstrip("/").replace("?", "").replace("#", ""))


def _question(draft: RequestDraft, chance: random.Random) -> RequestDraft:
    more = f"{chance.choice(KEYS)}={quote(chance.choice(WORDS))}"
    return replace(draft, query=f"{draft.query}&{more}" if draft.query else more)


def _header(draft: RequestDraft, chance: random.Random) -> RequestDraft:
    names = [name for name, _ in draft.headers] + [
        "Host", "Content-Length", "Content-Type", "Content-Encoding", "Authorization", "Cookie", "Accept",
        "Accept-Encoding", "X-Forwarded-For", "Forwarded", "Origin", "Sec-Fetch-Site", "If-None-Match",
    ]  # fmt: skip
    value = chance.choice([*WORDS, "gzip", "Bearer x", "hushwatt_token=%00", "chunked", "bytes=0-", "[::1]:99999"])
    return replace(draft, headers=(*draft.headers, (chance.choice(names), value.replace("\0", ""))))


def _without_header(draft: RequestDraft, chance: random.Random) -> RequestDraft:
    if not draft.headers:
        return draft
    gone = chance.randrange(len(draft.headers))
    return replace(draft, headers=draft.headers[:gone] + draft.headers[gone + 1 :])


def _altered_header(draft: RequestDraft, chance: random.Random) -> RequestDraft:
    if not draft.headers:
        return draft
    place = chance.randrange(len(draft.headers))
    name, value = draft.headers[place]
    cut = chance.randrange(len(value) + 1)
    value = value[:cut] + chance.choice(["", "0", "é", "f" * 64, " ", value]) + value[cut + chance.randint(0, 2) :]
    return replace(draft, headers=(*draft.headers[:place], (name, value), *draft.headers[place + 1 :]))


def _bytes(draft: RequestDraft, chance: random.Random) -> RequestDraft:
    body = bytearray(draft.body or chance.randbytes(40))
    for _ in range(chance.randint(1, 8)):
        body[chance.randrange(len(body))] = chance.randrange(256)
    return replace(draft, body=bytes(body[: chance.randint(0, len(body))]) * chance.choice([1, 1, 1, 2, 50]))


def _document(draft: RequestDraft, chance: random.Random) -> RequestDraft:
    """JSON of another kind than was asked for."""
    values: list[object] = [
        None, True, 0, -1, 10**400, 1.5, "", "a" * 70_000, [], {}, [[]] * 100,
        {"until": 2**63}, {"until": "1"},
        {"public_key": "00" * 32}, {"public_key": "00" * 32, "homes": 10**30}, {"public_key": ["00"] * 32},
        {"public_key": "ff" * 32, "code": "\u0000"}, {"public_key": "00" * 32, "code": "x", "homes": 1},
    ]  # fmt: skip
    document = json.dumps(chance.choice(values)).encode()
    raw = chance.choice(
        [document, document, b"[" * 20_000, b'{"a":' * 5000, b'"\xff\xfe"', b"\x00", b"NaN", b'{"until":1e999}']
    )
    return replace(draft, body=raw, headers=(*draft.headers, *JSON))


BENDS: tuple[Bend, ...] = (
    _method, _address, _question, _question, _header, _header, _without_header, _altered_header, _bytes,
    _document,
)  # fmt: skip


def _outside(folder: Path, chance: random.Random) -> None:
    """Bent bytes over real connections; afterwards an honest upload passes."""
    with ServiceProcess(folder, bucket_plan(HOMES, SLOTS)) as collector:
        crowd = gather(collector, HOMES)
        good = [crowd.upload([(0, 0)]), request("GET", f"/v1/plans/{crowd.plan.id}/estimates"), request("GET", "/")]
        for _ in range(OUTSIDE):
            with collector.line() as line:
                line.send(_bent_bytes(chance.choice(good), chance))
                _listen_a_moment(line)
        with collector.line() as line:
            said = line.ask(crowd.upload([(home, 1) for home in range(HOMES)]))
        expect(said.status == 200 and said.json()["accepted"] == HOMES, "an honest upload did not pass")
        collector.stop()


def _bent_bytes(data: bytes, chance: random.Random) -> bytes:
    bytes_ = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        place = chance.randrange(len(bytes_))
        match chance.randrange(4):
            case 0:
                bytes_[place] = chance.randrange(256)
            case 1:
                del bytes_[place : place + chance.randint(1, 40)]
            case 2:
                bytes_[place:place] = chance.choice([b"\r\n", b"\0", b"\r\n\r\n", b": ", b"a" * 999])
            case _:
                bytes_[place:place] = bytes_[: chance.randint(1, 60)]
        bytes_ = bytes_ or bytearray(b"\0")
    return bytes(bytes_)


def _listen_a_moment(line: RawConnection) -> None:
    """Take an answer if one comes at once: a part of a request has none, which is no fault."""
    line.socket.settimeout(0.02)
    with suppress(TimeoutError):
        while line.next() is None and not line.ended:
            line.listen()
            expect(not line.heard.startswith(b"HTTP/1.1 5"), f"answered {line.heard[:40]!r}")


SAYS = "no request, however bent, is answered with a failure of the service or holds it up for a second"
EACH = INSIDE + OUTSIDE
SCENARIO = Scenario("hostile-requests", 13, SAYS, quick=EACH, full=1_000_000, case=case, each=EACH, unit="requests")
