"""Plans of every kind whose long run is attacked: methods, oracles, turns, orders, mappings, windows, answers."""

from dataclasses import dataclass
from datetime import UTC, datetime

from hushwatt.plan.amounts import MICRO
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.choices import METHODS
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.plan.slot import SlotLength

USED = (0.3, 0.8, 1.5)  # typical means of the appliances in turn, in steps of their levels
STEP = 100  # watts from one level to the next
PRESETS = ("advised", "everyday", "year", "paper")


@dataclass(frozen=True)
class PlanRow:
    """What one plan is about."""

    method: str
    oracle: str
    mapping: str
    widths: tuple[int, ...]
    asked: int  # appliances in a report
    window: int  # slots
    epsilon: float
    unmeasured: str = "zero"
    slot: str = "1d"

    def plan(self) -> Plan:
        """The plan of ten years that it stands for."""
        name = f"{self.method} {self.oracle} {self.mapping}, {self.asked} of {len(self.widths)}, w = {self.window}"
        return Plan(
            name=f"{name}{', not measured' if self.unmeasured == 'answer' else ''}",
            description="Attacked for years.",
            contact="someone@example.org",
            start=datetime(2024, 1, 1, tzinfo=UTC),
            expires=datetime(2034, 1, 1, tzinfo=UTC),
            timezone="UTC",
            slot=SlotLength.parse(self.slot),
            epsilon=round(self.epsilon * MICRO),
            window=self.window,
            method=self.method,
            decision=METHODS[self.method].decided_by,
            oracle=self.oracle,
            appliances=tuple(self._appliance(place, width) for place, width in enumerate(self.widths)),
            appliances_per_report=self.asked,
            mapping=self.mapping,
            minimum_homes=1,
            unmeasured=self.unmeasured,
        )

    def _appliance(self, place: int, width: int) -> Appliance:
        edges = [STEP * edge for edge in range(1, width)]
        mean = STEP * USED[place % len(USED)] + (STEP if self.mapping == "range" else 0)  # never the lowest range
        return Appliance.of(f"appliance {place}", edges, mapping=self.mapping, typical_mean=mean)


ROWS = (
    PlanRow("lpu", "grr", "dither", (2, 3, 3), 3, 3, 1.0),
    PlanRow("lpu", "grr", "dither", (2, 3, 3), 3, 365, 6.0),
    PlanRow("lpu", "grr", "dither", (3, 2, 4, 3), 1, 7, 1.5),
    PlanRow("lpu", "oue", "dither", (3, 4), 2, 5, 1.2),
    PlanRow("lpu", "oue", "range", (3, 3, 2), 2, 400, 4.0),
    PlanRow("lpu", "sue", "dither", (3, 3, 3, 2), 3, 30, 3.0),
    PlanRow("lpu", "grr", "dither", (2, 3), 2, 3_653, 3.0, "answer"),
    PlanRow("lpu", "grr", "range", (3, 4, 2), 1, 14, 2.0, "answer"),
    PlanRow("lpu", "grr", "dither", (6, 10), 2, 4, 2.0),
    PlanRow("lbu", "grr", "dither", (2, 3, 4), 3, 10, 2.0),
    PlanRow("lbu", "oue", "range", (4, 3), 2, 30, 2.0),
    PlanRow("lbu", "sue", "dither", (3, 3, 2, 2), 1, 30, 2.0),
    PlanRow("lbu", "grr", "dither", (3, 3), 1, 60, 3.0, "answer", "7d"),
    PlanRow("lsp", "grr", "dither", (2, 3, 3), 3, 10, 1.5),
    PlanRow("lsp", "oue", "dither", (3, 5), 1, 45, 2.0, "answer"),
    PlanRow("lsp", "sue", "range", (3, 3, 3), 2, 200, 3.0),
    PlanRow("lba", "oue", "range", (3, 3, 3, 3), 4, 3, 1.0),
)


def habit_plans() -> list[Plan]:
    """Presets and others, 21 in all."""
    return [*(preset(name) for name in PRESETS), *(row.plan() for row in ROWS)]
