"""Instants and local times: where a time zone meets UTC.

A local time that the clocks skip means the first instant after it; one that
the clocks show twice means the first of the two.
"""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from hushwatt.errors import PlanError
from hushwatt.plan.shown import shown

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NOT_EVERYWHERE = ("localtime", "posix", "posixrules", "right")  # differ between machines


def zone(name: str) -> ZoneInfo:
    """The time zone called `name`, such as Europe/London."""
    try:
        if name.split("/")[0] not in NOT_EVERYWHERE:
            return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        pass
    raise PlanError(f"timezone is {shown(name)}; write a name such as 'Europe/London' or 'UTC'")


def instant_of(local: datetime, where: ZoneInfo) -> datetime:
    """The instant (UTC) at which the clocks of `where` first show `local` or later.

    >>> instant_of(datetime(2024, 7, 1), ZoneInfo("Europe/London"))
    datetime.datetime(2024, 6, 30, 23, 0, tzinfo=datetime.timezone.utc)
    """
    usual = local.replace(tzinfo=where, fold=0).astimezone(UTC)
    if _shown(usual, where) == local:
        return usual
    return _first_after_gap(local, where, usual)


def midnight(day: date, where: ZoneInfo) -> datetime:
    """The first instant (UTC) of a local day."""
    return instant_of(datetime.combine(day, time()), where)


def local_day(instant: datetime, where: ZoneInfo) -> date:
    """The local day that holds `instant`."""
    return instant.astimezone(where).date()


def nanoseconds(instant: datetime) -> int:
    """Nanoseconds from 1970 to `instant`.

    >>> nanoseconds(datetime(1970, 1, 2, tzinfo=UTC))
    86400000000000
    """
    return (instant - EPOCH) // timedelta(microseconds=1) * 1_000


def parse_instant(key: str, value: object, where: ZoneInfo) -> datetime:
    """The instant (UTC) meant by a date, a datetime or an ISO string in a plan.

    Without an offset it is local time, and a bare date is the start of that day.

    >>> parse_instant("start", "2024-07-01", ZoneInfo("Europe/London"))
    datetime.datetime(2024, 6, 30, 23, 0, tzinfo=datetime.timezone.utc)
    """
    moment = _datetime(value)
    if moment is None:
        raise PlanError(f"{key} is {shown(value)}; write a date such as 2024-01-31 or 2024-01-31T12:00:00Z")
    try:
        return moment.astimezone(UTC) if moment.tzinfo else instant_of(moment, where)
    except OverflowError:
        raise PlanError(f"{key} is {shown(value)}, which is outside the calendar") from None


def show_instant(instant: datetime) -> str:
    """An instant as ISO 8601 in UTC.

    >>> show_instant(EPOCH)
    '1970-01-01T00:00:00Z'
    """
    return instant.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def zoned_time(moment: int, timezone: str) -> str:
    """What the clocks of a time zone show at a moment, in nanoseconds since 1970.

    >>> zoned_time(1_700_000_000_000_000_000, "Europe/London")
    '2023-11-14 22:13 GMT'
    """
    return f"{(EPOCH + timedelta(seconds=moment // 1_000_000_000)).astimezone(zone(timezone)):%Y-%m-%d %H:%M %Z}"


def _datetime(value: object) -> datetime | None:
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            return None
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime.combine(value, time())
    return None


def _first_after_gap(local: datetime, where: ZoneInfo, late: datetime) -> datetime:
    """The instant at which the clocks jumped over `local`, found to the second."""
    early = local.replace(tzinfo=where, fold=1).astimezone(UTC).replace(microsecond=0)
    late = late.replace(microsecond=0)  # clocks change at whole seconds
    while late - early > timedelta(seconds=1):
        middle = early + timedelta(seconds=(late - early) // timedelta(seconds=2))
        early, late = (early, middle) if _shown(middle, where) >= local else (middle, late)
    return late


def _shown(instant: datetime, where: ZoneInfo) -> datetime:
    """What the clocks of `where` show at an instant."""
    return instant.astimezone(where).replace(tzinfo=None, fold=0)
