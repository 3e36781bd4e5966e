"""Sign answers for homes that ask who answers: a request with a nonce gets a proof in its answer.

Requests without a nonce, and answers that are streamed, go out as they are.
"""

import hashlib

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from starlette.types import Message, Receive, Scope, Send

from hushwatt.wire.proof import BODY_UNREAD, NONCE_BYTES, NONCE_HEADER, Challenge, prove
from hushwatt.wire.signature import hex_header


class ResponseSigner:
    """One request with a nonce: hears its body, and signs its answer."""

    def __init__(self, key: Ed25519PrivateKey, nonce: bytes, scope: Scope) -> None:
        self._key, self._nonce = key, nonce
        self._method, self._path = scope["method"], scope["path"]
        self._digest, self._whole = hashlib.sha256(), not _has_body(scope)
        self._start: Message | None = None

    def receiving(self, receive: Receive) -> Receive:
        """What receives the body, and hashes it."""

        async def received() -> Message:
            message = await receive()
            if message["type"] == "http.request":
                self._digest.update(message.get("body", b""))
                self._whole = not message.get("more_body", False)
            return message

        return received

    def sending(self, send: Send) -> Send:
        """What sends the answer: its head waits for the body, and is signed when that comes in one part."""

        async def signed(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._start = message
                return
            if self._start is not None:
                start, self._start = self._start, None
                if not message.get("more_body", False):
                    start = {**start, "headers": self._headers(start, message.get("body", b""))}
                await send(start)
            await send(message)

        return signed

    def _headers(self, start: Message, body: bytes) -> list[tuple[bytes, bytes]]:
        digest = self._digest.hexdigest() if self._whole else BODY_UNREAD
        challenge = Challenge(self._nonce, self._method, self._path, digest)
        proof = prove(self._key, challenge, start["status"], body)
        added = {name.lower().encode(): value.encode() for name, value in proof.items()}
        return [each for each in start.get("headers", []) if each[0] not in added] + list(added.items())


def response_signer_for(scope: Scope, key: Ed25519PrivateKey) -> ResponseSigner | None:
    """Who signs the answer to a request, if it asks for that."""
    wanted = NONCE_HEADER.lower().encode()
    nonces = [value for name, value in scope["headers"] if name == wanted]
    if len(nonces) != 1:
        return None
    nonce = hex_header({NONCE_HEADER: nonces[0].decode("latin-1")}, NONCE_HEADER, NONCE_BYTES)
    return None if nonce is None else ResponseSigner(key, nonce, scope)


def _has_body(scope: Scope) -> bool:
    """Whether a request says that a body follows."""
    headers = dict(scope["headers"])
    return b"transfer-encoding" in headers or headers.get(b"content-length", b"0") != b"0"
