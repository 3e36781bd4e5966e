"""A hash that is the same for the same name, and that nobody can foresee."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.privacy.entropy import Simulation
from hushwatt.wire.reports.columns import hash_names
from hushwatt.wire.reports.keyed_hash import KeyedHash

NAMES = st.lists(st.text(max_size=40), min_size=1, max_size=20)


def of(name, keys):
    """The hash as its docstring has it, in Python's own numbers."""
    data = name.encode()
    parts = [int.from_bytes(data[start : start + 4], "little") for start in range(0, len(data), 4)]
    sums = [(key[0] + key[1] * len(data) + sum(k * c for k, c in zip(key[2:], parts, strict=False))) for key in keys]
    first, second = (total % 2**64 >> 32 for total in sums)
    return first << 32 | second


@given(names=NAMES)
def test_the_formula(names):
    """What is computed for many names at once is what the formula says for each."""
    entropy = Simulation(1, "hash").stream("keys")
    hashed = KeyedHash(Simulation(1, "hash").stream("keys"))
    values = hashed(pa.array(names)).tolist()
    words = max(-(-len(name.encode()) // 8) for name in names)
    count = 2 + 2 * max(words, 1)
    keys = entropy.words(2 * count).reshape(2, count).tolist()

    assert values == [of(name, keys) for name in names]


@given(batches=st.lists(NAMES, max_size=4))
def test_a_name_has_one_hash(batches):
    """However long the other names are, and wherever in a column it stands; another name has another."""
    hashed, known = KeyedHash(), {}
    for batch in batches:
        for name, value in zip(batch, hashed(pa.array(["other", *batch])[1:]).tolist(), strict=True):
            assert known.setdefault(name, value) == value

    assert len(set(known.values())) == len(known)


def test_keys_are_fresh():
    """Two hashes agree on no name."""
    names = pa.array([f"home {number}" for number in range(1_000)])

    assert not (KeyedHash()(names) == KeyedHash()(names)).any()


def test_names_with_the_same_hash_without_a_key():
    """Names that were chosen so that `hash_names` cannot tell them apart differ here."""
    multiplier, first = 0x9E37_79B9_7F4A_7C15, 0x6161_6161_6161_6161
    mixed = [((16 ^ word) * multiplier) % 2**64 for word in (first, first ^ 1)]
    one, other = (each ^ each >> 29 for each in mixed)
    second = 0x6262_6262_6262_6262
    data = b"".join(word.to_bytes(8, "little") for word in (first, second, first ^ 1, second ^ one ^ other))
    offsets = pa.py_buffer(np.array([0, 16, 32], dtype=np.int32))
    names = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(data)])

    assert len(set(hash_names(names).tolist())) == 1
    assert len(set(KeyedHash()(names).tolist())) == 2
