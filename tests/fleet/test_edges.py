"""A row on a slot's edge belongs to the slot that begins there, in every zone and every form of file."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hushwatt.fleet.readings.readings import read_slots
from hushwatt.plan.plan import Plan

TINY = timedelta(microseconds=1)


def plan_in(zone, slot, start="2024-03-29", expires="2024-04-02"):
    return Plan.parse(
        f'name = "x"\ndescription = "d"\ncontact = "c"\nstart = {start}\nexpires = {expires}\n'
        f'timezone = "{zone}"\nslot = "{slot}"\nepsilon = 1\nwindow = 1\nmethod = "lbu"\n'
        '[[appliance]]\nname = "kettle"\nedges = [10, 40]\n'
    )


def watts_by_slot(plan, path, moments):
    """Which of some rows fall into which slot: each has its own power of two."""
    columns: dict[str, list[Any]] = {
        "household": ["ada"] * len(moments),
        "appliance": ["kettle"] * len(moments),
        "watts": [float(2**place) for place in range(len(moments))],
    }
    if path.suffix == ".csv":
        lines = [
            f"ada,{moment.isoformat()},kettle,{watts}" for moment, watts in zip(moments, columns["watts"], strict=True)
        ]
        path.write_text("\n".join(["household,time,appliance,watts", *lines]))
    else:
        times = pa.array(moments, pa.timestamp("us", "UTC"))
        pq.write_table(pa.table({**columns, "time": times}), path)
    readings = read_slots(plan, path)
    found = {slot: float(watts[0, 0]) for slot, watts in readings.matrices()}
    return found, readings.counts


@pytest.mark.parametrize("form", ["r.csv", "r.parquet"])
@pytest.mark.parametrize("zone, slot", [("UTC", "1h"), ("UTC", "1d"), ("Europe/Berlin", "1d"), ("Asia/Kolkata", "15m")])
def test_the_edge_begins_a_slot(tmp_path, zone, slot, form):
    """The moment of an edge is the next slot's, the moment before it this slot's; a day may have 23 hours."""
    plan = plan_in(zone, slot)
    calendar = plan.calendar
    for number in range(min(calendar.slots - 1, 3)):
        edge = calendar.end_of(number)
        found, _ = watts_by_slot(plan, tmp_path / form, [edge - TINY, edge])

        assert edge == calendar.start_of(number + 1)
        assert found == {number: 1.0, number + 1: 2.0}


@pytest.mark.parametrize("form", ["r.csv", "r.parquet"])
@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_the_edges_of_the_plan(tmp_path, zone, form):
    """The first moment of the plan counts, the one before it not; its last moment counts, its end not."""
    plan = plan_in(zone, "1h")
    start, end = plan.start, plan.expires
    found, counts = watts_by_slot(plan, tmp_path / form, [start - TINY, start, end - TINY, end])

    assert {slot: watts for slot, watts in found.items() if watts} == {0: 2.0, plan.calendar.slots - 1: 4.0}
    assert (counts.before_start, counts.after_expires) == (1, 1)
    assert start.astimezone(UTC) < datetime(2024, 4, 1, tzinfo=UTC) < end.astimezone(UTC)
