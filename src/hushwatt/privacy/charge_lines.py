"""Amounts of some homes in some slots, a line for each, in the order of the slots.

What few homes paid in many slots, or many in a few, takes as much room as there were
payments, however many slots lie between them.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

Amounts = NDArray[np.int64]
Members = NDArray[np.unsignedinteger]


@dataclass(frozen=True)
class ChargeLines:
    """Lines are sorted by slot, and by home within what was written together.

    >>> lines = ChargeLines.none().added(3, np.array([0, 2]), np.array([5, 7])).added(4, np.array([2]), np.array([1]))
    >>> lines.sums(homes=3).tolist(), lines.before(4).sums(homes=3).tolist(), len(lines.since(4))
    ([5, 0, 8], [5, 0, 7], 1)
    """

    slots: NDArray[np.int32]
    homes: NDArray[np.int32]
    amounts: Amounts
    members: Members | None = None  # the appliances of each line: of every line, or of none

    @classmethod
    def none(cls) -> Self:
        whole = np.empty(0, dtype=np.int32)
        return cls(whole, whole, np.empty(0, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.slots)

    def added(self, slot: int, homes: NDArray[np.integer], amounts: Amounts, members: Members | None = None) -> Self:
        """These lines, and one of `slot` for each of some homes."""
        slots = np.full(len(homes), slot, dtype=np.int32)
        return self.followed_by(type(self)(slots, homes.astype(np.int32), amounts, members))

    def followed_by(self, others: Self) -> Self:
        """These lines, then others; where any name appliances, all do."""
        if not len(self) or not len(others):
            return self if len(self) else others
        members = [each.members for each in (self, others) if each.members is not None]
        return type(self)(
            np.concatenate([self.slots, others.slots]),
            np.concatenate([self.homes, others.homes]),
            np.concatenate([self.amounts, others.amounts]),
            np.concatenate(members) if members else None,
        )

    def before(self, slot: int) -> Self:
        """The lines of earlier slots."""
        return self._part(slice(0, self._place(slot)))

    def since(self, slot: int) -> Self:
        """The lines of a slot and of later ones."""
        place = self._place(slot)
        return self._part(slice(place, None)) if place else self

    def sums(self, homes: int) -> Amounts:
        """What the lines of each home come to."""
        total = np.zeros(homes, dtype=np.int64)
        np.add.at(total, self.homes, self.amounts)
        return total

    def later(self, slots: int) -> Self:
        """The same lines so many slots later."""
        return replace(self, slots=self.slots + np.int32(slots))

    def moved(self, places: NDArray[np.int32]) -> Self:
        """The same lines when each home has a new place."""
        return replace(self, homes=places[self.homes]).sorted()

    def sorted(self) -> Self:
        """The same lines by slot, then by home."""
        return self._part(np.lexsort((self.homes, self.slots)))

    def _place(self, slot: int) -> int:
        return int(np.searchsorted(self.slots, slot))

    def _part(self, which: slice | NDArray[np.intp]) -> Self:
        members = None if self.members is None else self.members[which]
        return type(self)(self.slots[which], self.homes[which], self.amounts[which], members)


@dataclass(frozen=True)
class ChargeBook:
    """Lines in parts, each at least twice as long as the next, so that a line is copied only now and then.

    >>> book = ChargeBook()
    >>> for slot in range(1_000):
    ...     book = book.added(slot, np.array([0]), np.array([1]))
    >>> len(book), len(book.parts) < 12, len(book.since(900)), book.before(900).sums(homes=1).tolist()
    (1000, True, 100, [900])
    """

    parts: tuple[ChargeLines, ...] = ()

    @classmethod
    def of(cls, lines: ChargeLines) -> Self:
        return cls((lines,) if len(lines) else ())

    def __len__(self) -> int:
        return sum(len(part) for part in self.parts)

    @property
    def last(self) -> int | None:
        """The last slot that has a line."""
        return int(self.parts[-1].slots[-1]) if self.parts else None

    @property
    def lines(self) -> ChargeLines:
        """All lines together."""
        whole = self.parts[0] if self.parts else ChargeLines.none()
        for part in self.parts[1:]:
            whole = whole.followed_by(part)
        return whole

    def added(self, slot: int, homes: NDArray[np.integer], amounts: Amounts, members: Members | None = None) -> Self:
        """These lines, and one of `slot`, the last one or a later, for each of some homes."""
        last, parts = ChargeLines.none().added(slot, homes, amounts, members), [*self.parts]
        while parts and len(parts[-1]) < 2 * len(last):
            last = parts.pop().followed_by(last)
        return type(self)((*parts, last) if len(last) else tuple(parts))

    def before(self, slot: int) -> Self:
        """The lines of earlier slots."""
        return self._kept([part.before(slot) for part in self.parts if part.slots[0] < slot])

    def since(self, slot: int) -> Self:
        """The lines of a slot and of later ones."""
        return self._kept([part.since(slot) for part in self.parts])

    def sums(self, homes: int) -> Amounts:
        """What the lines of each home come to."""
        total = np.zeros(homes, dtype=np.int64)
        for part in self.parts:
            np.add.at(total, part.homes, part.amounts)
        return total

    def moved(self, places: NDArray[np.int32]) -> Self:
        """The same lines when each home has a new place."""
        return type(self).of(self.lines.moved(places))

    def _kept(self, parts: list[ChargeLines]) -> Self:
        return type(self)(tuple(part for part in parts if len(part)))
