"""Times as the clock on the wall shows them: slots, moments and days in the home's own time zone.

The zone is the machine's unless another is given, as by whoever runs the home inside another program.
"""

import os
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from hushwatt.household.clock import SECOND
from hushwatt.plan.plan import Plan
from hushwatt.plan.slot import WORDS, SlotLength

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
LOCALTIME = Path("/etc/localtime")


def clock_time(plan: Plan, slot: int, zone: tzinfo | None = None) -> str:
    """When a slot is or was, from its beginning to its end.

    >>> from hushwatt.plan.presets import preset
    >>> clock_time(preset("advised"), 5, UTC), clock_time(preset("advised"), 5, ZoneInfo("Europe/Berlin"))
    ('Saturday 6 January 2024', 'Saturday 6 January 2024, 01:00 to Sunday 7 January 2024, 01:00')
    """
    first, last = (_local(at, zone) for at in (plan.calendar.start_of(slot), plan.calendar.end_of(slot)))
    return span_words(first, last)


def span_words(first: datetime, last: datetime) -> str:
    """From one local time to another; whole days are named by their dates alone."""
    if first.time() == last.time() == datetime.min.time():
        final = last.date() - timedelta(days=1)
        days = day_words(first.date())
        return days if final == first.date() else f"{days} to {day_words(final)}"
    clock = "%H:%M:%S" if first.second or last.second else "%H:%M"
    end = f"{last:{clock}}" if last.date() == first.date() else f"{day_words(last.date())}, {last:{clock}}"
    return f"{day_words(first.date())}, {first:{clock}} to {end}"


def moment_words(time: int, zone: tzinfo | None = None, exactly: bool = False) -> str:
    """A moment, given in nanoseconds since 1970, to the minute; with seconds where it is meant `exactly`.

    >>> moment_words(0, UTC)
    'Thursday 1 January 1970, 00:00'
    """
    at = local_time(time, zone)
    return f"{day_words(at.date())}, {at:{'%H:%M:%S' if exactly else '%H:%M'}}"


def day_words(day: date) -> str:
    """A day as one says it, whatever language the machine speaks."""
    return f"{DAYS[day.weekday()]} {day.day} {MONTHS[day.month - 1]} {day.year}"


def local_time(time: int, zone: tzinfo | None = None) -> datetime:
    """What the home's clock shows at a moment given in nanoseconds since 1970."""
    return _local(datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=time // SECOND), zone)


def zone_name(zone: tzinfo | None = None, now: int = 0) -> str:
    """What the home's time zone is called: Europe/Berlin where that is known, else what its clocks say."""
    if isinstance(zone, ZoneInfo) and zone.key:
        return zone.key
    if zone is None and (name := _machine_zone()):
        return name
    return local_time(now, zone).tzname() or "local time"


def slot_words(slot: SlotLength) -> str:
    """One slot among many, after a verb.

    >>> slot_words(SlotLength.parse("1d")), slot_words(SlotLength.parse("1h")), slot_words(SlotLength.parse("15m"))
    ('on any one day', 'in any one hour', 'in any 15 minutes')
    """
    if slot.count == 1:
        return f"{'on' if slot.unit == 'd' else 'in'} any one {WORDS[slot.unit]}"
    return f"in any {slot.lasting(1)}"


def every_words(slot: SlotLength, slots: int = 1) -> str:
    """How often something comes round that does so every so many slots.

    >>> every_words(SlotLength.parse("1d")), every_words(SlotLength.parse("15m"), 8)
    ('every day', 'every 2 hours')
    """
    return f"every {slot.lasting(slots).removeprefix('1 ')}"


def _local(at: datetime, zone: tzinfo | None) -> datetime:
    return at.astimezone(zone)


def _machine_zone() -> str | None:
    """The name behind TZ or /etc/localtime, where there is one."""
    named = os.environ.get("TZ", "").lstrip(":")
    _, inside, name = (named or str(LOCALTIME.resolve())).rpartition("zoneinfo/")
    if named and not inside:
        return named if "/" in named or named == "UTC" else None
    return name.removeprefix("Etc/") if inside else None
