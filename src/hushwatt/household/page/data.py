"""What the owner's page is made from, whoever serves it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo
from functools import cached_property
from typing import Any, NamedTuple

from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.ledger.caps import Caps
from hushwatt.household.ledger.store import Store
from hushwatt.household.report.levels import Watts
from hushwatt.household.status import PlanStatus, plan_statuses
from hushwatt.household.troubles import measured_appliances
from hushwatt.household.words.clock_words import clock_time, moment_words
from hushwatt.plan.plan import Plan

HERE = ("taking part", "paused")  # states of a plan that the home takes part in


class Rendered(NamedTuple):
    """An answer, for any server to send."""

    status: int
    headers: dict[str, str]
    body: str


@dataclass(frozen=True)
class OwnerPageData:
    """All that a page is made from, and whatever a form may change."""

    store: Store
    caps: Caps  # as the agent has them now
    now: int
    latest: Mapping[str, tuple[int, Watts]]  # by plan: the last slot that ended, and its means; in memory only
    health: list[dict[str, Any]]
    csrf_token: str  # proves that a form was on our page
    zone: tzinfo | None = None  # the home's; None is the machine's
    folder: HomeFolder | None = None  # where limits and requests lie; None: neither is shown nor changed

    def __repr__(self) -> str:
        return "<what the owner's page shows>"

    @cached_property
    def every(self) -> list[PlanStatus]:
        """Every plan that this home ever joined."""
        return plan_statuses(self.store, self.now, self.caps)

    @property
    def here(self) -> list[PlanStatus]:
        """Those that it takes part in."""
        return [each for each in self.every if each.state in HERE]

    @property
    def measured(self) -> set[str]:
        """The appliances that a source is there for."""
        return measured_appliances(self.health)

    def status_of(self, plan_id: str) -> PlanStatus | None:
        return next((each for each in self.every if each.plan.id == plan_id), None)

    def clock_time(self, plan: Plan, slot: int) -> str:
        return clock_time(plan, slot, self.zone)

    def moment(self, time: int, exactly: bool = False) -> str:
        return moment_words(time, self.zone, exactly)
