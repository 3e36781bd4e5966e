"""The owner's caps as their file has them now: the one door to caps.toml while the agent runs.

A cap that is lowered holds at the next look.  One that is raised holds once the file was read
twice the same, for a file that is being written can be read by half.  A file that cannot be read,
or is gone, changes nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from hushwatt.errors import UsageError
from hushwatt.household.ledger.caps import Caps
from hushwatt.household.log_once import LogOnce


@dataclass
class CapsFile:
    """The file, and the caps that hold."""

    path: Path
    say: Callable[[str], None]
    caps: Caps = field(init=False)
    settled: bool = field(init=False, default=True)  # whether the file was read twice the same
    _latest: Caps = field(init=False)  # as the file was read last
    _there: bool = field(init=False)

    def __post_init__(self) -> None:
        """At the start there is nothing to fall back on: a wrong file is an error."""
        self._once, self._there = LogOnce(self.say), self.path.exists()
        self.caps = self._latest = self._load()

    def read(self) -> Caps:
        """The caps that hold now."""
        try:
            latest = self._load()
        except UsageError as wrong:
            self._once("file", f"{wrong}; the caps that were read before hold")
            return self.caps
        self._once.clear("file")
        before, self.settled, self._latest = self.caps, latest == self._latest, latest
        self.caps = latest if self.settled else latest.tightest(before)
        if self.caps != before:
            self.say(f"{self.path.name}: other caps hold from now on")
        return self.caps

    def _load(self) -> Caps:
        there = self.path.exists()
        if self._there and not there:
            raise UsageError(f"{self.path} is gone")
        self._there = there
        return Caps.load(self.path) if there else Caps()
