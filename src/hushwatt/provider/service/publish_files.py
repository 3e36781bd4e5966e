"""A collection that files alone feed: no service turns its slots, so whoever asks for answers does.

What was given out never changes, so the slots that are over are published before anything
is told of them.  Where homes send for themselves this is left to the service, which knows
how long it waits for them.
"""

from hushwatt.provider.clock import UtcClock
from hushwatt.provider.schedule import SlotSchedule
from hushwatt.provider.store.plans import plan_state
from hushwatt.provider.store.session import Database
from hushwatt.provider.store.slots import publish


def publish_file_slots(database: Database, number: int, schedule: SlotSchedule, clock: UtcClock) -> list[int]:
    """Publish the closed slots of a plan whose homes all come from files, up to the last with reports.

    Gives the slots with reports, by number.
    """
    now = clock.now()
    with database.writing() as session:
        state = plan_state(session, number)
        if state.homes > state.by_files:
            return []
        ((last,),) = session.all("SELECT max(slot) FROM tallies WHERE plan = ?", number)
        due = min(schedule.last_closed(now), -1 if last is None else int(last))
        return publish(session, number, due, int(now.timestamp()))


def count_unpublished(database: Database, number: int, schedule: SlotSchedule, clock: UtcClock) -> int:
    """How many closed slots with reports a service has still to publish."""
    with database.reading() as session:
        ((count,),) = session.all(
            "SELECT count(DISTINCT slot) FROM tallies WHERE plan = ? AND slot > ? AND slot < ?",
            number,
            plan_state(session, number).published,
            schedule.first_open(clock.now()),
        )
    return int(count)
