"""A home that runs in a thread of another program, such as Home Assistant.

The program starts it, hands it what it hears, and stops it; nothing here blocks longer than a start or a stop.
One thread is one life: whoever wants another makes another.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from hushwatt.errors import HushwattError, StateError
from hushwatt.household.agent import Agent
from hushwatt.household.guard import describe_failure
from hushwatt.household.run import Runner

START_SECONDS = 60.0  # that a start may take: a large ledger on a slow disk
STOP_SECONDS = 10.0  # that a stop may take


@dataclass
class HomeThread:
    """One life of a home, beside whatever else the process does."""

    runner: Runner
    ended: Callable[[], None] = lambda: None  # called, from the thread, when the life is over
    failure: str | None = field(default=None, init=False)  # why it ended by itself

    def start(self) -> Agent:
        """The agent, living; whatever stands in its way is raised here."""
        self._thread = threading.Thread(target=self._live, name="hushwatt-home", daemon=True)
        self._thread.start()
        try:
            return self.runner.started.result(START_SECONDS)
        except TimeoutError:
            self.runner.stop()
            raise StateError(f"the home did not start within {START_SECONDS:g} seconds") from None

    def stop(self) -> None:
        """Stop it and wait until it has."""
        self.runner.stop()
        self._thread.join(STOP_SECONDS)

    def call(self, function: Callable[..., object], *values: object) -> None:
        """Have something done by the thread, which alone touches agent and sources."""
        self.runner.call(function, *values)

    @property
    def alive(self) -> bool:
        return self._thread.is_alive() and self.runner.started.done()

    def _live(self) -> None:
        try:
            self.runner.run()
        except Exception as wrong:
            if not self.runner.started.done():
                self.runner.started.set_exception(wrong)
                return
            self.failure = str(wrong) if isinstance(wrong, HushwattError) else describe_failure(wrong)
            self.runner.say(f"the home stopped: {self.failure}")
        finally:
            self.ended()
