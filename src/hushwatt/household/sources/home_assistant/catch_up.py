"""Fill what was missed while Home Assistant was out of reach, in slots that are still open.

Whether it asks depends on when the connection was down, never on a reading.  A slot that is over
is never touched.
"""

from dataclasses import dataclass
from typing import Any

from hushwatt.household.clock import HomeClock
from hushwatt.household.log_once import LogOnce
from hushwatt.household.sources.home_assistant.registry import RegistryNames
from hushwatt.household.sources.home_assistant.session import HomeAssistantSession
from hushwatt.household.sources.home_assistant.statistics import PERIOD, question, rows
from hushwatt.household.sources.hub import Hub

NONE_KEPT = "Home Assistant keeps no statistics (recorder): what is missed while it is out of reach stays missing"
TOO_LATE = "Home Assistant's statistics came after the end of the slot: what was missed at its end stays missing"


@dataclass
class CatchUp:
    """The stretch of time that was missed, until its rows have come or its slot is over."""

    hub: Hub
    clock: HomeClock
    names: RegistryNames
    once: LogOnce
    start: int = 0
    end: int = 0  # nothing is missed where it is not after the start
    due: bool = False  # whether to ask now
    generated: int = 0  # when new rows were last there

    def on_return(self, heard: int | None, now: int) -> None:
        """It is there again, and was last heard at some time: what is between was missed, where a slot is open."""
        opened = self.hub.open_since(now)
        if opened is None:
            return
        begun = max(opened, heard or opened)
        self.start = min(begun, max(self.start, opened)) if self.pending else begun
        self.end, self.due = now, now > begun

    @property
    def pending(self) -> bool:
        return self.start < self.end

    def on_generated(self, _: Any) -> None:
        """New rows are there."""
        self.due, self.generated = self.pending, self.clock.look().wall

    async def ask(self, session: HomeAssistantSession) -> None:
        """Ask for the rows, if it is time to; those of the last minutes come later, and are asked for then."""
        if self._over():
            self.start = self.end = 0
            self.once("late statistics", TOO_LATE)
        if not self.due or not self.pending:
            return
        self.due = False
        chosen, (start, end) = self.hub.entity_ids, (self.start, self.end)
        last = self.generated >= -(-end // PERIOD) * PERIOD

        def fill(answer: Any) -> None:
            for name in chosen:
                for row in rows(answer, self.names.current(name)):
                    self.hub.fill(name, max(row.start, start), min(row.end, end), row.watts)
            if last and (self.start, self.end) == (start, end):
                self.start = self.end = 0

        names = [self.names.current(name) for name in chosen]
        await session.ask("recorder/statistics_during_period", fill, self._none, **question(names, start, end))

    def _over(self) -> bool:
        """Whether every slot that something was missed in is over."""
        opened = self.hub.open_since(self.clock.look().wall)
        return self.pending and (opened is None or opened >= self.end)

    def _none(self, code: str) -> None:
        self.start = self.end = 0
        self.once("no statistics", NONE_KEPT)
