"""A cache from names to devices: homes mostly come in the same order slot after slot."""

from typing import TYPE_CHECKING

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.provider.intake.device_names import devices_of
from hushwatt.provider.store.session import Rows
from hushwatt.provider.tally.draws import slot_runs
from hushwatt.wire.record import DEVICE_BYTES

if TYPE_CHECKING:
    import pyarrow as pa

    from hushwatt.wire.reports import ReportBatch

MAX_NAME_BYTES = 1 << 27  # bytes of names that are kept; others are hashed every time


class DeviceCache:
    """The homes of a slot, in its order; later slots are compared with them while that is of use."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._slot, self._next = -1, 0  # the slot being read, and the index of its next home
        self._forget()

    def _forget(self) -> None:
        self._names: list[pa.Array] = []  # as they came, or in one piece
        self._devices: list[Rows] = []  # likewise
        self._count = self._bytes = 0  # of the names
        self._useful = False  # in the slot being read

    def devices(self, batch: "ReportBatch") -> Rows:
        """The device of every row of a batch."""
        devices = [self._look_up(batch.households[rows], slot) for rows, slot in slot_runs(batch.slot)]
        return np.concatenate([np.empty((0, DEVICE_BYTES), dtype=np.uint8), *devices])

    def _look_up(self, names: "pa.Array", slot: int) -> Rows:
        if slot != self._slot:
            if not self._useful:
                self._forget()
            self._slot, self._next, self._useful = slot, 0, False
        start, self._next = self._next, self._next + len(names)
        if start < self._count and self._joined().slice(start, len(names)).equals(names):
            self._useful = True
            return self._devices[0][start : self._next]
        devices = devices_of(self._plan, names)
        if start == self._count and self._bytes + names.nbytes <= MAX_NAME_BYTES:
            self._append(names, devices)
        return devices

    def _append(self, names: "pa.Array", devices: Rows) -> None:
        self._names.append(names)
        self._devices.append(devices)
        self._count += len(names)
        self._bytes += names.nbytes
        self._useful = True

    def _joined(self) -> "pa.Array":
        """The names in one piece, like their devices: joined once after a slot that had more than those before it."""
        import pyarrow as pa

        if len(self._names) > 1:
            self._names, self._devices = [pa.concat_arrays(self._names)], [np.concatenate(self._devices)]
        return self._names[0]
