"""Servers that stand in a provider's place without its key, and the tricks they know."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.audit.harness.in_process_client import InProcessClient
from hushwatt.household.upload.http import HttpResponse
from hushwatt.plan import Plan
from hushwatt.wire.proof import NONCE_HEADER, PROOF_HEADER, Challenge, prove, sha256_hex
from hushwatt.wire.signature import KEY_HEADER, SIGNATURE_HEADER, sign_plan

ACCEPTED = b'{"accepted": 10, "repeated": 0, "rejected": []}'


@dataclass(frozen=True)
class Asked:
    """One request as it was sent."""

    method: str
    path: str
    body: bytes
    headers: dict[str, str]

    @property
    def question(self) -> Challenge:
        nonce = bytes.fromhex(self.headers[NONCE_HEADER])
        return Challenge(nonce, self.method, self.path, sha256_hex(self.body))

    def turned_into(self, path: str) -> "Asked":
        """Another question with the same nonce."""
        return Asked("GET", path, b"", {NONCE_HEADER: self.headers[NONCE_HEADER]})

    @property
    def is_open(self) -> bool:
        """Whether anyone may be asked this."""
        return self.method == "GET"


@dataclass
class Honest:
    """The provider: its service in this process, and a recording of all that it ever answered."""

    desk: InProcessClient
    past: list[tuple[Asked, HttpResponse]] = field(default_factory=list)

    def connect(self, address: str) -> "Honest":
        return self

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> HttpResponse:
        asked = Asked(method, path, body or b"", headers or {})
        given = self.relayed(asked)
        self.past.append((asked, given))
        return given

    def relayed(self, asked: Asked) -> HttpResponse:
        said = self.desk.ask(asked.method, asked.path, asked.body, asked.headers.items())
        return answer(said.status, said.headers, said.body)

    def close(self) -> None:
        """The service stays."""


Trick = Callable[["Impostor", Asked], HttpResponse]


@dataclass
class Impostor:
    """A server without the key, which knows all that was ever said, and can ask the provider itself."""

    honest: Honest
    plan: Plan
    chance: random.Random
    trick: Trick
    after_proof: bool = False  # it takes the connection over only when the provider has shown its key
    key: Ed25519PrivateKey = field(default_factory=Ed25519PrivateKey.generate)
    heard: list[Asked] = field(default_factory=list)

    def connect(self, address: str) -> "Impostor":
        return self

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> HttpResponse:
        asked = Asked(method, path, body or b"", headers or {})
        if self.after_proof and asked.is_open:
            return self.honest.relayed(asked)
        self.heard.append(asked)
        return self.trick(self, asked)

    def close(self) -> None:
        """It waits for the next."""

    @property
    def pinned(self) -> str:
        """The provider's key, which everyone knows."""
        return self.honest.past[0][1].headers[KEY_HEADER.lower()]

    def wanted(self, asked: Asked) -> tuple[int, dict[str, str], bytes]:
        """What the home would like to hear."""
        if asked.path.endswith("/plans"):
            told = {"plans": [{"id": self.plan.id, "name": "come to me"}]}
            return 200, {}, json.dumps(told).encode()
        if asked.path.endswith("/keys"):
            return 200, {}, self._history()
        if asked.is_open:
            past = next(given for was, given in self.honest.past if was.path == asked.path)
            return 200, {SIGNATURE_HEADER: past.headers[SIGNATURE_HEADER.lower()]}, past.body
        if asked.path.endswith("/devices"):
            return 201, {}, json.dumps({"device": "00" * 16}).encode()
        return 200, {}, ACCEPTED if asked.method == "POST" else b'{"reports": 3}'

    def _history(self) -> bytes:
        """A word of the provider's key for this one, made up."""
        mine = self.key.public_key().public_bytes_raw().hex()
        word = self.chance.choice([self.key.sign(bytes(32)).hex(), "00" * 64])
        return json.dumps({"history": [{"key": self.pinned, "successor": mine, "signature": word}]}).encode()


def answer(status: int, headers: dict[str, str], body: bytes) -> HttpResponse:
    return HttpResponse(status, {name.lower(): value for name, value in headers.items()}, body)


def unsigned(impostor: Impostor, asked: Asked) -> HttpResponse:
    """Everything but a proof, as a provider of an older version."""
    status, headers, body = impostor.wanted(asked)
    return answer(status, {KEY_HEADER: impostor.pinned, **headers}, body)


def own_key(impostor: Impostor, asked: Asked) -> HttpResponse:
    """Well proved, by another key; the plan signed anew."""
    status, headers, body = impostor.wanted(asked)
    signed = sign_plan(impostor.key, body) if SIGNATURE_HEADER in headers else {}
    return answer(status, {**signed, **prove(impostor.key, asked.question, status, body)}, body)


def borrowed_name(impostor: Impostor, asked: Asked) -> HttpResponse:
    """Proved by another key, with the provider's key written beside it."""
    told = own_key(impostor, asked)
    return answer(told.status, {**told.headers, KEY_HEADER.lower(): impostor.pinned}, told.body)


def replayed(impostor: Impostor, asked: Asked) -> HttpResponse:
    """What the provider once answered to the same path, or to any."""
    same = [given for was, given in impostor.honest.past if was.path == asked.path]
    return impostor.chance.choice(same or [given for _, given in impostor.honest.past])


def old_proof(impostor: Impostor, asked: Asked) -> HttpResponse:
    """What the home wants to hear, with a proof of something else."""
    status, headers, body = impostor.wanted(asked)
    past = impostor.chance.choice(impostor.honest.past)[1].headers
    names = (KEY_HEADER.lower(), PROOF_HEADER.lower())
    return answer(status, {**headers, **{name: past[name] for name in names}}, body)


def reflected(impostor: Impostor, asked: Asked) -> HttpResponse:
    """The home's own signature, or its nonce, turned back on it."""
    status, headers, body = impostor.wanted(asked)
    own = asked.headers.get(SIGNATURE_HEADER) or asked.headers[NONCE_HEADER] * 2
    return answer(status, {**headers, KEY_HEADER: impostor.pinned, PROOF_HEADER: own}, body)


def other_question(impostor: Impostor, asked: Asked) -> HttpResponse:
    """The provider is asked something else with the home's nonce, and proves that."""
    paths = {"/v1/plans", "/v1/keys", f"/v1/plans/{impostor.plan.id}", "/v1/nothing"} - {asked.path}
    proof = impostor.honest.relayed(asked.turned_into(impostor.chance.choice(sorted(paths))))
    if not asked.is_open and impostor.chance.random() < 0.5:
        return proof
    status, headers, body = impostor.wanted(asked)
    return answer(status, {**headers, **proof.headers}, body)


def altered(impostor: Impostor, asked: Asked) -> HttpResponse:
    """A good answer of the provider, with its status or its body changed on the way."""
    own = asked if asked.is_open else asked.turned_into(f"/v1/plans/{impostor.plan.id}")
    good = impostor.honest.relayed(own)
    _, _, body = impostor.wanted(asked)
    changed = answer(good.status, good.headers, body if body != good.body else body + b" ")
    return impostor.chance.choice([changed, answer(410, good.headers, good.body)])


def stripped(impostor: Impostor, asked: Asked) -> HttpResponse:
    """The provider's own answer without its proof."""
    good = impostor.honest.relayed(asked) if asked.is_open else unsigned(impostor, asked)
    headers = {name: value for name, value in good.headers.items() if name != PROOF_HEADER.lower()}
    return answer(good.status, headers, good.body)


def refusing(impostor: Impostor, asked: Asked) -> HttpResponse:
    """That all is over, so that the home forgets its reports."""
    status = impostor.chance.choice([401, 403, 404, 410, 422, 429, 503])
    refused = [{"index": index, "reason": "too_late"} for index in range(10)]
    told = {"title": "over", "accepted": 0, "repeated": 0, "rejected": refused}
    body = json.dumps(told).encode()
    proof = prove(impostor.key, asked.question, status, body) if impostor.chance.random() < 0.5 else {}
    return answer(status, proof, body)


TRICKS: tuple[Trick, ...] = (
    unsigned,
    own_key,
    borrowed_name,
    replayed,
    old_proof,
    reflected,
    other_question,
    altered,
    stripped,
    refusing,
)
