"""Keys of providers that can be swapped for one another in between, and how one vouches for the next."""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.audit.harness.fake_provider import ADDRESS, FakeProvider
from hushwatt.wire.signature import public_bytes, sign_successor

__all__ = ["ADDRESS", "KEY", "OTHER", "THIRD", "FakeProvider", "vouched"]

KEY, OTHER, THIRD = (Ed25519PrivateKey.from_private_bytes(bytes([each] * 32)) for each in (1, 2, 3))


def vouched(old, new, by=None):
    """One step of a history of keys, signed by the old one or by somebody else."""
    word = sign_successor(by or old, public_bytes(new))
    return {"key": public_bytes(old).hex(), "successor": public_bytes(new).hex(), "signature": word.hex()}
