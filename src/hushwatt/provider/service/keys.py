"""The provider's own key: made on the first start, rotated with the old key's word for the new one."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

from hushwatt.errors import StateError
from hushwatt.files import atomic_write
from hushwatt.wire.signature import public_bytes, sign_successor

KEY, HISTORY = "provider.key", "provider-keys.json"


@dataclass(frozen=True)
class Succession:
    """An old public key's word for the one that followed it, all in hex."""

    key: str
    successor: str
    signature: str


@dataclass(frozen=True)
class ProviderKeys:
    """The key that signs plans, and how it follows from the keys before."""

    key: Ed25519PrivateKey
    history: tuple[Succession, ...]

    @property
    def public(self) -> bytes:
        return public_bytes(self.key)


def open_keys(folder: Path) -> ProviderKeys:
    """The keys in a folder, made when there are none."""
    if not (folder / KEY).exists():
        _write_key(folder, Ed25519PrivateKey.generate())
    try:
        key = load_pem_private_key((folder / KEY).read_bytes(), password=None)
    except ValueError:
        raise StateError(f"{folder / KEY} is not a key") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise StateError(f"{folder / KEY} is not an Ed25519 key")
    return ProviderKeys(key, _history(folder))


def rotate_keys(folder: Path) -> ProviderKeys:
    """Put a new key in the place of the old one, which vouches for it first."""
    old, new = open_keys(folder), Ed25519PrivateKey.generate()
    word = sign_successor(old.key, public_bytes(new))
    step = Succession(old.public.hex(), public_bytes(new).hex(), word.hex())
    with atomic_write(folder / HISTORY) as temporary:
        temporary.write_text(json.dumps([vars(each) for each in (*old.history, step)], indent=2))
    _write_key(folder, new)
    return open_keys(folder)


def _write_key(folder: Path, key: Ed25519PrivateKey) -> None:
    with atomic_write(folder / KEY) as temporary:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))


def _history(folder: Path) -> tuple[Succession, ...]:
    file = folder / HISTORY
    if not file.exists():
        return ()
    try:
        return tuple(Succession(**each) for each in json.loads(file.read_text()))
    except (ValueError, TypeError):
        raise StateError(f"{file} is damaged") from None
