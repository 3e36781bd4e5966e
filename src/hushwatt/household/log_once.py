"""Say a line once: the same trouble a second time is no news."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field


@dataclass
class LogOnce:
    """Says a line about something, unless it was the last line about it.

    >>> once = LogOnce(print)
    >>> for line in ("it is stale", "it is stale", "it is gone"):
    ...     once("kettle", line)
    it is stale
    it is gone
    """

    say: Callable[[str], None]
    last: dict[Hashable, str] = field(default_factory=dict, repr=False)

    def __call__(self, about: Hashable, line: str) -> None:
        if self.last.get(about) != line:
            self.last[about] = line
            self.say(line)

    def clear(self, about: Hashable) -> None:
        """It is well again: the next trouble is news."""
        self.last.pop(about, None)
