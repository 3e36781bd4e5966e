"""One report as it travels alone: whose, when, what it cost, and the payload.

    device    16 bytes
    slot       4 bytes  ┐
    spent      4 bytes  ├ whole numbers, least significant byte first; amounts in millionths of ε
    drawn      4 bytes  ┘
    payload   as many bytes as the plan's reports have

An upload is nothing but records, one after the other.  A record holds no time but
its slot, and no address.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushwatt.errors import ReportError

DEVICE_BYTES = 16  # bytes that name a device
HEADER_BYTES = DEVICE_BYTES + 12  # bytes before the payload
MAX_NUMBER = (1 << 32) - 1  # of a slot or an amount

Numbers = NDArray[np.uint32]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class Records:
    """Reports as columns, a row each."""

    devices: Bytes  # reports × 16
    slot: Numbers
    spent: Numbers  # millionths of ε charged in this slot
    drawn: Numbers  # millionths of ε the payload was drawn with
    payloads: Bytes  # reports × bytes of one payload

    def __len__(self) -> int:
        return len(self.slot)

    def __repr__(self) -> str:
        return f"<{len(self)} records>"


def record_size(payload: int) -> int:
    """The bytes of a record whose payload has `payload` bytes.

    >>> record_size(payload=19)
    47
    """
    return HEADER_BYTES + payload


def pack(device: bytes, slot: int, spent: int, drawn: int, payload: bytes) -> bytes:
    """One record.

    >>> pack(bytes(16), slot=1, spent=2, drawn=3, payload=b"abc")[16:]
    b'\\x01\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x03\\x00\\x00\\x00abc'
    """
    if len(device) != DEVICE_BYTES:
        raise ReportError(f"a device is named by {DEVICE_BYTES} bytes, not {len(device)}")
    numbers = (_checked(name, value) for name, value in [("slot", slot), ("spent", spent), ("drawn", drawn)])
    return device + b"".join(number.to_bytes(4, "little") for number in numbers) + payload


def pack_many(devices: Bytes, slot: ArrayLike, spent: ArrayLike, drawn: ArrayLike, payloads: Bytes) -> bytes:
    """Many records, a row of `devices` and of `payloads` for each; a number may stand for all of them."""
    if devices.ndim != 2 or devices.shape[1] != DEVICE_BYTES or len(devices) != len(payloads):
        raise ReportError(f"every record needs {DEVICE_BYTES} bytes for its device, and a payload")
    rows = np.empty(len(payloads), dtype=_row(payloads.shape[1]))
    rows["device"] = devices
    rows["payload"] = payloads
    for name, values in [("slot", slot), ("spent", spent), ("drawn", drawn)]:
        given = np.asarray(values)
        if given.size:
            _checked(name, int(given.min()))
            _checked(name, int(given.max()))
        rows[name] = given
    return rows.tobytes()


def unpack(body: bytes | memoryview, payload: int) -> Records:
    """The records of an upload whose payloads have `payload` bytes each; refuses a part of a record.

    >>> records = unpack(pack(bytes(16), 7, 2, 3, b"abc") * 2, payload=3)
    >>> records, records.slot, records.payloads[1].tobytes()
    (<2 records>, array([7, 7], dtype=uint32), b'abc')
    """
    size = record_size(payload)
    if len(body) % size:
        raise ReportError(f"{len(body)} bytes are not whole records of {size} bytes")
    rows = np.frombuffer(body, dtype=_row(payload))
    return Records(rows["device"], rows["slot"], rows["spent"], rows["drawn"], rows["payload"])


def _row(payload: int) -> np.dtype[Any]:
    numbers = [("slot", "<u4"), ("spent", "<u4"), ("drawn", "<u4")]
    return np.dtype([("device", np.uint8, (DEVICE_BYTES,)), *numbers, ("payload", np.uint8, (payload,))])


def _checked(name: str, value: int) -> int:
    if not 0 <= value <= MAX_NUMBER:
        raise ReportError(f"{name} is {value}; a record holds 0 to {MAX_NUMBER}")
    return value
