"""The columns of a report file in their plain form, whoever wrote the file.

Other programs store the same values under wider types; what is read here is
the same for all of them.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

BYTE_MASKS = np.array([(1 << 8 * size) - 1 for size in range(9)], dtype=np.uint64)  # the first bytes of a word
HASH_MULTIPLIER = np.uint64(0x9E37_79B9_7F4A_7C15)  # an odd number whose bits look like chance
MAX_NAME = 128  # bytes of a home's name


def is_allowed_type(name: str, kind: pa.DataType) -> bool:
    """May this column of a report table have this type?

    >>> is_allowed_type("slot", pa.int64()), is_allowed_type("slot", pa.string())
    (True, False)
    >>> is_allowed_type("household", pa.large_string())
    True
    """
    inner = kind.value_type if pa.types.is_dictionary(kind) and name == "household" else kind
    kinds = {
        "household": (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view),
        "payload": (
            pa.types.is_binary,
            pa.types.is_large_binary,
            pa.types.is_fixed_size_binary,
            pa.types.is_binary_view,
        ),
    }
    return any(is_kind(inner) for is_kind in kinds.get(name, (pa.types.is_integer,)))


def to_strings(column: pa.Array) -> pa.Array:
    """A column of names as plain strings."""
    return column if column.type == pa.string() else column.cast(pa.string())


def byte_lengths(column: pa.Array) -> NDArray[np.int64]:
    """How many bytes each text or binary of a column has; one that a dictionary repeats is not unpacked.

    >>> byte_lengths(pa.array(["ab", "c", "ab"]).dictionary_encode()).tolist()
    [2, 1, 2]
    """
    if pa.types.is_dictionary(column.type):
        return np.asarray(byte_lengths(column.dictionary)[column.indices.to_numpy()])
    return np.asarray(pc.binary_length(column).to_numpy(zero_copy_only=False), dtype=np.int64)


def payload_sizes(column: pa.Array) -> NDArray[np.int64]:
    """How many bytes each payload has.

    >>> payload_sizes(pa.array([b"ab", b"c"])).tolist()
    [2, 1]
    """
    if pa.types.is_fixed_size_binary(column.type):
        return np.full(len(column), column.type.byte_width)
    return np.diff(_offsets(column))


def payload_matrix(column: pa.Array, size: int) -> NDArray[np.uint8]:
    """Payloads of one size as a matrix, a row each; the bytes are not copied.

    >>> payload_matrix(pa.array([b"ab", b"cd"]), 2).tolist()
    [[97, 98], [99, 100]]
    """
    fixed = pa.types.is_fixed_size_binary(column.type)
    start = column.offset * size if fixed else int(_offsets(column)[0])
    data = np.frombuffer(column.buffers()[-1] or b"", dtype=np.uint8)
    return data[start : start + len(column) * size].reshape(len(column), size)


def fixed_binary(payloads: NDArray[np.uint8]) -> pa.Array:
    """A matrix of bytes as Arrow's fixed-size binary, a value for each row; copied only when it has gaps.

    >>> fixed_binary(np.array([[97, 98], [99, 100]], dtype=np.uint8)).to_pylist()
    [b'ab', b'cd']
    """
    count, size = payloads.shape
    return pa.Array.from_buffers(pa.binary(size), count, [None, pa.py_buffer(np.ascontiguousarray(payloads))])


def hash_names(names: pa.Array) -> NDArray[np.uint64]:
    """A number for each name that looks like chance, the same for the same name.

    >>> first, second, third = hash_names(pa.array(["ada", "bob", "ada"])).tolist()
    >>> first == third, first == second
    (True, False)
    """
    number = byte_lengths(names).astype(np.uint64)
    for rows, words in name_words(names):
        mixed = (number[rows] ^ words) * HASH_MULTIPLIER
        number[rows] = mixed ^ mixed >> np.uint64(29)
    return number


def name_words(names: pa.Array) -> Iterator[tuple[NDArray[np.intp], NDArray[np.uint64]]]:
    """The bytes of names, eight at a time as a number: of which rows, and theirs; every row comes at least once.

    >>> [(rows.tolist(), words.tolist()) for rows, words in name_words(pa.array(["A", "12345678B"]))]
    [([0, 1], [65, 4050765991979987505]), ([1], [66])]
    """
    padded = np.concatenate([name_bytes(names), np.zeros(8, dtype=np.uint8)])
    words = np.ndarray(len(padded) - 7, dtype="<u8", buffer=padded, strides=(1,))  # from every byte on
    left = byte_lengths(names)
    start = np.cumsum(left) - left
    rows = np.arange(len(left))
    while len(rows):
        yield rows, words[start[rows]] & BYTE_MASKS[np.minimum(left[rows], 8)]
        start[rows] += 8
        left[rows] -= 8
        rows = rows[left[rows] > 0]


def name_bytes(names: pa.Array) -> NDArray[np.uint8]:
    """The bytes of all names, one after the other; they are not copied.

    >>> name_bytes(pa.array(["ada", "bob"])[1:]).tobytes()
    b'bob'
    """
    offsets = _offsets(names)
    return np.frombuffer(names.buffers()[2] or b"", dtype=np.uint8)[offsets[0] : offsets[-1]]


def _offsets(column: pa.Array) -> NDArray[np.int64]:
    """Where each value begins among the bytes, and where the last one ends."""
    kind = np.dtype(np.int64 if pa.types.is_large_binary(column.type) else np.int32)
    offsets: NDArray[np.int64] = np.frombuffer(column.buffers()[1] or bytes(kind.itemsize), dtype=kind)
    return offsets[column.offset : column.offset + len(column) + 1]
