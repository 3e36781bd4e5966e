"""The provider's keys: made once, kept private, rotated with the old one's word."""

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from hushwatt.errors import StateError
from hushwatt.provider.service.keys import HISTORY, KEY, open_keys, rotate_keys
from hushwatt.wire.signature import verify_successor


def test_a_key_is_made_once_and_is_its_owners_alone(tmp_path):
    """The second start finds the key of the first; nobody else may read it."""

    assert open_keys(tmp_path).public == open_keys(tmp_path).public
    assert (tmp_path / KEY).stat().st_mode & 0o077 == 0


def test_rotations_make_a_chain(tmp_path):
    """Every key but the first is vouched for by the one before it."""
    keys = [open_keys(tmp_path), rotate_keys(tmp_path), rotate_keys(tmp_path)]

    publics = [each.public.hex() for each in keys]
    assert len(set(publics)) == 3
    assert [(each.key, each.successor) for each in keys[-1].history] == [
        tuple(publics[:2]),
        tuple(publics[1:]),
    ]
    for step in keys[-1].history:
        assert verify_successor(*map(bytes.fromhex, (step.key, step.signature, step.successor)))


@pytest.mark.parametrize("name, text", [(KEY, "no key"), (HISTORY, "{"), (HISTORY, '[{"a": 1}]')])
def test_damaged_files_are_refused(tmp_path, name, text):
    """Nothing is made up in the place of what was there."""
    open_keys(tmp_path)
    (tmp_path / name).write_text(text)

    with pytest.raises(StateError, match=name):
        open_keys(tmp_path)
    assert (tmp_path / name).read_text() == text


def test_a_key_of_another_kind_is_refused(tmp_path):
    """A key that signs by another algorithm is not taken for the provider's."""
    key = X25519PrivateKey.generate()
    (tmp_path / KEY).write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))

    with pytest.raises(StateError, match="is not an Ed25519 key"):
        open_keys(tmp_path)
