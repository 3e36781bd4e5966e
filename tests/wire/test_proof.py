"""An answer is believed from the holder of one key, to one question, once."""

from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.wire.proof import BODY_UNREAD, Challenge, proof_text, prove
from hushwatt.wire.signature import hex_header, public_bytes, sign_request

KEY, OTHER = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
ASKED = Challenge.fresh("POST", "/v1/plans/5f/reports", b"records")


def believed(question=ASKED, proof=None, status=200, body=b"{}", key=KEY):
    return question.proved_by(public_bytes(key), proof or prove(KEY, ASKED, 200, b"{}"), status, body)


def test_the_answer_itself_is_believed():
    """The right key, question, status and body."""

    assert believed()
    assert believed(proof={name.lower(): value for name, value in prove(KEY, ASKED, 200, b"{}").items()})


@pytest.mark.parametrize(
    "other",
    [
        {"question": Challenge.fresh("POST", "/v1/plans/5f/reports", b"records")},  # a replay
        {"question": replace(ASKED, method="GET")},
        {"question": replace(ASKED, path="/v1/plans/5e/reports")},
        {"question": replace(ASKED, digest="0" * 64)},
        {"question": replace(ASKED, digest=BODY_UNREAD)},
        {"status": 201},
        {"body": b"[]"},
        {"key": OTHER},
        {"proof": {"Hushwatt-Proof": ""}},
        {"proof": {"Hushwatt-Proof": "0" * 128}},
        {"proof": {"Hushwatt-Proof": "é" * 128}},
    ],
)
def test_no_other_is(other):
    """A replay, another question, another answer, another key, or no signature."""

    assert not believed(**other)


def test_nothing_signed_for_another_purpose_is_an_answer():
    """A request that the same key signed cannot be turned back on whoever asks."""
    reflected = sign_request(KEY, bytes(16), "POST", ASKED.path, 1, b"records")["Hushwatt-Signature"]

    assert not believed(proof={"Hushwatt-Proof": reflected})
    assert proof_text(ASKED, 200, b"").startswith(b"hushwatt-answer-v1\n")


@pytest.mark.parametrize("status, holds", [(410, True), (200, False)])
def test_only_a_refusal_may_leave_the_body_unread(status, holds):
    """A service may say no before it has read everything, but never yes."""
    proof = prove(KEY, replace(ASKED, digest=BODY_UNREAD), status, b"{}")

    assert believed(proof=proof, status=status) is holds


def test_what_a_proxy_puts_before_the_path_is_not_signed():
    """The path counts from /v1/ on, on both sides."""
    asked = replace(ASKED, path="/energy" + ASKED.path)

    assert believed(question=asked)


@pytest.mark.parametrize("value", ["", "00", "zz" * 32, "0 " * 32, "٠" * 64])
def test_hex_headers(value):
    """Anything but so many bytes in hex is none."""

    assert hex_header({"name": value}, "name", 32) is None
