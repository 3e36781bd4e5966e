"""LBU: the same small share in every slot."""

from dataclasses import dataclass
from typing import Self

from hushwatt.plan.plan import Plan
from hushwatt.privacy.strategies.strategy import Strategy


@dataclass(frozen=True)
class Uniform(Strategy):
    """LBU: every slot publishes with ε/w.

    >>> Uniform.start(epsilon=10, window=3).offer()
    3
    """

    share: int  # ε/w, in millionths

    @classmethod
    def start(cls, epsilon: int, window: int) -> Self:
        return cls(share=epsilon // window)

    @classmethod
    def stride(cls, window: int) -> int:
        return 1

    @classmethod
    def advised(cls, plan: Plan, homes: int, slots: int) -> bool:
        return True

    @property
    def probe(self) -> int:
        return 0

    @property
    def largest(self) -> int:
        return self.share

    @property
    def smallest(self) -> int:
        return self.share

    def offer(self) -> int:
        return self.share

    def after(self, published: bool) -> Self:
        return self

    def silent(self, slots: int) -> Self:
        return self

    def ceiling(self, window: int) -> int:
        return window * self.share
