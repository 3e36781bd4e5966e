"""Whether homes speak when it is their turn, and about what is next in their order.

Of each home it is known at which phase of the window it speaks, and where in its order each
appliance may stand.  Either was given to it at enrolment, or it is what the home's own accepted
reports say: the first one fixes the phase, and every one places some appliances.  A report that
agrees with no order the earlier ones leave open is refused, and leaves no trace.
"""

from hashlib import shake_256

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import first_place, has_orders, has_turns
from hushwatt.wire.payload import Layout

FREE = -1  # no phase yet
IN_PLACE, OUT_OF_TURN, OUT_OF_ORDER = 0, 10, 11
REFUSALS = {OUT_OF_TURN: "out_of_turn", OUT_OF_ORDER: "out_of_order"}
WORD = 64  # bits

Rows = NDArray[np.uint8]
Who = NDArray[np.intp]
Members = NDArray[np.intp]
Classes = NDArray[np.uint64]


def rotates(plan: Plan) -> bool:
    """Whether a plan has turns or orders at all."""
    return has_turns(plan) or has_orders(plan)


class Rotations:
    """The phases and orders of some homes, a row each, as far as they are known."""

    phases: NDArray[np.int32]
    starts: Rows  # the places, a bit each, from which on it is known which s appliances follow
    places: NDArray[np.unsignedinteger]  # of every appliance, in an order that is still possible

    def __init__(self, plan: Plan, count: int = 0) -> None:
        self.plan, self.layout = plan, Layout.of(plan)
        self.appliances = len(plan.appliances) if has_orders(plan) else 0
        self.phases = np.full(count, FREE, dtype=np.int32)
        self.starts = np.zeros((count, -(-self.appliances // 8)), dtype=np.uint8)
        kind = np.uint8 if self.appliances <= 1 << 8 else np.uint16
        self.places = np.tile(np.arange(self.appliances, dtype=kind), (count, 1))

    def __len__(self) -> int:
        return len(self.phases)

    def grow(self, count: int) -> None:
        """Add so many homes of which nothing is known."""
        more = Rotations(self.plan, count)
        for name in ("phases", "starts", "places"):
            setattr(self, name, np.concatenate([getattr(self, name), getattr(more, name)]))

    def give(self, home: int, phase: int | None, order: NDArray[np.integer]) -> None:
        """Fix the phase and the whole order of a home."""
        self.phases[home] = FREE if phase is None else phase
        if self.appliances:
            self.starts[home] = 0xFF
            self.places[home, order] = np.arange(self.appliances)

    def judge(self, slot: int, homes: Who, payloads: Rows) -> NDArray[np.int8]:
        """A verdict for the reports of different homes in a slot; what is in place is taken at its word."""
        verdicts = np.full(len(homes), IN_PLACE, dtype=np.int8)
        if self.appliances:
            start, members = first_place(self.plan, slot), self.layout.members(payloads)
            verdicts[~self._fit(start, homes, members)] = OUT_OF_ORDER
        if has_turns(self.plan):
            here, phases = slot % self.plan.window, self.phases[homes]
            verdicts[(phases != here) & (phases != FREE)] = OUT_OF_TURN
            self.phases[homes[verdicts == IN_PLACE]] = here
        if self.appliances:
            fit = verdicts == IN_PLACE
            self._learn(start, homes[fit], members[fit])
        return verdicts

    def _fit(self, start: int, homes: Who, members: Members) -> NDArray[np.bool_]:
        """Which homes have an order, of those still possible, with these appliances from `start` on."""
        places = self.places[homes[:, None], members].astype(np.intp)
        fit: NDArray[np.bool_] = ((places - start) % self.appliances < self.layout.asked).all(axis=1)
        new = self._untold(start, homes)
        classes = self._classes(homes[new])
        named = np.take_along_axis(classes, places[new], axis=1)
        fit[new] = (np.sort(named, axis=1) == np.sort(classes[:, self._window(start)], axis=1)).all(axis=1)
        return fit

    def _learn(self, start: int, homes: Who, members: Members) -> None:
        """Move the named appliances to the places from `start` on, and only within what was open."""
        new = self._untold(start, homes)
        homes, members = homes[new], members[new]
        classes = self._classes(homes)
        inside = np.zeros(classes.shape, dtype=bool)
        inside[:, self._window(start)] = True
        named = np.zeros(classes.shape, dtype=bool)
        np.put_along_axis(named, members, True, axis=1)
        held = np.take_along_axis(classes, self.places[homes].astype(np.intp), axis=1)
        moved = _sorted(held, named), _sorted(classes, inside)
        self.places[homes[:, None], moved[0]] = moved[1]
        self.starts[homes, start // 8] |= np.uint8(1 << start % 8)

    def _window(self, start: int) -> NDArray[np.intp]:
        return (start + np.arange(self.layout.asked)) % self.appliances

    def _untold(self, start: int, homes: Who) -> NDArray[np.intp]:
        """The rows of homes that have not told yet what follows `start`."""
        return np.flatnonzero(self.starts[homes, start // 8] >> np.uint8(start % 8) & 1 == 0)

    def _classes(self, homes: Who) -> Classes:
        """For every place of every home's order a number, equal where nothing tells two places apart.

        A start tells the s places that follow it apart from all others, so a place is known by
        the starts among the s before it: the sum of a number for each, of its own bit in most plans.
        """
        bits = np.unpackbits(self.starts[homes], axis=1, count=self.appliances, bitorder="little")
        told = bits * _weights(self.appliances)
        asked = self.layout.asked
        before = np.concatenate([told[:, self.appliances - asked + 1 :], told], axis=1)
        sums = np.concatenate([np.zeros((len(homes), 1), np.uint64), np.cumsum(before, axis=1)], axis=1)
        classes: Classes = sums[:, asked:] - sums[:, :-asked]
        return classes

    @property
    def size(self) -> int:
        """Bytes of a home in the store."""
        return 4 + self.starts.shape[1] + self.places.shape[1] * self.places.itemsize

    def packed(self) -> Rows:
        """Every home in bytes: phase + 1, then the starts, then the places, all little endian."""
        phases = (self.phases + 1).astype("<u4")[:, None].view(np.uint8)
        places = self.places.astype(self.places.dtype.newbyteorder("<")).view(np.uint8)
        return np.concatenate([phases, self.starts, places], axis=1)

    def unpack(self, homes: Who, rows: Rows) -> None:
        """What the store has of some homes."""
        phases, starts, places = np.split(rows, [4, 4 + self.starts.shape[1]], axis=1)
        self.phases[homes] = np.ascontiguousarray(phases).view("<u4").reshape(-1).astype(np.int64) - 1
        self.starts[homes] = starts
        if self.appliances:
            kind = self.places.dtype.newbyteorder("<")
            self.places[homes] = np.ascontiguousarray(places).view(kind)


def _weights(appliances: int) -> Classes:
    """A number for each place: a bit, or from 65 places on 64 bits of a hash."""
    if appliances <= WORD:
        return np.left_shift(np.uint64(1), np.arange(appliances, dtype=np.uint64))
    return np.frombuffer(shake_256(b"hushwatt-places").digest(8 * appliances), dtype="<u8").astype(np.uint64)


def _sorted(classes: Classes, first: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The columns of each row by class, and in a class those that are `first` before the others."""
    order = np.argsort(~first, axis=1, kind="stable")
    by_class = np.argsort(np.take_along_axis(classes, order, axis=1), axis=1, kind="stable")
    return np.take_along_axis(order, by_class, axis=1)
