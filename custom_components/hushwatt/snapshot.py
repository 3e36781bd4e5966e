"""One look at the ledger, from a thread that may wait for a disk."""

from dataclasses import dataclass

from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.ledger.caps import Caps
from hushwatt.household.status import PlanStatus, plan_statuses
from hushwatt.household.successor import heir_of


@dataclass(frozen=True)
class Snapshot:
    """What is shown: public facts, and no reading."""

    home: str  # its random name
    plans: dict[str, PlanStatus]  # by id
    moved: dict[str, str]  # plans that were left for another, and for which


def read_snapshot(folder: HomeFolder, caps: Caps, now: int) -> Snapshot:
    with folder.store() as store:
        plans = {each.plan.id: each for each in plan_statuses(store, now)}
        moved = {each: heir for each in plans if (heir := heir_of(store, each)) != each}
        return Snapshot(store.home, plans, moved)
