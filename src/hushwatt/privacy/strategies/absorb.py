"""LBA: silence saves up for the next publication."""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

from hushwatt.privacy.strategies.strategy import Mask, Strategy, Whole


@dataclass(frozen=True)
class Absorb(Strategy):
    """LBA: a slot that keeps silent leaves its share to the next publication.

    A publication that used the shares of s slots is followed by s − 1 slots that
    stay silent to pay them back.

    >>> slot = Absorb.start(epsilon=60, window=3)
    >>> slot = slot.after(published=False)  # one share saved
    >>> slot.offer()  # that one, and this slot's own
    20
    >>> slot.after(published=True).offer()  # paying back
    0
    """

    repeats: ClassVar[bool] = True

    window: int
    share: int  # ε/2w, in millionths: what one slot may add
    saved: int = 0  # shares left by silent slots
    owed: int = 0  # slots still to keep silent

    @classmethod
    def start(cls, epsilon: int, window: int) -> Self:
        return cls(window=window, share=epsilon // (2 * window))

    @property
    def probe(self) -> int:
        return self.share

    @property
    def largest(self) -> int:
        return self.share * self.window

    @property
    def smallest(self) -> int:
        return self.share

    def offer(self) -> int:
        return 0 if self.owed else self.share * (self.saved + 1)

    def after(self, published: bool) -> Self:
        if self.owed:
            return replace(self, owed=self.owed - 1)
        if published:
            return replace(self, saved=0, owed=self.saved)
        return replace(self, saved=min(self.saved + 1, self.window - 1))

    def silent(self, slots: int) -> Self:
        paid = min(self.owed, slots)
        return replace(self, owed=self.owed - paid, saved=min(self.saved + slots - paid, self.window - 1))

    def amounts_fit(self, slot: Whole, spent: Whole, drawn: Whole) -> Mask:
        """A probe, and what was published with: one share, or a few that were saved up."""
        inside = (drawn % self.share == 0) & (drawn >= self.share) & (drawn <= self.window * self.share)
        fit: Mask = ((spent == self.probe) | (spent == self.probe + drawn)) & inside
        return fit

    def ceiling(self, window: int) -> int:
        """Probes, a share for each slot, and what was saved before the first of them.

        A publication that brings s shares along silences s − 1 slots, so w slots give out w shares.
        """
        return window * self.probe + max(window, self.window) * self.share
