"""Which slot a reading at an edge belongs to: the one that begins there, at home as in bulk."""

import csv
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.household.living import HomeUnderTest, MachineClock, join

from hushwatt.fleet.readings.readings import read_slots
from hushwatt.household.clock import SECOND
from hushwatt.household.sources.hub import Hub
from hushwatt.household.sources.sources_file import SourcesFile
from hushwatt.household.sources.table import TableSource
from hushwatt.plan import SlotLength
from hushwatt.plan.times import nanoseconds

HOUR = 3600 * SECOND
NAMES = ("appliance 0", "appliance 1")


@pytest.fixture(scope="module")
def plans(plan_of):
    """A quarter of an hour, an hour, and local days around the day with 23 hours."""
    begin = datetime(2024, 3, 30, tzinfo=UTC)
    quarter, hour = (
        replace(plan_of(3, 3), start=begin, slot=SlotLength(*length), name=f"slots of {length}")
        for length in ((15, "m"), (1, "h"))
    )
    days = replace(plan_of(3, 3), start=begin, slot=SlotLength(1, "d"), timezone="Europe/Berlin")
    return [quarter, hour, days]


def start_of(plan, slot):
    return nanoseconds(plan.calendar.start_of(slot))


def as_text(time):
    """A time with all its nanoseconds."""
    return f"{datetime(1970, 1, 1) + timedelta(seconds=time // SECOND):%Y-%m-%dT%H:%M:%S}.{time % SECOND:09d}"


def write(path, rows):
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["household", "time", "appliance", "watts"])
        table.writerows(["h", as_text(time), name, watts] for time, name, watts in rows)


def hub_of(folder, *plugs, tables=()):
    entries = [{"preset": "custom", "appliance": NAMES[0], **plug} for plug in plugs]
    return Hub.of(SourcesFile.parse({"plug": entries, "table": list(tables)}, folder), print)


def in_bulk(plan, path):
    return {slot: watts[0].tolist() for slot, watts in read_slots(plan, path).matrices()}


def at_home(hub, plans, until, looks):
    """The means of every slot: at each edge the slot that is over is asked for, and the next one opened."""
    found, ends = {}, {(start_of(plan, slot), "tick") for plan in plans for slot in range(1, 200)}
    slots = dict.fromkeys(range(len(plans)), 0)
    for plan in plans:
        hub.open(plan, 0)
    for time, what in sorted({each for each in ends if each[0] <= until} | looks):
        if what == "poll":
            hub.poll(time, 0)
            continue
        for place, plan in enumerate(plans):
            if start_of(plan, slots[place] + 1) == time:
                found[place, slots[place]] = hub.means(plan, slots[place]).tolist()
                slots[place] += 1
                hub.open(plan, slots[place])
    return found


QUARTERS = 2 * 96
nudges = st.sampled_from([0, 0, 0, -1, 1, -1000, 1000, -SECOND, SECOND])
moments = st.tuples(st.integers(0, QUARTERS), nudges)
watts = st.floats(-5, 3000).map(lambda number: round(number, 1))


@given(rows=st.lists(st.tuples(moments, st.sampled_from(NAMES), watts), min_size=1), looks=st.lists(moments))
@settings(max_examples=20)
def test_home_and_bulk_agree_on_every_row(plans, tmp_path_factory, rows, looks):
    """Rows on, before and after the edges of three plans at once count for the same slots on both paths."""
    folder = tmp_path_factory.mktemp("edges")
    origin = nanoseconds(plans[0].start)
    rows = sorted((max(origin, origin + q * HOUR // 4 + by), *rest) for (q, by), *rest in rows)
    write(folder / "t.csv", rows)
    hub = hub_of(folder, tables=[{"path": "t.csv", "household": "h"}])
    polls = {(origin + quarter * HOUR // 4 + by, "poll") for quarter, by in looks}
    home = at_home(hub, plans, origin + 4 * 24 * HOUR, polls)

    for place, plan in enumerate(plans):
        for slot, bulk in in_bulk(plan, folder / "t.csv").items():
            assert home[place, slot] == pytest.approx(bulk)


@pytest.mark.parametrize("by, slot", [(0, 1), (-1, 0), (1, 1)])
def test_a_row_at_an_edge(plans, folder, by, slot):
    """From the edge on a row belongs to the slot that begins there, a nanosecond before to the other."""
    quarter = plans[0]
    write(folder / "t.csv", [(start_of(quarter, 1) + by, NAMES[0], 40.0)])
    hub = hub_of(folder, tables=[{"path": "t.csv"}])
    home = at_home(hub, [quarter], start_of(quarter, 3), set())

    assert [home[0, each][0] for each in range(3)] == [40.0 * (each == slot) for each in range(3)]
    assert in_bulk(quarter, folder / "t.csv") == {slot: [40.0, 0.0]}


@pytest.mark.parametrize("late", [0, 1, 20 * SECOND])
@pytest.mark.parametrize("unit", ["W", "Wh"])
def test_messages_between_two_slots_count_for_the_next(plans, folder, late, unit):
    """What a plug says after the end of one slot, before the next was entered, is all counted."""
    hour = plans[1]
    hub = hub_of(folder, {"topic": "a", "unit": unit, "stale": "3h"})
    hub.open(hour, 0)
    says = {"W": lambda minute: 60.0, "Wh": lambda minute: float(minute)}[unit]  # 60 W all the time
    edge, means = start_of(hour, 1), []
    for minute in (0, 30, 50):
        hub.on_message(start_of(hour, 0) + minute * 60 * SECOND, "a", str(says(minute)).encode(), False)
    hub.on_message(edge + late, "a", str(says(60 + late / SECOND / 60)).encode(), False)
    means.append(hub.means(hour, 0)[0])
    hub.open(hour, 1)
    hub.on_message(edge + 40 * 60 * SECOND, "a", str(says(100)).encode(), False)
    means.append(hub.means(hour, 1)[0])

    assert means == pytest.approx([60.0, 60.0])


def test_rows_after_the_plan_expired_do_not_count(plans, folder):
    """A last slot that the plan's end cuts short has the rows before that end, on both paths."""
    hour = replace(plans[1], expires=plans[1].start + timedelta(minutes=90))
    times = [nanoseconds(hour.expires) + by for by in (-SECOND, 0, SECOND)]
    write(folder / "t.csv", [(time, NAMES[0], watts) for time, watts in zip(times, (8, 99, 99), strict=True)])
    hub = hub_of(folder, tables=[{"path": "t.csv"}])
    home = at_home(hub, [hour], start_of(hour, 2), set())

    assert home[0, 1] == in_bulk(hour, folder / "t.csv")[1] == [8.0, 0.0]


def test_no_row_counts_twice_or_not_at_all(plans, folder):
    """Over the spring day of 23 hours, every row is in one slot of each plan."""
    origin = nanoseconds(plans[0].start)
    write(folder / "t.csv", [(origin + each * HOUR // 4, NAMES[0], 1.0) for each in range(QUARTERS)])
    hub = hub_of(folder, tables=[{"path": "t.csv"}])
    counted = []
    take = TableSource._take

    def taken(self, reading, now):
        before = sum(slot.count for slots in self._slots.values() for slot in slots)
        take(self, reading, now)
        counted.append(sum(slot.count for slots in self._slots.values() for slot in slots) - before)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(TableSource, "_take", taken)
        at_home(hub, plans, origin + 3 * 24 * HOUR, set())

    assert counted == [len(plans)] * QUARTERS


def test_the_first_slot_is_open_before_it_begins(plans, folder):
    """A row at the first instant of the first slot counts, though the table is read before the tick."""
    quarter = plans[0]
    write(folder / "t.csv", [(start_of(quarter, 2), NAMES[0], 40.0)])
    hub = hub_of(folder, tables=[{"path": "t.csv"}])
    home = HomeUnderTest(folder / "ledger.sqlite", readings=hub, clock=MachineClock(wall=start_of(quarter, 1) + SECOND))
    join(home.store, quarter)
    home.tick()
    home.clock.advance(15 * 60 - 1)
    hub.poll(home.clock.wall, 0)
    home.tick()
    home.clock.advance(15 * 60)
    home.tick()
    home.switch_off()

    assert home.agent.latest[quarter.id][0] == 2
    assert home.agent.latest[quarter.id][1].tolist() == [40.0, 0.0]
