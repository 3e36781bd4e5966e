"""The far end of a home's network: answers as a provider does, proves it, and keeps what was sent.

What `FakeProvider` keeps are the very bytes that would have been posted.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.household.upload.http import HttpResponse, Unreachable
from hushwatt.household.upload.provider_client import ProviderClient
from hushwatt.plan.plan import Plan
from hushwatt.wire.payload import Layout
from hushwatt.wire.proof import NONCE_HEADER, Challenge, prove, sha256_hex
from hushwatt.wire.record import unpack
from hushwatt.wire.signature import sign_plan

ADDRESS = "http://127.0.0.1"
KEY = Ed25519PrivateKey.from_private_bytes(bytes(32))  # of the provider


@dataclass(frozen=True)
class SentRequest:
    """One request that left a home."""

    method: str
    path: str
    body: bytes
    headers: Mapping[str, str]

    @property
    def challenge(self) -> Challenge:
        nonce = bytes.fromhex(self.headers[NONCE_HEADER])
        return Challenge(nonce, self.method, self.path, sha256_hex(self.body))

    @property
    def is_open(self) -> bool:
        """Whether anyone may be asked this."""
        return self.method == "GET"

    def turned_into(self, path: str) -> "SentRequest":
        """Another question with the same nonce."""
        return SentRequest("GET", path, b"", {NONCE_HEADER: self.headers[NONCE_HEADER]})

    def __bytes__(self) -> bytes:
        head = "\n".join(f"{name}: {value}" for name, value in self.headers.items())
        return f"{self.method} {ADDRESS}{self.path}\n{head}\n\n".encode() + self.body


def answer_of(status: int, headers: Mapping[str, str], body: bytes) -> HttpResponse:
    return HttpResponse(status, {name.lower(): value for name, value in headers.items()}, body)


def proved_answer(
    key: Ed25519PrivateKey,
    request: SentRequest,
    body: bytes,
    headers: Mapping[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    """An answer with the proof that the holder of `key` gave it."""
    return answer_of(status, {**(headers or {}), **prove(key, request.challenge, status, body)}, body)


class Endpoint:
    """One end of a connection that stays, whoever connects: what is asked is given to `answer`."""

    def connect(self, address: str) -> "Endpoint":
        return self

    def provider_client(self, address: str = ADDRESS) -> ProviderClient:
        return ProviderClient(address, self.connect)

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> HttpResponse:
        return self.answer(SentRequest(method, path, body or b"", headers or {}))

    def answer(self, request: SentRequest) -> HttpResponse:
        raise Unreachable("nobody is there")

    def close(self) -> None:
        """Nothing is open."""


@dataclass
class FakeProvider(Endpoint):
    """Takes every home and every report, and proves it by whatever key it has now."""

    plans: tuple[Plan, ...]
    key: Ed25519PrivateKey = KEY
    requests: list[SentRequest] = field(default_factory=list)
    down: bool = False  # nobody answers
    refuses: str | None = None  # why every report is turned away
    reasons: dict[int, str] = field(default_factory=dict)  # why those of a slot are
    enrolment: dict[str, Any] = field(default_factory=lambda: {"device": bytes(range(16)).hex()})
    history: list[dict[str, str]] = field(default_factory=list)  # of its keys
    labels: dict[str, str] | None = None  # that hang on any code; None: it is too old to know of any
    results: list[dict[str, Any]] = field(default_factory=list)  # what was published, under any plan

    def answer(self, request: SentRequest) -> HttpResponse:
        self.requests.append(request)
        if self.down:
            raise Unreachable("127.0.0.1 does not answer")
        for plan in self.plans:
            if request.path == f"/v1/plans/{plan.id}":
                canonical = plan.canonical()
                return proved_answer(self.key, request, canonical, sign_plan(self.key, canonical))
        status = 404 if request.path.endswith("/labels") and self.labels is None else 200
        return proved_answer(self.key, request, json.dumps(self._document(request)).encode(), status=status)

    def _document(self, request: SentRequest) -> dict[str, Any]:
        match request.path.rpartition("/")[2]:
            case "plans":
                return {"plans": [self._about(plan) for plan in self.plans]}
            case "keys":
                return {"history": self.history}
            case "devices":
                return self.enrolment
            case "labels":
                return {"labels": self.labels}
            case "results":
                return {"plan": request.path.split("/")[3], "results": self.results}
            case "reports":
                return self._verdict(request.body)
            case _:
                return {"reports": 0}

    @staticmethod
    def _about(plan: Plan) -> dict[str, str]:
        listed = {"id": plan.id, "name": plan.name}
        return listed if plan.replaces is None else listed | {"replaces": plan.replaces}

    def _verdict(self, body: bytes) -> dict[str, Any]:
        """Take what is uploaded, but for what there is a reason to refuse."""
        slots = self.slots_in(body)
        reasons = [self.reasons.get(slot, self.refuses) for slot in slots]
        refused = [{"index": place, "reason": reason} for place, reason in enumerate(reasons) if reason]
        return {"accepted": len(slots) - len(refused), "repeated": 0, "rejected": refused}

    def slots_in(self, body: bytes) -> list[int]:
        """The slots that an upload is about."""
        slots: list[int] = unpack(body, Layout.of(self.plans[0]).size).slot.tolist()
        return slots

    @property
    def uploads(self) -> list[bytes]:
        """The bodies of all reports posted, in order."""
        return [request.body for request in self.requests if request.path.endswith("/reports")]
