"""The whole service in this process: the application that a server runs, around a store on disk.

Only its clock is moved by hand.
"""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from hushwatt.plan.plan import Plan
from hushwatt.provider.app import make_app
from hushwatt.provider.clock import ManualClock
from hushwatt.provider.service.config import Config
from hushwatt.provider.service.service import Service
from hushwatt.provider.store import open_store
from hushwatt.provider.store.enrolment_codes import add_codes
from hushwatt.wire.labels import NO_LABELS, Labels

DAY = 86400  # seconds


def config_for(folder: Path, *plans: Plan, **settings: Any) -> Config:
    """Settings of a service that keeps its plans and its data in one folder."""
    files = [folder / f"{plan.id}.toml" for plan in plans]
    for file, plan in zip(files, plans, strict=True):
        file.write_text(plan.toml())
    return Config(plan=tuple(map(str, files)), data=str(folder), **settings)


class LocalService:
    """A service, its clock, and the plan that is talked about."""

    def __init__(self, config: Config, plan: Plan, now: datetime, store: str | None = None) -> None:
        self.config, self.plan, self.clock = config, plan, ManualClock(now)
        self.app = make_app(config, open_store(store or config.store_address), self.clock)
        self.service: Service = self.app.state.service

    @property
    def now(self) -> int:
        return int(self.clock.now().timestamp())

    @property
    def path(self) -> str:
        return f"/v1/plans/{self.plan.id}"

    def at_slot(self, slot: int, late: timedelta = timedelta(0)) -> None:
        """Move the clock to where a slot has just ended."""
        self.clock.set(self.plan.calendar.end_of(slot) + late)

    def codes(
        self, count: int = 1, homes: int = 1, days: int = 30, plan: Plan | None = None, labels: Labels = NO_LABELS
    ) -> list[str]:
        """New codes for so many homes each, with labels."""
        number = self.service.read.collections[(plan or self.plan).id].number
        with self.service.database.writing() as session:
            return add_codes(session, number, count, homes, self.now, self.now + days * DAY, labels)
