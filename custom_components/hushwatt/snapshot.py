"""One look at the ledger, from a thread that may wait for a disk."""

from dataclasses import dataclass, field

from hushwatt.household.compare import Comparison, comparisons, wants_comparison
from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.ledger.caps import Caps
from hushwatt.household.status import PlanStatus, plan_statuses
from hushwatt.household.successor import heir_of
from hushwatt.household.troubles import Health, Trouble, troubles


@dataclass(frozen=True)
class Snapshot:
    """What is shown.  But for comparisons, which an owner asks for, nothing in it is drawn from readings."""

    home: str  # its random name
    plans: dict[str, PlanStatus]  # by id
    moved: dict[str, str]  # plans that were left for another, and for which
    troubles: list[Trouble]
    compares: bool  # whether the owner wants to
    comparisons: dict[str, dict[str, Comparison]] = field(repr=False)  # by plan and appliance


def read_snapshot(folder: HomeFolder, caps: Caps, health: Health, now: int) -> Snapshot:
    """The home under these caps, with sources as fresh as that."""
    with folder.store() as store:
        plans = {each.plan.id: each for each in plan_statuses(store, now, caps)}
        moved = {each: heir for each in plans if (heir := heir_of(store, each)) != each}
        compares = wants_comparison(store)
        shared = [each.plan for each in plans.values() if compares and each.plan.share_results]
        found = {plan.id: {each.appliance: each for each in comparisons(store, plan, now)} for plan in shared}
        return Snapshot(
            store.home, plans, moved, troubles(store, caps, health, now, list(plans.values())), compares, found
        )
