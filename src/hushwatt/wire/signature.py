"""Who says so: Ed25519 signatures over requests, plans and new keys.

What is signed is a short text that begins with its purpose, so that a signature made
for one purpose never serves another:

    a request   hushwatt-request-v1, method, path, time and SHA-256 of the body, a line each
    a plan      hushwatt-plan-v1, a line end, and the canonical plan
    a new key   hushwatt-key-v1, a line end, and the 32 bytes of the key that follows

Keys, signatures and devices are written in lower-case hex wherever they are text.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from hushwatt.errors import ReportError
from hushwatt.wire.curve import is_sound, is_weak
from hushwatt.wire.record import DEVICE_BYTES

DEVICE_HEADER = "Hushwatt-Device"  # who signed: a home's device, or a gateway
TIME_HEADER = "Hushwatt-Time"  # seconds since 1970
SIGNATURE_HEADER = "Hushwatt-Signature"
KEY_HEADER = "Hushwatt-Key"  # the provider's public key, beside a plan's signature
TOLERANCE = 300  # seconds that two clocks may differ
PREFIX = "/v1/"

REQUEST, PLAN, KEY = b"hushwatt-request-v1\n", b"hushwatt-plan-v1\n", b"hushwatt-key-v1\n"


@dataclass(frozen=True)
class RequestSignature:
    """What the headers of a request say: who, when, and the proof."""

    device: bytes
    time: int  # seconds since 1970
    signature: bytes

    def fits(self, key: Ed25519PublicKey, method: str, path: str, body: bytes) -> bool:
        """Whether the holder of `key` signed exactly this request."""
        return verifies(key, self.signature, request_text(method, path, self.time, body))

    def late_by(self, now: float) -> float:
        """Seconds by which the signer's clock is behind; below zero when it is ahead."""
        return now - self.time


def signed_path(path: str) -> str:
    """The part of a path that is signed: from `/v1/` on, whatever a proxy puts before it."""
    return path[path.find(PREFIX) :] if PREFIX in path else path


def request_text(method: str, path: str, time: int, body: bytes) -> bytes:
    """The bytes that a request's signature covers.

    >>> request_text("POST", "/energy/v1/plans/5f/reports", 1700000000, b"")[:60]
    b'hushwatt-request-v1\\nPOST\\n/v1/plans/5f/reports\\n1700000000\\ne3b'
    """
    text = f"{method.upper()}\n{signed_path(path)}\n{time}\n{hashlib.sha256(body).hexdigest()}\n"
    return REQUEST + text.encode()


def sign_request(
    key: Ed25519PrivateKey, device: bytes, method: str, path: str, time: int, body: bytes
) -> dict[str, str]:
    """The headers that make a request one of `device`.

    >>> key = Ed25519PrivateKey.generate()
    >>> headers = sign_request(key, bytes(16), "POST", "/v1/plans/5f/reports", 1700000000, b"abc")
    >>> claim = read_request_signature(headers)
    >>> claim.fits(key.public_key(), "POST", "/v1/plans/5f/reports", b"abc")
    True
    >>> claim.fits(key.public_key(), "POST", "/v1/plans/5f/reports", b"abd")
    False
    """
    return {
        DEVICE_HEADER: device.hex(),
        TIME_HEADER: str(time),
        SIGNATURE_HEADER: key.sign(request_text(method, path, time, body)).hex(),
    }


def read_request_signature(headers: Mapping[str, str]) -> RequestSignature:
    """What the headers of a signed request say; a ReportError when they are no such headers."""
    device, time = _required(headers, DEVICE_HEADER, DEVICE_BYTES), headers.get(TIME_HEADER, "")
    if not (time.isascii() and time.isdigit() and len(time) <= 12):
        raise ReportError(f"the header {TIME_HEADER} must be whole seconds since 1970")
    return RequestSignature(device, int(time), _required(headers, SIGNATURE_HEADER, 64))


def sign_plan(key: Ed25519PrivateKey, canonical: bytes) -> dict[str, str]:
    """The headers that go with a canonical plan."""
    return {KEY_HEADER: public_bytes(key).hex(), SIGNATURE_HEADER: key.sign(PLAN + canonical).hex()}


def verify_plan(key: bytes, signature: bytes, canonical: bytes) -> bool:
    """Whether the provider with this key published this plan.

    >>> key = Ed25519PrivateKey.generate()
    >>> headers = sign_plan(key, b"{}")
    >>> verify_plan(public_bytes(key), bytes.fromhex(headers["Hushwatt-Signature"]), b"{}")
    True
    """
    return verifies(sound_key(key), signature, PLAN + canonical)


def sign_successor(key: Ed25519PrivateKey, successor: bytes) -> bytes:
    """The old key's word for the key that follows it."""
    return key.sign(KEY + successor)


def verify_successor(key: bytes, signature: bytes, successor: bytes) -> bool:
    """Whether the old key vouched for its successor.

    >>> old, new = Ed25519PrivateKey.generate(), public_bytes(Ed25519PrivateKey.generate())
    >>> verify_successor(public_bytes(old), sign_successor(old, new), new)
    True
    """
    return verifies(sound_key(key), signature, KEY + successor)


def public_bytes(key: Ed25519PrivateKey) -> bytes:
    """The 32 bytes of the public half of a key."""
    return key.public_key().public_bytes_raw()


def public_key(raw: bytes) -> Ed25519PublicKey:
    """The public key with these 32 bytes; a ReportError when anybody could sign for it.

    >>> public_key(bytes(32))
    Traceback (most recent call last):
    hushwatt.errors.ReportError: that public key is one for which anybody can sign
    """
    if len(raw) != 32:
        raise ReportError("a public key has 32 bytes")
    if is_weak(raw):
        raise ReportError("that public key is one for which anybody can sign")
    return Ed25519PublicKey.from_public_bytes(raw)


def sound_key(raw: bytes) -> Ed25519PublicKey:
    """The same for a key that is met for the first time: it is looked at thoroughly."""
    key = public_key(raw)
    if not is_sound(raw):
        raise ReportError("that public key is not one that Ed25519 makes")
    return key


def verifies(key: Ed25519PublicKey, signature: bytes, text: bytes) -> bool:
    """Whether the holder of a key signed a text."""
    try:
        key.verify(signature, text)
    except InvalidSignature:
        return False
    return True


def hex_header(headers: Mapping[str, str], name: str, size: int) -> bytes | None:
    """So many bytes from a header, its name in any case; None when they are not there."""
    value = headers.get(name.lower(), headers.get(name, ""))
    try:
        content = bytes.fromhex(value) if len(value) == 2 * size and value.isascii() else b""
    except ValueError:
        content = b""
    return content if len(content) == size else None


def _required(headers: Mapping[str, str], name: str, size: int) -> bytes:
    content = hex_header(headers, name, size)
    if content is None:
        raise ReportError(f"the header {name} must be {size} bytes in hex")
    return content
