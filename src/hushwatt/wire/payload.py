"""The bytes of one report: the same number of them for every report of a plan.

A payload is a row of fields, packed least significant bit first.

* All appliances asked (s = n): one field per appliance, in the plan's order.
* Some asked (s < n): one entry per asked appliance, in the plan's order: its number,
  then a field wide enough for the appliance with the most levels.

A field is one bit per level for the unary oracles, and the level's number for the direct one, `grr`.
Bits that carry nothing are 0, and the provider refuses a report where they are not.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hushwatt.errors import ReportError
from hushwatt.plan.plan import Plan
from hushwatt.privacy.kernels import Rows, count_ones
from hushwatt.privacy.laws import is_direct
from hushwatt.wire.row_error import refuse

Levels = NDArray[np.unsignedinteger]
Mask = NDArray[np.bool_]
Members = NDArray[np.unsignedinteger]

NEAR = 1 << 13  # rows packed together


@dataclass(frozen=True)
class Layout:
    """Where everything stands in a payload.

    >>> Layout(oracle="oue", widths=(10,) * 15, asked=15).size
    19
    >>> Layout(oracle="grr", widths=(10,) * 15, asked=2).size
    2
    """

    oracle: str
    widths: tuple[int, ...]  # levels of each appliance, in the plan's order
    asked: int  # appliances in a report, s

    @classmethod
    def of(cls, plan: Plan) -> "Layout":
        return cls(plan.oracle, plan.widths, plan.appliances_per_report)

    @property
    def direct(self) -> bool:
        """Whether an answer is a level's number rather than a bit per level."""
        return is_direct(self.oracle)

    @property
    def partial(self) -> bool:
        return self.asked < len(self.widths)

    @property
    def number_bits(self) -> int:
        """Bits that name an appliance; none when all are asked."""
        return (len(self.widths) - 1).bit_length() if self.partial else 0

    def field_bits(self, levels: int) -> int:
        return (levels - 1).bit_length() if self.direct else levels

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The first bit of every entry, and the bit after the last."""
        widths = [max(self.widths)] * self.asked if self.partial else self.widths
        steps = [self.number_bits + self.field_bits(width) for width in widths]
        return tuple(int(place) for place in np.cumsum([0, *steps]))

    @property
    def size(self) -> int:
        """Bytes of a payload."""
        return -(-self.places[-1] // 8)

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """The first cell of every appliance in a tally, and the number of cells."""
        return np.cumsum([0, *self.widths])

    def pack(self, answers: Levels, members: Members | None = None) -> Rows:
        """Rows of levels as payloads: a number each for a direct oracle, one-hot bits else."""
        return self.name(self.pack_answers(answers), members)

    def pack_answers(self, answers: Levels) -> Rows:
        """The same without the numbers of the appliances."""
        # The first bit of every answer, and the bit after its last.
        fields = [(place + self.number_bits, after) for place, after in pairwise(self.places)]
        if not self.direct:
            return one_hot(answers, fields, self.size)
        rows = np.zeros((len(answers), self.size), dtype=np.uint8)
        for entry, (place, after) in enumerate(fields):
            put(rows, place, after - place, answers[:, entry])
        return rows

    def name(self, rows: Rows, members: Members | None) -> Rows:
        """The same payloads with the numbers of their appliances written in."""
        if self.partial:
            assert members is not None
            for entry in range(self.asked):
                put(rows, self.places[entry], self.number_bits, members[:, entry])
        return rows

    def blank(self, rows: Rows, members: Members | None = None) -> Rows:
        """These payloads with every bit cleared that is no answer."""
        if not self.partial:
            rows &= self._answer_bits(0, self.places[-1])
            return rows
        assert members is not None
        keep = np.zeros_like(rows)
        for entry in range(self.asked):
            place = self.places[entry] + self.number_bits
            masks = np.stack([self._answer_bits(place, place + width) for width in self.widths])
            keep |= masks[members[:, entry]]
        rows &= keep
        return rows

    def _answer_bits(self, first: int, last: int) -> Rows:
        bits = np.zeros(8 * self.size, dtype=np.uint8)
        bits[first:last] = 1
        return np.packbits(bits, bitorder="little")

    def members(self, rows: Rows) -> NDArray[np.intp]:
        """The numbers of the appliances that each payload names, as they stand."""
        return np.stack([take(rows, place, self.number_bits) for place in self.places[:-1]], axis=1)

    def misplaced(self, members: NDArray[np.intp], before: NDArray[np.intp]) -> Mask:
        """Which of these name no appliance, or none that comes after the one before."""
        mask: Mask = (members >= len(self.widths)) | (members <= before)
        return mask

    def answers(self, rows: Rows, entry: int) -> NDArray[np.intp]:
        """One field of each payload as a number: a level, or a bit per level."""
        place = self.places[entry] + self.number_bits
        return take(rows, place, self.places[entry + 1] - place)

    def beyond(self, answers: NDArray[np.intp], levels: NDArray[np.intp] | int) -> Mask:
        """Which answers tell of a level beyond an appliance's last."""
        mask: Mask = answers >= levels if self.direct else answers >> levels != 0
        return mask

    def padding(self, rows: Rows) -> Mask:
        """Which payloads have bits beyond their last field."""
        used = self.places[-1] % 8
        mask: Mask = rows[:, -1] >> used != 0 if used else np.zeros(len(rows), dtype=np.bool_)
        return mask

    def tally(self, rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How many reports speak of each appliance, and how many answers each cell got.

        Refuses a payload that no home following the plan can send.
        """
        if rows.shape[1] != self.size:
            raise ReportError(f"payloads have {rows.shape[1]} bytes; this plan's have {self.size}")
        if self.partial:
            return self._tally_entries(rows)
        reports = np.full(len(self.widths), len(rows), dtype=np.int64)
        if self.direct:
            return reports, self._tally_numbers(rows)
        counts = count_ones(rows)
        if counts[self.places[-1] :].any():
            refuse(self.padding(rows), "its payload has bits beyond the last level")
        return reports, counts[: self.places[-1]]

    def _tally_numbers(self, rows: Rows) -> NDArray[np.int64]:
        counts = np.zeros(self.starts[-1], dtype=np.int64)
        for entry, width in enumerate(self.widths):
            answers = self.answers(rows, entry)
            refuse(self.beyond(answers, width), "its payload has a level beyond the last")
            counts[self.starts[entry] : self.starts[entry + 1]] = np.bincount(answers, minlength=width)
        self._refuse_padding(rows)
        return counts

    def _tally_entries(self, rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        appliances, most = len(self.widths), max(self.widths)
        reports = np.zeros(appliances, dtype=np.int64)
        table = np.zeros((appliances, most), dtype=np.int64)
        before = np.full(len(rows), -1)
        for entry, place in enumerate(self.places[:-1]):
            member = take(rows, place, self.number_bits)
            refuse(self.misplaced(member, before), "its payload has appliances out of order")
            before = member
            reports += np.bincount(member, minlength=appliances)
            table += self._tally_field(rows, entry, member)
        self._refuse_padding(rows)
        inside = np.arange(most) < np.array(self.widths)[:, None]
        return reports, table[inside]

    def _tally_field(self, rows: Rows, entry: int, member: NDArray[np.intp]) -> NDArray[np.int64]:
        widths, most = np.array(self.widths), max(self.widths)
        if self.direct:
            answers = self.answers(rows, entry)
            refuse(self.beyond(answers, widths[member]), "its payload has a level beyond the last")
            return np.bincount(member * most + answers, minlength=len(widths) * most).reshape(-1, most)
        table, place = np.zeros((len(widths), most), dtype=np.int64), self.places[entry] + self.number_bits
        for level in range(most):
            bit = take(rows, place + level, 1).astype(bool)
            refuse(bit & (level >= widths[member]), "its payload has bits beyond the last level")
            table[:, level] = np.bincount(member[bit], minlength=len(widths))
        return table

    def _refuse_padding(self, rows: Rows) -> None:
        refuse(self.padding(rows), "its payload has bits beyond the last field")

    def differences(self, rows: Rows, others: Rows) -> NDArray[np.int64]:
        """In how many cells each row's answers differ from those of the other row, all appliances asked.

        A direct answer is one cell of its appliance, so two of them differ in two cells or none.
        """
        if not self.direct:
            differing: NDArray[np.int64] = np.bitwise_count(rows ^ others).sum(axis=1, dtype=np.int64)
            return differing
        total = np.zeros(len(rows), dtype=np.int64)
        for entry in range(len(self.widths)):
            total += 2 * (self.answers(rows, entry) != self.answers(others, entry))
        return total


def put(rows: Rows, place: int, bits: int, numbers: Levels) -> None:
    """Write numbers of `bits` bits into every row, from bit `place` on."""
    shifted = numbers.astype(np.uint64) << np.uint64(place % 8)
    for step in range((place % 8 + bits + 7) // 8):
        rows[:, place // 8 + step] |= (shifted >> np.uint64(8 * step)).astype(np.uint8)


def take(rows: Rows, place: int, bits: int) -> NDArray[np.intp]:
    """Read numbers of `bits` bits from every row, from bit `place` on."""
    numbers = np.zeros(len(rows), dtype=np.intp)
    for step in range((place % 8 + bits + 7) // 8):
        numbers |= rows[:, place // 8 + step].astype(np.intp) << 8 * step
    return numbers >> place % 8 & (1 << bits) - 1


def one_hot(answers: Levels, fields: list[tuple[int, int]], size: int) -> Rows:
    """A bit for every answer, at its place in its field; as many rows at a time as stay in a near cache."""
    rows = np.empty((len(answers), size), dtype=np.uint8)
    for start in range(0, len(rows), NEAR):
        part = slice(start, start + NEAR)
        rows[part] = one_hot_words(answers[part], fields, size).view(np.uint8)[:, :size]
    return rows


def one_hot_words(answers: Levels, fields: list[tuple[int, int]], size: int) -> NDArray[np.uint64]:
    """The same in words of 64 bits, the last one filled up with 0."""
    words = np.zeros((-(-size // 8), len(answers)), dtype=np.uint64)
    one, whole = np.uint64(1), np.uint64(64)
    for entry, (place, after) in enumerate(fields):
        bit = answers[:, entry].astype(np.uint64)
        bit += np.uint64(place % 64)
        for word in range(place // 64, (after - 1) // 64 + 1):
            words[word] |= np.left_shift(one, bit)  # nothing when the bit lies in another word
            bit -= whole
    return np.ascontiguousarray(words.T)
