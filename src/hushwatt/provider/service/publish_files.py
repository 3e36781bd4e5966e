"""A collection that files alone feed: no service turns its slots, so whoever asks for answers does.

What was given out never changes, so the slots that are over are published before anything
is told of them.  Where homes send for themselves this is left to the service, which knows
how long it waits for them.
"""

from hushwatt.plan.plan import Plan
from hushwatt.provider.clock import UtcClock
from hushwatt.provider.schedule import SlotSchedule
from hushwatt.provider.store.plans import plan_state
from hushwatt.provider.store.session import Database, Session
from hushwatt.provider.store.slots import publish
from hushwatt.provider.store.tallies import read_tallies
from hushwatt.provider.tally.tally import Tallies


def publish_file_slots(database: Database, number: int, schedule: SlotSchedule, clock: UtcClock) -> list[int]:
    """Publish the closed slots of a plan whose homes all come from files, up to the last with reports.

    Slots that are published together wait until the last of them has reports, or nobody is left to report.

    Gives the slots with reports, by number.
    """
    now = clock.now()
    with database.writing() as session:
        state = plan_state(session, number)
        if state.homes > state.by_files:
            return []
        due = min(schedule.last_due(now), _complete(session, number, schedule.plan, state.homes))
        return publish(session, number, due, int(now.timestamp()))


def _complete(session: Session, number: int, plan: Plan, homes: int) -> int:
    """The last slot of what files have brought, as far as all is there that is published together."""
    ((last,),) = session.all("SELECT max(slot) FROM tallies WHERE plan = ?", number)
    if last is None or plan.publish == 1:
        return -1 if last is None else int(last)
    begun = plan.periods.first_of(int(last)) - max(plan.publish, plan.window)
    return Tallies(homes, read_tallies(session, number, begun, int(last))).complete(plan)


def count_unpublished(database: Database, number: int, schedule: SlotSchedule, clock: UtcClock) -> int:
    """How many closed slots with reports are still to be published: by a service, or with those that are to come."""
    with database.reading() as session:
        ((count,),) = session.all(
            "SELECT count(DISTINCT slot) FROM tallies WHERE plan = ? AND slot > ? AND slot < ?",
            number,
            plan_state(session, number).published,
            schedule.first_open(clock.now()),
        )
    return int(count)
