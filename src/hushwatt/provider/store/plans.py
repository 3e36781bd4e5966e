"""Plans in the store: once there, a plan never changes."""

from dataclasses import dataclass

from hushwatt.plan.plan import Plan
from hushwatt.provider.store.session import Session, first_row


@dataclass(frozen=True)
class PlanState:
    """How far the collection of a plan has come."""

    homes: int  # taking part now: enrolled, or told of by files
    published: int  # every slot up to this one has been published; −1: none
    erased: int = 0  # homes, ever
    by_files: int = 0  # of the homes, how many files have told of
    undone: int = 0  # deliveries taken back, ever


def add_plan(session: Session, plan: Plan) -> int:
    """The number of a plan in the store, where it is put unless it is there."""
    session.run(
        "INSERT INTO plans (id, canonical, homes, next_home, published) VALUES (?, ?, 0, 0, -1) ON CONFLICT DO NOTHING",
        plan.id,
        plan.canonical(),
    )
    return int(session.all("SELECT plan FROM plans WHERE id = ?", plan.id)[0][0])


def all_plans(session: Session) -> dict[int, Plan]:
    """Every plan of the store by its number, the oldest first."""
    rows = session.all("SELECT plan, canonical FROM plans ORDER BY plan")
    return {int(number): Plan.parse(bytes(canonical)) for number, canonical in rows}


def plan_state(session: Session, plan: int) -> PlanState:
    row = first_row(session, "SELECT homes, published, erased, told, filed, undone FROM plans WHERE plan = ?", plan)
    if not row:
        return PlanState(0, -1)
    homes, published, erased, told, named, undone = map(int, row)
    return PlanState(homes, published, erased, max(told, named), undone)
