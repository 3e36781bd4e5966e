"""Servers that stand in a provider's place without its key, and the tricks they know."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.audit.harness.fake_provider import Endpoint, SentRequest, answer_of
from hushwatt.audit.harness.in_process_client import InProcessClient
from hushwatt.household.upload.http import HttpResponse
from hushwatt.plan import Plan
from hushwatt.wire.proof import NONCE_HEADER, PROOF_HEADER, prove
from hushwatt.wire.signature import KEY_HEADER, SIGNATURE_HEADER, sign_plan

ACCEPTED = b'{"accepted": 10, "repeated": 0, "rejected": []}'


@dataclass
class RecordingProvider(Endpoint):
    """The provider: its service in this process, and a recording of all that it ever answered."""

    client: InProcessClient
    past: list[tuple[SentRequest, HttpResponse]] = field(default_factory=list)

    def answer(self, request: SentRequest) -> HttpResponse:
        given = self.relayed(request)
        self.past.append((request, given))
        return given

    def relayed(self, request: SentRequest) -> HttpResponse:
        response = self.client.ask(request.method, request.path, request.body, request.headers.items())
        return answer_of(response.status, response.headers, response.body)


Trick = Callable[["Impostor", SentRequest], HttpResponse]


@dataclass
class Impostor(Endpoint):
    """A server without the key, which knows all that was ever said, and can ask the provider itself."""

    honest: RecordingProvider
    plan: Plan
    chance: random.Random
    trick: Trick
    after_proof: bool = False  # it takes the connection over only when the provider has shown its key
    key: Ed25519PrivateKey = field(default_factory=Ed25519PrivateKey.generate)
    heard: list[SentRequest] = field(default_factory=list)

    def answer(self, request: SentRequest) -> HttpResponse:
        if self.after_proof and request.is_open:
            return self.honest.relayed(request)
        self.heard.append(request)
        return self.trick(self, request)

    @property
    def pinned(self) -> str:
        """The provider's key, which everyone knows."""
        return self.honest.past[0][1].headers[KEY_HEADER.lower()]

    def wanted(self, request: SentRequest) -> tuple[int, dict[str, str], bytes]:
        """What the home would like to hear."""
        if request.path.endswith("/plans"):
            document = {"plans": [{"id": self.plan.id, "name": "come to me"}]}
            return 200, {}, json.dumps(document).encode()
        if request.path.endswith("/keys"):
            return 200, {}, self._history()
        if request.is_open:
            past = next(given for was, given in self.honest.past if was.path == request.path)
            return 200, {SIGNATURE_HEADER: past.headers[SIGNATURE_HEADER.lower()]}, past.body
        if request.path.endswith("/devices"):
            return 201, {}, json.dumps({"device": "00" * 16}).encode()
        return 200, {}, ACCEPTED if request.method == "POST" else b'{"reports": 3}'

    def _history(self) -> bytes:
        """A word of the provider's key for this one, made up."""
        mine = self.key.public_key().public_bytes_raw().hex()
        word = self.chance.choice([self.key.sign(bytes(32)).hex(), "00" * 64])
        return json.dumps({"history": [{"key": self.pinned, "successor": mine, "signature": word}]}).encode()

    def unsigned(self, request: SentRequest) -> HttpResponse:
        """Everything but a proof, as a provider of an older version."""
        status, headers, body = self.wanted(request)
        return answer_of(status, {KEY_HEADER: self.pinned, **headers}, body)

    def own_key(self, request: SentRequest) -> HttpResponse:
        """Well proved, by another key; the plan signed anew."""
        status, headers, body = self.wanted(request)
        signed = sign_plan(self.key, body) if SIGNATURE_HEADER in headers else {}
        return answer_of(status, {**signed, **prove(self.key, request.challenge, status, body)}, body)

    def borrowed_name(self, request: SentRequest) -> HttpResponse:
        """Proved by another key, with the provider's key written beside it."""
        proved = self.own_key(request)
        return answer_of(proved.status, {**proved.headers, KEY_HEADER.lower(): self.pinned}, proved.body)

    def replayed(self, request: SentRequest) -> HttpResponse:
        """What the provider once answered to the same path, or to any."""
        same = [given for was, given in self.honest.past if was.path == request.path]
        return self.chance.choice(same or [given for _, given in self.honest.past])

    def old_proof(self, request: SentRequest) -> HttpResponse:
        """What the home wants to hear, with a proof of something else."""
        status, headers, body = self.wanted(request)
        past = self.chance.choice(self.honest.past)[1].headers
        names = (KEY_HEADER.lower(), PROOF_HEADER.lower())
        return answer_of(status, {**headers, **{name: past[name] for name in names}}, body)

    def reflected(self, request: SentRequest) -> HttpResponse:
        """The home's own signature, or its nonce, turned back on it."""
        status, headers, body = self.wanted(request)
        own = request.headers.get(SIGNATURE_HEADER) or request.headers[NONCE_HEADER] * 2
        return answer_of(status, {**headers, KEY_HEADER: self.pinned, PROOF_HEADER: own}, body)

    def other_question(self, request: SentRequest) -> HttpResponse:
        """The provider is asked something else with the home's nonce, and proves that."""
        paths = {"/v1/plans", "/v1/keys", f"/v1/plans/{self.plan.id}", "/v1/nothing"} - {request.path}
        proof = self.honest.relayed(request.turned_into(self.chance.choice(sorted(paths))))
        if not request.is_open and self.chance.random() < 0.5:
            return proof
        status, headers, body = self.wanted(request)
        return answer_of(status, {**headers, **proof.headers}, body)

    def altered(self, request: SentRequest) -> HttpResponse:
        """A good answer of the provider, with its status or its body changed on the way."""
        own = request if request.is_open else request.turned_into(f"/v1/plans/{self.plan.id}")
        good = self.honest.relayed(own)
        _, _, body = self.wanted(request)
        changed = answer_of(good.status, good.headers, body if body != good.body else body + b" ")
        return self.chance.choice([changed, answer_of(410, good.headers, good.body)])

    def stripped(self, request: SentRequest) -> HttpResponse:
        """The provider's own answer without its proof."""
        good = self.honest.relayed(request) if request.is_open else self.unsigned(request)
        headers = {name: value for name, value in good.headers.items() if name != PROOF_HEADER.lower()}
        return answer_of(good.status, headers, good.body)

    def refusing(self, request: SentRequest) -> HttpResponse:
        """That all is over, so that the home forgets its reports."""
        status = self.chance.choice([401, 403, 404, 410, 422, 429, 503])
        refused = [{"index": index, "reason": "too_late"} for index in range(10)]
        document = {"title": "over", "accepted": 0, "repeated": 0, "rejected": refused}
        body = json.dumps(document).encode()
        proof = prove(self.key, request.challenge, status, body) if self.chance.random() < 0.5 else {}
        return answer_of(status, proof, body)


TRICKS: tuple[Trick, ...] = (
    Impostor.unsigned, Impostor.own_key, Impostor.borrowed_name, Impostor.replayed, Impostor.old_proof,
    Impostor.reflected, Impostor.other_question, Impostor.altered, Impostor.stripped, Impostor.refusing,
)  # fmt: skip
