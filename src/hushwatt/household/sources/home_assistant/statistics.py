"""What Home Assistant's recorder knows of the time that was missed, for slots that are still open.

It keeps a row of every five minutes, some seconds after they are over: a mean for power, a rise
for a counter.  Rows are asked for whenever the connection was down in an open slot, whatever
the readings are.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from hushwatt.household.clock import SECOND
from hushwatt.household.untrusted_json import Malformed, as_finite, as_list, as_table

PERIOD = 300 * SECOND
GENERATED = "recorder_5min_statistics_generated"  # the event after which new rows are there
MILLISECOND = SECOND // 1_000
UNITS = {"power": "W", "energy": "Wh"}


@dataclass(frozen=True)
class StatisticsRow:
    """Five minutes of one entity; of a counter, also all the time until it rose."""

    start: int
    end: int
    watts: float

    def __repr__(self) -> str:
        return "<a row of statistics>"


def question(names: list[str], start: int, end: int) -> dict[str, Any]:
    """How to ask for the rows of some entities that touch [start, end)."""
    first = start // PERIOD * PERIOD
    return {
        "start_time": _iso(first),
        "end_time": _iso(-(-end // PERIOD) * PERIOD),
        "statistic_ids": names,
        "period": "5minute",
        "units": UNITS,
        "types": ["mean", "change"],
    }


def rows(answer: Any, name: str) -> Iterator[StatisticsRow]:
    """The rows of one entity in an answer; what is no row is passed over.

    A counter that rises rarely rises by hours of use at once: that is of all the rows since its last rise.
    """
    still: StatisticsRow | None = None  # the rows in which a counter has not risen yet
    for row in as_list(as_table(answer).get(name)):
        table = as_table(row)
        start, end = _time(table.get("start")), _time(table.get("end"))
        if start is None or end is None or not 0 < end - start <= PERIOD:
            continue
        mean, change = _number(table.get("mean")), _number(table.get("change"))
        if mean is not None:
            yield StatisticsRow(start, end, mean)
        elif change is not None and change >= 0:
            begun = still.start if still is not None and still.end == start else start
            if still is not None and begun == start:
                yield still
            still = StatisticsRow(begun, end, 0.0) if change == 0 else None
            if still is None:
                yield StatisticsRow(begun, end, change * 3_600 * SECOND / (end - begun))
    if still is not None:
        yield still


def _iso(time: int) -> str:
    return datetime.fromtimestamp(time / SECOND, UTC).isoformat()


def _time(value: Any) -> int | None:
    number = _number(value)
    return int(number) * MILLISECOND if number is not None and 0 <= number < 1e14 else None


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return as_finite(value)
    except Malformed:
        return None
