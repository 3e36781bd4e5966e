"""Homes that files name: a device for every name, and its number in the store.

A device is 16 bytes.  A home that enrolled over HTTP has random ones, and `device-` with
these bytes in hex is its name in a file.  For any other name they are the first 16 bytes
of SHA-256 over the plan's id (32 bytes) and the name: the same in every store, another in
every plan.
"""

import re
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.provider.sorted_parts import SortedParts
from hushwatt.provider.store.session import HomeNumbers, Rows, device_rows
from hushwatt.wire.record import DEVICE_BYTES

if TYPE_CHECKING:
    import pyarrow as pa

PREFIX = "device-"
DEVICE_NAME = re.compile(f"{PREFIX}[0-9a-f]{{{2 * DEVICE_BYTES}}}")


def device_of(plan: Plan, household: str) -> bytes:
    """The device of a home by its name in a file.

    >>> from hushwatt.plan.presets import preset
    >>> device_of(preset("paper"), "device-" + "0f" * 16) == bytes([15] * 16)
    True
    """
    return _device(bytes.fromhex(plan.id), household)


def devices_of(plan: Plan, households: "pa.Array") -> Rows:
    """The devices of many homes, a row each."""
    plan_id = bytes.fromhex(plan.id)
    return device_rows(b"".join([_device(plan_id, name) for name in households.to_pylist()]))


def names_of(devices: Rows) -> list[str]:
    """What devices are called in a file.

    >>> names_of(np.zeros((1, 16), dtype=np.uint8))
    ['device-00000000000000000000000000000000']
    """
    return [PREFIX + device.tobytes().hex() for device in devices]


def _device(plan_id: bytes, name: str) -> bytes:
    if name.startswith(PREFIX) and DEVICE_NAME.fullmatch(name):
        return bytes.fromhex(name[len(PREFIX) :])
    return sha256(plan_id + name.encode()).digest()[:DEVICE_BYTES]


def unique_devices(devices: Rows) -> tuple[Rows, NDArray[np.intp]]:
    """Each device once, in the order they come, and where each row's is among them.

    >>> unique, index = unique_devices(np.repeat(np.array([[7], [3], [7]], dtype=np.uint8), 16, axis=1))
    >>> unique[:, 0].tolist(), index.tolist()
    ([7, 3], [0, 1, 0])
    """
    heads, _ = _halves(devices)
    if len(np.unique(heads)) == len(heads):
        return devices, np.arange(len(heads))
    raw, index = devices.tobytes(), dict[bytes, int]()
    each = [raw[start : start + DEVICE_BYTES] for start in range(0, len(raw), DEVICE_BYTES)]
    rows = [index.setdefault(device, len(index)) for device in each]
    return device_rows(b"".join(index)), np.array(rows)


class DeviceIndex:
    """The homes and the cells of devices that have been looked up, 28 bytes each."""

    def __init__(self) -> None:
        self._known = SortedParts()  # by one half of a device: the other, the home and the cell

    def find(self, devices: Rows) -> tuple[HomeNumbers, HomeNumbers]:
        """The home and the cell of each device; −1 where it is not known."""
        homes, cells = np.full((2, len(devices)), -1, dtype=np.int64)
        heads, tails = _halves(devices)
        for rows, (tail, home, cell) in self._known.matches(heads):
            same = tails[rows] == tail
            known = np.flatnonzero(rows)[same]
            homes[known], cells[known] = home[same], cell[same]
        return homes, cells

    def add(self, devices: Rows, homes: HomeNumbers, cells: HomeNumbers) -> None:
        """Remember devices that were not known."""
        heads, tails = _halves(devices)
        order = np.argsort(heads, kind="stable")
        self._known.add(heads[order], tails[order], homes[order], cells[order].astype(np.int32))


def _halves(devices: Rows) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    both = np.ascontiguousarray(devices).view(np.uint64)
    return both[:, 0], both[:, 1]
