"""Which public keys are sound: against the group itself, and against every key that is known to be weak."""

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from hushwatt.errors import ReportError
from hushwatt.wire import curve
from hushwatt.wire.curve import ORDER, PRIME, is_sound, is_weak
from hushwatt.wire.signature import public_key, sound_key, verify_plan, verify_successor


def encoded(point):
    x, y = (value * pow(point[2], -1, PRIME) % PRIME for value in point[:2])
    return (y | (x & 1) << 255).to_bytes(32, "little")


def public(seed):
    return Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32).public_key().public_bytes_raw()


def _small():
    """The eight points of small order: what is left of any point after the order of the large group."""
    found, y = {}, 2
    while len(found) < 8:
        y += 1
        point = curve._decoded(y.to_bytes(32, "little"))
        if point:
            rest = curve._times(ORDER, point)
            found[encoded(rest)] = rest
    return found


SMALL = _small()
TWICE = [  # y is 0 or 1 beyond the prime, and x = 0 with a sign
    (value | sign << 255).to_bytes(32, "little") for value in range(PRIME, 2**255) for sign in (0, 1)
]
WEAK = [*SMALL, *TWICE, (1 | 1 << 255).to_bytes(32, "little"), (PRIME - 1 | 1 << 255).to_bytes(32, "little")]
MIXED = [
    encoded(curve._added(curve._decoded(public(7)), rest)) for key, rest in SMALL.items() if key != b"\x01" + bytes(31)
]


def test_there_are_eight_points_of_small_order():
    """All of them are known at a glance, and no others: libsodium's list."""

    assert len(SMALL) == 8
    assert {int.from_bytes(key, "little") & (1 << 255) - 1 for key in SMALL} == curve.SMALL


@pytest.mark.parametrize("key", WEAK, ids=bytes.hex)
def test_weak_keys_are_told(key):
    """Small order, or a second way to write a number."""

    assert is_weak(key)
    assert not is_sound(key)


def test_a_constant_signature_fits_a_weak_key():
    """Why this is needed: the library takes the neutral point for a key, and one signature for every text."""
    neutral = b"\x01" + bytes(31)

    Ed25519PublicKey.from_public_bytes(neutral).verify(neutral + bytes(32), b"any text")
    with pytest.raises(InvalidSignature):
        Ed25519PublicKey.from_public_bytes(public(1)).verify(neutral + bytes(32), b"any text")


@pytest.mark.parametrize("key", MIXED, ids=bytes.hex)
def test_keys_with_a_part_of_small_order(key):
    """They are not weak at a glance, and not sound either."""

    assert not is_weak(key)
    assert not is_sound(key)


@pytest.mark.parametrize("seed", range(20))
def test_made_keys_are_sound(seed):
    """Whatever Ed25519 makes passes, and is decoded to the point it was."""
    key = public(seed)

    assert is_sound(key)
    assert not is_weak(key)
    assert encoded(curve._decoded(key)) == key


@pytest.mark.parametrize("key", [b"", bytes(31), bytes(33), b"\x02" + bytes(31)], ids=bytes.hex)
def test_what_is_no_point(key):
    """Bytes of another length, and a height without a point."""

    assert not is_sound(key)


@pytest.mark.parametrize("key", WEAK + MIXED, ids=bytes.hex)
def test_a_key_that_anybody_signs_for_vouches_for_nothing(key):
    """Neither a plan nor a successor is believed by the word of a key that is not sound."""
    constant = key + bytes(32)  # fits a key of small order, with a chance that depends on the text

    with pytest.raises(ReportError, match="public key"):
        verify_plan(key, constant, b"{}")
    with pytest.raises(ReportError, match="public key"):
        verify_successor(key, constant, public(7))
    with pytest.raises(ReportError, match="public key"):
        sound_key(key)


@pytest.mark.parametrize("key", WEAK, ids=bytes.hex)
def test_a_weak_key_is_told_at_a_glance(key):
    """Keys of small order, or written in a second way, are refused wherever a key is used at all."""

    with pytest.raises(ReportError, match="anybody can sign"):
        public_key(key)
