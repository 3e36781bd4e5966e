"""A provider whose slots are short, and homes that take part in its plans: what they sent, kept and paid."""

import urllib.request
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
from tests.home_assistant.running import until
from tests.household.serving import Provider, plan_text

from hushwatt.household.ledger.high_water_mark import SHARED_MEMORY
from hushwatt.plan.plan import Plan

SLOT = 2  # seconds
NAMES = ("Kettles of Leeds", "Evenings in Leeds", "Kettles of York")  # of the plans, in the order they are served


def short_plan(name: str, slot: int = SLOT) -> str:
    """A plan for an hour that asks so little that nobody's caps stand against it."""
    now = datetime.now(UTC)
    times = {"start": now, "expires": now + timedelta(hours=1)}
    fields = {key: f'"{time:%Y-%m-%dT%H:%M:%SZ}"' for key, time in times.items()}
    return plan_text(f"{slot}s", name, epsilon="1", window='"plan"', **fields)


@dataclass
class Street:
    """A real provider with its plans."""

    provider: Provider

    @classmethod
    def open(cls, folder: Path) -> "Street":
        folder.mkdir(parents=True, exist_ok=True)
        street = cls(Provider(folder, *map(short_plan, NAMES)))
        street.provider.start()
        return street

    def plan(self, name: str) -> Plan:
        return Plan.load(self.provider.plans[NAMES.index(name)])

    def count(self, name: str, result: str = "accepted") -> int:
        """How many reports under a plan came to this since the provider started."""
        with urllib.request.urlopen(f"{self.provider.address}/metrics", timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        plan = self.plan(name).id
        mine = [each for each in lines if each.startswith("hushwatt_reports_total{") and f'result="{result}"' in each]
        return sum(int(float(each.split()[-1])) for each in mine if plan in each)


@dataclass
class HomeRecord:
    """What a home's ledger says, read while an agent runs on it."""

    folder: Path

    def rows(self, question: str, *values: object) -> list[Any]:
        disk = apsw.Connection(str(self.folder / "ledger.sqlite"), flags=apsw.SQLITE_OPEN_READONLY)
        disk.set_busy_timeout(10_000)
        try:
            return disk.execute(question, values).fetchall()
        finally:
            disk.close()

    def accepted(self, plan: Plan) -> int:
        if not (self.folder / "ledger.sqlite").exists():
            return 0
        wanted = "SELECT count(*) FROM reports JOIN plans USING (place) WHERE plan = ? AND answer = 'accepted'"
        return self.rows(wanted, plan.id)[0][0]

    def wait_for_more(self, plan: Plan, more: int = 1, seconds: float = 60.0) -> int:
        """Wait until so many more reports are accepted, and give how many there are."""
        before = self.accepted(plan)
        until(f"{more} more reports of {plan.name}", lambda: self.accepted(plan) >= before + more, seconds)
        return self.accepted(plan)

    def released(self, plan: Plan) -> dict[tuple[int, int], set[tuple[int, int, bytes]]]:
        """Everything that left or may leave under a plan, by slot, as the audits take it."""
        wanted = "SELECT reports.slot, spent, drawn, payload FROM reports JOIN plans USING (place) WHERE plan = ?"
        return {(1, slot): {tuple(row)} for slot, *row in self.rows(wanted, plan.id)}

    def spent(self, plan: Plan, last: int) -> int:
        """What the home has paid under a plan for the slots up to one, silent ones that were charged included."""
        wanted = (
            "SELECT coalesce(sum(amount), 0) FROM spends JOIN plans USING (place) WHERE plan = ? AND spends.slot <= ?"
        )
        return self.rows(wanted, plan.id, last)[0][0]

    def forget_mark(self) -> None:
        """Take the home's mark out of this machine's memory."""
        if (self.folder / "ledger.sqlite").exists():
            (name,) = self.rows("SELECT value FROM home WHERE name = 'home'")[0]
            (SHARED_MEMORY / f"hushwatt-{name}").unlink(missing_ok=True)
