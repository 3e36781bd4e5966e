"""What a home asks of a provider: its plans, a place in one, to take reports, and to be erased.

Nothing is sent to, or believed from, a server that has not shown the provider's key.  Every
connection begins with a question that tells nothing, `GET /v1/plans/{id}` with a fresh nonce;
only after an answer signed by the pinned key (or one that follows from it) goes anything else
over that same connection, and every further answer must be signed as well.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.errors import HushwattError, ReportError, UsageError
from hushwatt.household.untrusted_json import as_count, as_list, as_table, as_text
from hushwatt.household.upload.http import HttpResponse, HttpTransport, Unreachable, connect
from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import has_turns
from hushwatt.sanitise import quoted, sanitised
from hushwatt.wire.labels import NO_LABELS, Labels
from hushwatt.wire.proof import PROOF_HEADER, Challenge
from hushwatt.wire.record import DEVICE_BYTES
from hushwatt.wire.signature import (
    KEY_HEADER,
    SIGNATURE_HEADER,
    hex_header,
    public_bytes,
    sign_request,
    verify_plan,
    verify_successor,
)

JSON = {"Content-Type": "application/json"}
BINARY = {"Content-Type": "application/octet-stream"}
PLAN_ID = re.compile(r"[0-9a-f]{64}")
MAX_SUCCESSORS = 3  # plans that are looked at when several say they replace one
RETRY_STATUSES = (408, 429)  # beside 5xx: refusals that time will mend


class WrongProvider(HushwattError):
    """Whoever answers cannot show that it is the provider this home agreed with."""


class ProviderRefused(HushwattError):
    """The provider says no."""


@dataclass(frozen=True)
class Offer:
    """A plan as a provider offers it, and the key that signed it."""

    plan: Plan
    key: bytes


@dataclass(frozen=True)
class Enrolment:
    """A home's place in a plan: the name of its device, and its turn, where the provider offers one."""

    device: bytes
    offered: bool  # an older provider offers no turn
    turn: int | None = None  # none where the plan has none
    labels: Labels = NO_LABELS  # what the provider says it knows of this home


@dataclass(frozen=True)
class PlanList:
    """What a provider says it collects, ids and names, and the key that said so."""

    plans: tuple[tuple[str, str], ...]
    key: bytes


@dataclass
class VerifiedSession:
    """Questions over one connection, whose answers count only with a proof by one key."""

    address: str
    transport: HttpTransport
    key: bytes | None = None  # None: whoever answers first is taken for who it says it is

    def ask(self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None) -> HttpResponse:
        """One question and its answer, which the holder of the key has given to this very question."""
        challenge = Challenge.fresh(method, path, body)
        answer = self.transport.ask(method, path, body or None, {**(headers or {}), **challenge.headers})
        key = self.key or hex_header(answer.headers, KEY_HEADER, 32)
        if PROOF_HEADER.lower() not in answer.headers:
            if answer.status >= 500 or answer.status in RETRY_STATUSES:
                raise Unreachable(f"{self.address} cannot answer now (status {answer.status})")
            raise WrongProvider(
                f"{self.address} does not prove who it is: the provider's server is too old for that, or "
                "this is another's; it is not believed"
            )
        if key is None or not challenge.proved_by(key, answer.headers, answer.status, answer.body):
            raise WrongProvider(f"{self.address} cannot prove that it has the provider's key")
        self.key = key
        return answer

    def raise_for_status(self, answer: HttpResponse) -> HttpResponse:
        """The same answer, if it is no refusal."""
        if answer.status >= 500 or answer.status in RETRY_STATUSES:
            raise Unreachable(f"{self.address} cannot answer now: {quoted(answer.problem)}")
        if not 200 <= answer.status < 300:
            raise ProviderRefused(f"{self.address} refuses: {quoted(answer.problem)}")
        return answer


@dataclass
class PlanSession:
    """A provider that has just shown its key, over the connection on which it did."""

    session: VerifiedSession
    plan_id: str
    canonical: bytes
    key: bytes

    def enrol(self, plan: Plan, key: Ed25519PrivateKey, code: str | None) -> Enrolment:
        """A place for this home in the plan."""
        return self._enrol(plan, key, {"code": code} if code else {}, None, 0)

    def labels(self, code: str, key: Ed25519PrivateKey | None) -> Labels:
        """What the provider says it knows of the home that a code is for; the code stays good.

        The key goes along where the code may have been used with it, and the answer was lost.
        """
        used = {} if key is None else {"public_key": public_bytes(key).hex()}
        body = json.dumps({"code": code} | used).encode()
        answer = self.session.ask("POST", f"/v1/plans/{self.plan_id}/labels", body, JSON)
        if answer.status == 404:  # an older provider knows no labels
            return NO_LABELS
        return parse_labels(self.session.raise_for_status(answer))

    def succeed(self, plan: Plan, key: Ed25519PrivateKey, device: bytes, time: int) -> Enrolment:
        """A place for the holder of a place in the plan that this one replaces, under the same key."""
        return self._enrol(plan, key, {}, device, time)

    def _enrol(
        self, plan: Plan, key: Ed25519PrivateKey, more: dict[str, str], device: bytes | None, time: int
    ) -> Enrolment:
        path, body = f"/v1/plans/{self.plan_id}/devices", json.dumps({"public_key": public_bytes(key).hex()} | more)
        signed = {} if device is None else sign_request(key, device, "POST", path, time, body.encode())
        answer = self.session.ask("POST", path, body.encode(), JSON | signed)
        return parse_enrolment(plan, self.session.raise_for_status(answer))

    def upload(self, key: Ed25519PrivateKey, device: bytes, body: bytes, time: int) -> HttpResponse:
        """Send records as they are; any answer that is the provider's is handed back."""
        path = f"/v1/plans/{self.plan_id}/reports"
        return self.session.ask("POST", path, body, BINARY | sign_request(key, device, "POST", path, time, body))

    def results(self) -> HttpResponse:
        """What was published, for whoever asks: nothing in it says who does."""
        answer = self.session.ask("GET", f"/v1/plans/{self.plan_id}/results")
        if answer.status == 404:
            raise ProviderRefused(f"{self.session.address} does not know how to share results; its server is too old")
        return self.session.raise_for_status(answer)

    def erase(self, key: Ed25519PrivateKey, device: bytes, time: int) -> int:
        """Ask for every report of this device to be erased; how many there were."""
        path = f"/v1/plans/{self.plan_id}/devices/{device.hex()}"
        headers = sign_request(key, device, "DELETE", path, time, b"")
        return parse_erased(self.session.raise_for_status(self.session.ask("DELETE", path, b"", headers)))


@dataclass(frozen=True)
class ProviderClient:
    """One provider, at one address."""

    address: str  # https://host, without /v1
    connect: Callable[[str], HttpTransport] = connect  # the door to the network

    def plans(self, pinned: bytes | None = None) -> PlanList:
        """What the provider collects."""
        with self._session() as session:
            answer = session.ask("GET", "/v1/plans")
            key = self._shown_key(session, pinned)
            return PlanList(parse_plan_list(session.raise_for_status(answer)), key)

    def successors(self, plan_id: str, pinned: bytes) -> list[Offer]:
        """The plans that say they replace this one, whole and signed; from no other key is anything believed."""
        with self._session() as session:
            answer = session.ask("GET", "/v1/plans")
            self._shown_key(session, pinned)
            named = parse_successors(session.raise_for_status(answer), plan_id)
        offers = [self.offer(each, pinned) for each in named[:MAX_SUCCESSORS]]
        return [each for each in offers if each.plan.replaces == plan_id]

    def offer(self, plan_id: str, pinned: bytes | None = None) -> Offer:
        """A plan, whole and signed, by the pinned key or one that follows from it."""
        with self.plan_session(plan_id, pinned) as provider:
            return Offer(Plan.parse(provider.canonical, source=self.address), provider.key)

    @contextmanager
    def plan_session(self, plan_id: str, pinned: bytes | None = None) -> Iterator[PlanSession]:
        """The provider, once it has shown the pinned key, or one that follows from it."""
        with self._session() as session:
            answer = session.ask("GET", f"/v1/plans/{plan_id}")
            key = self._shown_key(session, pinned)
            session.raise_for_status(answer)
            if hashlib.sha256(answer.body).hexdigest() != plan_id:
                raise WrongProvider(f"what {self.address} sent is not plan {plan_id[:12]}…: its hash is another")
            signature = hex_header(answer.headers, SIGNATURE_HEADER, 64)
            if signature is None or not verify_plan(key, signature, answer.body):
                raise WrongProvider(f"the plan from {self.address} is not signed by the key beside it")
            yield PlanSession(session, plan_id, answer.body, key)

    @contextmanager
    def _session(self) -> Iterator[VerifiedSession]:
        transport = self.connect(self.address)
        try:
            yield VerifiedSession(self.address, transport)
        finally:
            transport.close()

    def _shown_key(self, session: VerifiedSession, pinned: bytes | None) -> bytes:
        """The key that was shown, if it is the pinned one or follows from it."""
        assert session.key is not None
        if pinned is not None and session.key != pinned:
            history = session.ask("GET", "/v1/keys")
            if history.status != 200 or not key_chain_reaches(history, pinned, session.key):
                raise WrongProvider(
                    f"{self.address} has another key ({session.key.hex()[:16]}…) than the one pinned "
                    f"({pinned.hex()[:16]}…), and the old key does not vouch for it"
                )
        return session.key


def choose_plan(client: ProviderClient, wanted: str | None, pinned: bytes | None = None) -> tuple[str, bytes]:
    """The id of the plan that was meant, and the key of who offers it."""
    listing = client.plans(pinned)
    fitting = [name for name, _ in listing.plans if name.startswith((wanted or "").strip().lower())]
    if len(fitting) == 1:
        return fitting[0], listing.key
    if not listing.plans:
        raise UsageError(f"{client.address} collects nothing now")
    names = "; ".join(f"{name[:12]} {quoted(words, 60)}" for name, words in listing.plans[:10])
    if not fitting:
        raise UsageError(f"{client.address} collects no plan {sanitised(wanted, 64)}; there is {names}")
    raise UsageError(f"name one plan with --plan: {names}")


def parse_plan_list(answer: HttpResponse) -> tuple[tuple[str, str], ...]:
    """The ids and names in a list of plans; what is none is passed over."""
    rows = [as_table(each) for each in as_list(as_table(answer.json()).get("plans"))]
    named = [(as_text(row.get("id")), as_text(row.get("name"))) for row in rows]
    return tuple((name, words) for name, words in named if PLAN_ID.fullmatch(name))


def parse_successors(answer: HttpResponse, plan_id: str) -> list[str]:
    """The ids of those in a list of plans that are said to replace this one."""
    rows = [as_table(each) for each in as_list(as_table(answer.json()).get("plans"))]
    named = [as_text(row.get("id")) for row in rows if row.get("replaces") == plan_id]
    return [name for name in named if PLAN_ID.fullmatch(name) and name != plan_id]


def parse_enrolment(plan: Plan, answer: HttpResponse) -> Enrolment:
    """The name that this home was given, and its turn."""
    body = as_table(answer.json())
    device = hex_header({"device": as_text(body.get("device"))}, "device", DEVICE_BYTES)
    if device is None:
        raise ProviderRefused("the provider gave this home no name")
    turn = body.get("turn") if has_turns(plan) else None
    if turn is not None and (type(turn) is not int or not 0 <= turn < plan.window):
        raise ProviderRefused("the provider gave this home a turn that the plan does not have")
    return Enrolment(device, offered="turn" in body, turn=turn, labels=parse_labels(answer))


def parse_labels(answer: HttpResponse) -> Labels:
    """What a provider says it knows of this home; an older one says nothing."""
    try:
        return Labels.received(as_table(answer.json()).get("labels", {}))
    except UsageError:
        raise ProviderRefused("the provider files this home under something that cannot be shown") from None


def parse_erased(answer: HttpResponse) -> int:
    """How many reports were erased."""
    erased = as_count(as_table(answer.json()).get("reports"))
    if erased is None:
        raise ProviderRefused("the provider does not say what it erased")
    return erased


def key_chain_reaches(answer: HttpResponse, pinned: bytes, key: bytes) -> bool:
    """Whether each key from the pinned one on vouched for the next, up to this one."""
    for each in as_list(as_table(answer.json()).get("history")):
        step = {name: as_text(value) for name, value in as_table(each).items()}
        old, new = (hex_header(step, name, 32) for name in ("key", "successor"))
        word = hex_header(step, "signature", 64)
        with suppress(ReportError):
            if new and word and old == pinned and verify_successor(old, word, new):
                pinned = new
    return pinned == key
