"""Signatures: only the signer's exact request passes, for one purpose only."""

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.errors import ReportError
from hushwatt.wire.signature import (
    DEVICE_HEADER,
    KEY,
    SIGNATURE_HEADER,
    TIME_HEADER,
    public_bytes,
    public_key,
    read_request_signature,
    request_text,
    sign_plan,
    sign_request,
    sign_successor,
    verify_plan,
    verify_successor,
)

SEED = bytes(range(32))
KEY_AT_HOME = Ed25519PrivateKey.from_private_bytes(SEED)
REQUEST = {"method": "POST", "path": "/v1/plans/5f/reports", "body": b"abc"}


def claim(**changes):
    headers = sign_request(KEY_AT_HOME, bytes(16), "POST", "/v1/plans/5f/reports", 1_700_000_000, b"abc")
    return read_request_signature({**headers, **changes})


def test_the_signed_text_is_what_the_docs_say():
    """A third program that signs these five lines is understood."""
    text = request_text("post", "/v1/plans/5f/reports", 1_700_000_000, b"abc")

    assert text == (
        b"hushwatt-request-v1\nPOST\n/v1/plans/5f/reports\n1700000000\n"
        b"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n"
    )


@pytest.mark.parametrize(
    "change", [{"method": "DELETE"}, {"path": "/v1/plans/60/reports"}, {"body": b"abd"}, {"body": b""}]
)
def test_an_altered_request_does_not_fit(change):
    """The method, the path and every byte of the body are signed."""
    key = KEY_AT_HOME.public_key()

    assert claim().fits(key, **REQUEST)
    assert not claim().fits(key, **{**REQUEST, **change})


def test_an_altered_time_does_not_fit():
    """An old request cannot be given a new time."""
    key = KEY_AT_HOME.public_key()

    assert not claim(**{TIME_HEADER: "1700000001"}).fits(key, **REQUEST)


def test_another_key_does_not_fit():
    """Nobody signs for another."""
    other = Ed25519PrivateKey.generate().public_key()

    assert not claim().fits(other, **REQUEST)


def test_a_proxy_may_put_a_path_before_ours():
    """What stands before /v1/ is the proxy's affair."""
    key = KEY_AT_HOME.public_key()

    assert claim().fits(key, "POST", "/energy/v1/plans/5f/reports", b"abc")


@pytest.mark.parametrize(
    "name, text",
    [
        (DEVICE_HEADER, ""),
        (DEVICE_HEADER, "00" * 15),
        (DEVICE_HEADER, "zz" * 16),
        (DEVICE_HEADER, " " * 32),
        (SIGNATURE_HEADER, "00" * 63),
        (SIGNATURE_HEADER, "é" * 128),
        (TIME_HEADER, ""),
        (TIME_HEADER, "-5"),
        (TIME_HEADER, "²"),
        (TIME_HEADER, "1e9"),
        (TIME_HEADER, "9" * 13),
    ],
)
def test_headers_that_are_none_are_refused(name, text):
    """A header of the wrong length or letters is named, its content is not repeated."""

    with pytest.raises(ReportError, match=name) as caught:
        claim(**{name: text})
    assert not text or text not in str(caught.value)


def test_clocks_are_compared():
    """How far a signer's clock is behind is told with its sign."""

    assert claim().late_by(1_700_000_010) == 10
    assert claim().late_by(1_699_999_990) == -10


def test_a_plan_is_signed_for_what_it_is():
    """The plan's signature covers every byte of it, and only as a plan."""
    headers = sign_plan(KEY_AT_HOME, b'{"name":"x"}')
    key, signature = bytes.fromhex(headers["Hushwatt-Key"]), bytes.fromhex(headers["Hushwatt-Signature"])

    assert verify_plan(key, signature, b'{"name":"x"}')
    assert not verify_plan(key, signature, b'{"name":"y"}')
    assert not verify_plan(key, KEY_AT_HOME.sign(KEY + b'{"name":"x"}'), b'{"name":"x"}')


def test_a_key_vouches_for_the_next():
    """A rotated key is known by the word of the one before it."""
    new, other = (public_bytes(Ed25519PrivateKey.generate()) for _ in range(2))
    signature = sign_successor(KEY_AT_HOME, new)

    assert verify_successor(public_bytes(KEY_AT_HOME), signature, new)
    assert not verify_successor(public_bytes(KEY_AT_HOME), signature, other)


def test_a_key_has_32_bytes():
    """Anything else is no key."""

    with pytest.raises(ReportError, match="32 bytes"):
        public_key(bytes(31))
