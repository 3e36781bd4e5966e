"""Whether homes speak when it is their turn, and about what is next in their order.

Of each home it is known at which phase of the window it speaks, and where in its order each
appliance may stand.  Either was given to it at enrolment, or it is what the home's own accepted
reports say: the first one fixes the phase, and every one places some appliances.  A report that
agrees with no order the earlier ones leave open is refused, and leaves no trace
(docs/proofs/held-to-turns.md).
"""

from hashlib import shake_256

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import first_place, has_orders, has_turns
from hushwatt.wire.payload import Layout

NO_PHASE = -1  # no phase yet
IN_PLACE, OUT_OF_TURN, OUT_OF_ORDER = 0, 10, 11
REFUSALS = {OUT_OF_TURN: "out_of_turn", OUT_OF_ORDER: "out_of_order"}
WORD_BITS = 64  # bits
BATCH_CELLS = 1 << 22  # places of orders checked together

Rows = NDArray[np.uint8]
Indices = NDArray[np.intp]
Members = NDArray[np.intp]


def rotates(plan: Plan) -> bool:
    """Whether a plan has turns or orders at all."""
    return has_turns(plan) or has_orders(plan)


class Rotations:
    """The phases and orders of some homes, a row each, as far as they are known."""

    phases: NDArray[np.int32]
    starts: Rows  # the places, a bit each, from which on it is known which s appliances follow
    places: NDArray[np.unsignedinteger]  # the first of those where each appliance may still stand

    def __init__(self, plan: Plan, count: int = 0) -> None:
        self.plan, self.layout = plan, Layout.of(plan)
        self.appliances = len(plan.appliances) if has_orders(plan) else 0
        self.phases = np.full(count, NO_PHASE, dtype=np.int32)
        self.starts = np.zeros((count, -(-self.appliances // 8)), dtype=np.uint8)
        kind = np.uint8 if self.appliances <= 1 << 8 else np.uint16
        self.places = np.zeros((count, self.appliances), dtype=kind)
        self.changed = np.zeros(count, dtype=bool)  # since it was made

    def __len__(self) -> int:
        return len(self.phases)

    def grow(self, count: int) -> None:
        """Add so many homes of which nothing is known."""
        if not count:
            return
        more = Rotations(self.plan, count)
        for name in ("phases", "starts", "places", "changed"):
            setattr(self, name, np.concatenate([getattr(self, name), getattr(more, name)]))

    def give(self, home: int, phase: int | None, order: NDArray[np.integer]) -> None:
        """Fix the phase and the whole order of a home."""
        self.changed[home] = True
        self.phases[home] = NO_PHASE if phase is None else phase
        if self.appliances:
            self.starts[home] = 0xFF
            self.places[home, order] = np.arange(self.appliances)

    def judge(self, slot: int, homes: Indices, payloads: Rows) -> NDArray[np.int8]:
        """A verdict for the reports of different homes in a slot; what is in place is taken at its word."""
        step = BATCH_CELLS // (self.appliances or 1)
        verdicts = [
            self._judged(slot, homes[start : start + step], payloads[start : start + step])
            for start in range(0, len(homes), step)
        ]
        return np.concatenate([np.empty(0, dtype=np.int8), *verdicts])

    def _judged(self, slot: int, homes: Indices, payloads: Rows) -> NDArray[np.int8]:
        verdicts = np.full(len(homes), IN_PLACE, dtype=np.int8)
        if self.appliances:
            step = OrderCheck(self, first_place(self.plan, slot), homes, self.layout.members(payloads))
            verdicts[~step.fit()] = OUT_OF_ORDER
        if has_turns(self.plan):
            phase, phases = slot % self.plan.window, self.phases[homes]
            verdicts[(phases != phase) & (phases != NO_PHASE)] = OUT_OF_TURN
            new = homes[(phases == NO_PHASE) & (verdicts == IN_PLACE)]
            self.phases[new], self.changed[new] = phase, True
        if self.appliances:
            step.learn(np.flatnonzero(verdicts == IN_PLACE))
        return verdicts

    @property
    def size(self) -> int:
        """Bytes of a home in the store."""
        return 4 + int(self.starts.shape[1]) + self.appliances * self.places.itemsize

    def packed(self, homes: Indices) -> Rows:
        """Homes in bytes: phase + 1, then the starts, then the places, all little endian."""
        phases = (self.phases[homes] + 1).astype("<u4")[:, None].view(np.uint8)
        places = self.places[homes].astype(self.places.dtype.newbyteorder("<")).view(np.uint8)
        return np.concatenate([phases, self.starts[homes], places], axis=1)

    def unpack(self, homes: Indices, rows: Rows) -> None:
        """What the store has of some homes."""
        phases, starts, places = np.split(rows, [4, 4 + self.starts.shape[1]], axis=1)
        self.phases[homes] = np.ascontiguousarray(phases).view("<u4").reshape(-1).astype(np.int64) - 1
        self.starts[homes] = starts
        if self.appliances:
            kind = self.places.dtype.newbyteorder("<")
            self.places[homes] = np.ascontiguousarray(places).view(kind)


class OrderCheck:
    """Some homes name the appliances from place `start` of their orders on.

    Nothing tells two places apart as long as every start seen has both among its s places, or
    neither.  Such places are one class, called by its first place.  An order is possible when it
    has every appliance in its own class, so the named ones must be of the classes, each as often,
    of the s places asked.
    """

    def __init__(self, known: Rotations, start: int, homes: Indices, members: Members) -> None:
        self._known, self._start, self._homes, self._members = known, start, homes, members
        self._asked = (start + np.arange(known.layout.asked)) % known.appliances
        starts = known.starts[homes]
        self._kinds, self._which = starts[:1], np.zeros(len(homes), dtype=np.intp)
        if (starts != starts[0]).any():
            self._kinds, self._which = _unique_rows(starts)
        self._classes = classes_of(self._kinds, known.appliances, known.layout.asked)

    def fit(self) -> NDArray[np.bool_]:
        """Which homes have a possible order with what they name."""
        named = self._known.places[self._homes[:, None], self._members]
        expected = np.sort(self._classes[:, self._asked], axis=1)
        fit: NDArray[np.bool_] = (np.sort(named, axis=1) == expected[self._which]).all(axis=1)
        return fit

    def learn(self, rows: NDArray[np.intp]) -> None:
        """Split the classes of these homes into what was asked and what was not."""
        byte, bit = self._start // 8, np.uint8(1 << self._start % 8)
        new = self._kinds[:, byte] & bit == 0
        rows = rows[new[self._which[rows]]]
        if not len(rows):
            return
        known, homes, which = self._known, self._homes[rows], self._which[rows]
        asked, others = self._split()
        places = known.places[homes]
        named = np.take_along_axis(places, self._members[rows], axis=1)
        moved = _looked_up(others, which, places)
        np.put_along_axis(moved, self._members[rows], _looked_up(asked, which, named), axis=1)
        known.places[homes] = moved
        known.starts[homes, byte] |= bit
        known.changed[homes] = True

    def _split(self) -> tuple[NDArray[np.unsignedinteger], NDArray[np.unsignedinteger]]:
        """For each class what becomes of it: of its places that were asked, and of the others."""
        known, kinds = self._known, self._kinds.copy()
        kinds[:, self._start // 8] |= np.uint8(1 << self._start % 8)
        finer = classes_of(kinds, known.appliances, known.layout.asked)
        others = np.setdiff1d(np.arange(known.appliances), self._asked)
        tables = []
        for places in (self._asked, others):
            table = np.zeros(finer.shape, dtype=known.places.dtype)
            np.put_along_axis(table, self._classes[:, places], finer[:, places], axis=1)
            tables.append(table)
        return tables[0], tables[1]


def classes_of(starts: Rows, appliances: int, asked: int) -> NDArray[np.intp]:
    """The class of every place, as the first place of it, for each row of starts.

    A place is known by the starts among the s places up to it: their sum, each start with a
    number of its own (a bit; from 65 appliances on, 64 bits of a hash).

    >>> classes_of(np.array([[0b00001]], dtype=np.uint8), appliances=5, asked=2).tolist()
    [[0, 0, 2, 2, 2]]
    """
    weighted = np.unpackbits(starts, axis=1, count=appliances, bitorder="little") * _weights(appliances)
    before = np.concatenate([np.zeros_like(weighted[:, :1]), weighted[:, appliances - asked + 1 :], weighted], axis=1)
    sums = np.cumsum(before, axis=1)
    known_by = sums[:, asked:] - sums[:, :-asked]
    order = np.argsort(known_by, axis=1, kind="stable")
    sorted_by = np.take_along_axis(known_by, order, axis=1)
    begins = np.zeros(order.shape, dtype=np.intp)
    begins[:, 1:] = np.where(sorted_by[:, 1:] != sorted_by[:, :-1], np.arange(1, appliances), 0)
    firsts = np.take_along_axis(order, np.maximum.accumulate(begins, axis=1), axis=1)
    classes = np.empty_like(order)
    np.put_along_axis(classes, order, firsts, axis=1)
    return classes


def _weights(appliances: int) -> NDArray[np.uint64]:
    """A number for each place: a bit, or from 65 places on 64 bits of a hash."""
    if appliances <= WORD_BITS:
        return np.left_shift(np.uint64(1), np.arange(appliances, dtype=np.uint64))
    return np.frombuffer(shake_256(b"hushwatt-places").digest(8 * appliances), dtype="<u8").astype(np.uint64)


def _unique_rows(rows: Rows) -> tuple[Rows, Indices]:
    """The different rows, and which of them each row is; as words where they fit, which sort quicker."""
    if rows.shape[1] > WORD_BITS // 8:
        kinds, which = np.unique(rows, axis=0, return_inverse=True)
        return kinds, which.reshape(-1)
    words = np.zeros((len(rows), WORD_BITS // 8), dtype=np.uint8)
    words[:, : rows.shape[1]] = rows
    _, first, which = np.unique(words.view(np.uint64).reshape(-1), return_index=True, return_inverse=True)
    return rows[first], which


def _looked_up(
    tables: NDArray[np.unsignedinteger], which: Indices, places: NDArray[np.unsignedinteger]
) -> NDArray[np.unsignedinteger]:
    """What the table of each row's kind has at each of the row's places; mostly there is one table."""
    values: NDArray[np.unsignedinteger] = tables[0][places] if len(tables) == 1 else tables[which[:, None], places]
    return values
