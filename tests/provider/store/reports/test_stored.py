"""Reports in rows and in segments: whoever asks, changes or takes out cannot tell which."""

import numpy as np
import pytest
from tests.provider.collecting import STORES
from tests.provider.store.reports.kept_reports import report_rows_of, where_they_lie

from hushwatt.provider.store import open_store
from hushwatt.provider.store.reports.segments import add_segments
from hushwatt.provider.store.reports.stored import (
    add_reports,
    count_brought,
    count_reports,
    drop_reports,
    every_report,
    find_reports,
    has_reports,
    remove_reports,
    reports_of,
    set_drawn_in,
    stored_slots,
    take_out_brought,
    unreported,
)

both_stores = pytest.mark.parametrize("store_address", STORES[1:], indirect=True)
HOMES = np.arange(0, 90, 3)  # 0 to 12 in rows, the others in segments
CELLS = HOMES % 5


@pytest.fixture
def database(store_address):
    """A store with homes whose reports of slot 7 lie in rows and in segments."""
    opened = open_store(store_address)
    devices = np.arange(16 * len(HOMES), dtype=np.int64).reshape(-1, 16).astype(np.uint8)
    devices[:, :8] = np.frombuffer(HOMES.astype(">i8").tobytes(), np.uint8).reshape(-1, 8)
    with opened.writing() as session:
        for row, home in enumerate(HOMES.tolist()):
            session.add_devices(1, 0, home, devices[row : row + 1], CELLS[row : row + 1])
        session.make_partition("reports", 1, 7)
        session.add_reports(1, 7, report_rows_of(HOMES[:5]), delivery=4)
        add_segments(session, 1, 7, report_rows_of(HOMES[5:]), delivery=4)
    yield opened
    opened.close()


@both_stores
def test_reports_of_homes_in_both(database):
    """Some homes of each kind, with their cells; homes between them have nothing."""
    with database.reading() as session:
        kept = reports_of(session, 1, 7, np.array([3, 4, 12, 15, 60, 99]))
        found = find_reports(session, 1, 7, np.array([3, 4, 12, 15, 60, 99]))

    assert [(each.home, each.cell, each.payload[0]) for each in kept] == [
        (home, home % 5, home) for home in (3, 12, 15, 60)
    ]
    assert found.tolist() == [True, False, True, True, True, False]


@both_stores
def test_the_first_report_of_a_home_stands(database):
    """Whether it is in a row or in a segment, and whether few come or many."""
    few, many = np.array([3, 15, 16]), np.arange(90)
    with database.writing() as session:
        added = (
            add_reports(session, 1, 7, report_rows_of(few, spent=9)),
            add_reports(session, 1, 7, report_rows_of(many, spent=8)),
        )
        spent = {each.home: each.spent for each in every_report(session, 1, 7)}

    assert added == (1, 59)
    assert {spent[home] for home in HOMES.tolist()} == {5}
    assert spent.get(16, 9) == 9


@both_stores
def test_homes_are_taken_out_of_both(database):
    """As many as there were, and nobody else."""
    with database.writing() as session:
        removed = remove_reports(session, 1, 7, np.array([0, 12, 15, 87, 88]))
        rows, packed = where_they_lie(session, 1, 7)
        left = count_reports(session, 1, 7)

    assert (removed, left) == (4, len(HOMES) - 4)
    assert rows == [3, 6, 9]
    assert [home for part in packed for home in part] == list(range(18, 87, 3))


@both_stores
def test_another_draw_is_noted_in_both(database):
    """Each report gets the slot that is meant for it; the others keep theirs."""
    with database.writing() as session:
        set_drawn_in(session, 1, 7, np.array([3, 18, 21]), np.array([5, 6, 4]))
        drawn_in = {each.home: each.as_of for each in every_report(session, 1, 7)}

    assert {home: when for home, when in drawn_in.items() if when} == {3: 5, 18: 6, 21: 4}


@both_stores
def test_a_delivery_is_counted_and_taken_out_whole(database):
    """From rows and from segments, in parts that are gone once they were given; others stay."""
    with database.writing() as session:
        add_segments(session, 1, 9, report_rows_of(HOMES), delivery=4)
        add_segments(session, 1, 7, report_rows_of(HOMES + 1), delivery=5)
        counted = count_brought(session, 1, 4, until=7)
        taken = [each.home for part in take_out_brought(session, 1, 7, 4) for each in part]
        left = count_brought(session, 1, 4, until=7), count_reports(session, 1, 7), count_reports(session, 1, 9)

    assert counted == (len(HOMES), 2 * len(HOMES))
    assert sorted(taken) == HOMES.tolist()
    assert left == ((0, len(HOMES)), len(HOMES), len(HOMES))


@both_stores
def test_homes_without_a_report(database):
    """Of all slots that are asked for; or without one that a file brought."""
    with database.writing() as session:
        add_segments(session, 1, 8, report_rows_of([1, 2]), delivery=0)
        asked = np.array([0, 1, 2, 4, 15, 16])
        anywhere = unreported(session, 1, [7, 8], asked, of_files=False)
        from_files = unreported(session, 1, [7, 8], asked, of_files=True)

    assert anywhere.tolist() == [4, 16]
    assert from_files.tolist() == [1, 2, 4, 16]


@both_stores
def test_a_slot_is_dropped_whole(database):
    """What it had is told; another slot, and what is asked of the plan, stay right."""
    with database.writing() as session:
        add_reports(session, 1, 8, report_rows_of(HOMES[:1]))
        before = stored_slots(session, 1), has_reports(session, 1), has_reports(session, 2)
        dropped = drop_reports(session, 1, 7)
        after = stored_slots(session, 1), count_reports(session, 1, 7)
        drop_reports(session, 1, 8)
        nothing = has_reports(session, 1)

    assert before == ([7, 8], True, False)
    assert dropped == len(HOMES)
    assert after == ([8], 0)
    assert not nothing
