"""Who answers: the provider's Ed25519 signature over one answer to one question.

The home puts a fresh nonce into its request.  The provider signs seven lines:

    hushwatt-answer-v1
    the nonce, in hex
    the method
    the path, from /v1/ on
    the SHA-256 of the request's body in hex, or - where it was answered without reading the body
    the status
    the SHA-256 of the answer's body in hex

A nonce is used once, so no old answer fits a new question; method, path and body are in it,
so no answer fits another question; and its purpose stands first, so nothing signed for
something else is an answer.
"""

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.errors import ReportError
from hushwatt.wire.signature import KEY_HEADER, hex_header, public_bytes, public_key, signed_path, verifies

NONCE_HEADER = "Hushwatt-Nonce"  # of a request: 32 random bytes
PROOF_HEADER = "Hushwatt-Proof"  # of its answer: the signature
NONCE_BYTES = 32  # bytes
PURPOSE = "hushwatt-answer-v1"
BODY_UNREAD = "-"


@dataclass(frozen=True)
class Challenge:
    """A request that wants a proof with its answer.

    >>> key = Ed25519PrivateKey.generate()
    >>> challenge = Challenge.fresh("POST", "/v1/plans/5f/reports", b"records")
    >>> headers = prove(key, challenge, 200, b"{}")
    >>> challenge.proved_by(public_bytes(key), headers, 200, b"{}")
    True
    >>> challenge.proved_by(public_bytes(key), headers, 200, b"[]")
    False
    """

    nonce: bytes
    method: str
    path: str
    digest: str  # of the body

    @classmethod
    def fresh(cls, method: str, path: str, body: bytes) -> "Challenge":
        return cls(secrets.token_bytes(NONCE_BYTES), method, path, sha256_hex(body))

    @property
    def headers(self) -> dict[str, str]:
        """What the request says."""
        return {NONCE_HEADER: self.nonce.hex()}

    def proved_by(self, key: bytes, headers: Mapping[str, str], status: int, body: bytes) -> bool:
        """Whether the holder of `key` gave this answer to this question."""
        signature = hex_header(headers, PROOF_HEADER, 64)
        if signature is None:
            return False
        unread = Challenge(self.nonce, self.method, self.path, BODY_UNREAD)
        asked = (self,) if 200 <= status < 300 else (self, unread)
        try:
            return any(verifies(public_key(key), signature, proof_text(each, status, body)) for each in asked)
        except ReportError:
            return False


def prove(key: Ed25519PrivateKey, challenge: Challenge, status: int, body: bytes) -> dict[str, str]:
    """The headers that prove an answer."""
    signature = key.sign(proof_text(challenge, status, body))
    return {KEY_HEADER: public_bytes(key).hex(), PROOF_HEADER: signature.hex()}


def proof_text(challenge: Challenge, status: int, body: bytes) -> bytes:
    """The bytes that a proof covers."""
    asked = (challenge.nonce.hex(), challenge.method.upper(), signed_path(challenge.path), challenge.digest)
    return "\n".join([PURPOSE, *asked, str(status), sha256_hex(body), ""]).encode()


def sha256_hex(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
