"""How far long work has come, as one fraction from 0 to 1.

Work has stages, which may run side by side; each has its share of the whole,
about as long as it takes.
"""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Work:
    """Tells `tell` which fraction of the whole is done, whenever a stage gets on.

    >>> work = Work(print)
    >>> read, write = work.stage(0.25, total=10), work.stage(0.75, total=2)
    >>> read.passed(10)
    0.25
    >>> write.reached(1)
    0.625
    """

    tell: Callable[[float], object] | None
    stages: list["Stage"] = field(default_factory=list)

    def stage(self, share: float, total: float) -> "Stage":
        """A stage that is `share` of the whole, and done when `total` has passed."""
        self.stages.append(Stage(self, share, total))
        return self.stages[-1]

    def told(self) -> None:
        """Say how far everything is."""
        if self.tell:
            self.tell(round(min(1.0, sum(stage.share * stage.fraction for stage in self.stages)), 9))


@dataclass
class Stage:
    """One part of the work."""

    work: Work = field(repr=False)
    share: float
    total: float
    done: float = 0.0
    fraction: float = 0.0

    def reached(self, amount: float) -> None:
        """So much has been done since the last piece was passed."""
        self.fraction = min(1.0, (self.done + amount) / self.total) if self.total else 1.0
        self.work.told()

    def passed(self, amount: float) -> None:
        """A piece of this size is done."""
        self.done += amount
        self.reached(0)
