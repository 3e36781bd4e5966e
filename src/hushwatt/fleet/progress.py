"""How far long work has come, as one fraction from 0 to 1.

Work has stages, which may run side by side; each has its share of the whole,
about as long as it takes.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

ProgressCallback = Callable[[float], object]  # told the fraction that is done


@dataclass
class ProgressTracker:
    """Tells `callback` which fraction of the whole is done, whenever a stage gets on.

    >>> tracker = ProgressTracker(print)
    >>> read, write = tracker.stage(0.25, total=10), tracker.stage(0.75, total=2)
    >>> read.advance(10)
    0.25
    >>> write.reached(1)
    0.625
    """

    callback: ProgressCallback | None
    stages: list["ProgressStage"] = field(default_factory=list)

    def stage(self, share: float, total: float) -> "ProgressStage":
        """A stage that is `share` of the whole, and done when `total` has passed."""
        self.stages.append(ProgressStage(self, share, total))
        return self.stages[-1]

    def notify(self) -> None:
        """Say how far everything is."""
        if self.callback:
            self.callback(round(min(1.0, sum(stage.share * stage.fraction for stage in self.stages)), 9))


@dataclass
class ProgressStage:
    """One part of the work."""

    tracker: ProgressTracker = field(repr=False)
    share: float
    total: float
    done: float = 0.0
    fraction: float = 0.0

    def reached(self, amount: float) -> None:
        """So much has been done since the last piece was done."""
        self.fraction = min(1.0, (self.done + amount) / self.total) if self.total else 1.0
        self.tracker.notify()

    def advance(self, amount: float) -> None:
        """A piece of this size is done."""
        self.done += amount
        self.reached(0)
