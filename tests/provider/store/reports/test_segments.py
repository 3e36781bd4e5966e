"""Segments: found by the homes that are in them, and written anew when these change."""

import numpy as np
import pytest
from tests.provider.collecting import STORES
from tests.provider.store.reports.kept_reports import plainly, report_rows_of, where_they_lie

from hushwatt.provider.store import open_store
from hushwatt.provider.store.reports import segments
from hushwatt.provider.store.reports.segments import (
    add_segments,
    all_segments,
    find_in_segments,
    put_segment,
    segments_with,
)

both_stores = pytest.mark.parametrize("store_address", STORES[1:], indirect=True)


@pytest.fixture
def database(store_address):
    opened = open_store(store_address)
    yield opened
    opened.close()


@both_stores
@pytest.mark.parametrize("at_once", [1, 64])
def test_homes_are_found_wherever_they_lie(database, at_once, monkeypatch):
    """In segments whose homes interleave, by ones and by many; other slots and plans have other homes."""
    monkeypatch.setattr(segments, "SEGMENTS_AT_ONCE", at_once)
    even, odd = np.arange(0, 200, 2), np.arange(1, 100, 4)
    with database.writing() as session:
        add_segments(session, 1, 7, report_rows_of(even))
        add_segments(session, 1, 7, report_rows_of(odd), delivery=3)
        add_segments(session, 2, 7, report_rows_of(np.arange(300, 400)))
        asked = np.arange(-5, 320)
        found = find_in_segments(session, 1, 7, asked)
        one = [bool(find_in_segments(session, 1, 7, np.array([home]))[0]) for home in asked]
        elsewhere = find_in_segments(session, 1, 8, asked), find_in_segments(session, 1, 7, asked[:0])

    assert asked[found].tolist() == sorted([*even, *odd])
    assert found.tolist() == one
    assert not elsewhere[0].any()
    assert len(elsewhere[1]) == 0


@both_stores
def test_a_segment_has_so_many_reports(database):
    """Parts of like size, none above the limit; every report is in one of them as it came."""
    reports = report_rows_of(np.arange(10, 57), spent=9, drawn=8, as_of=6)
    with database.writing() as session:
        add_segments(session, 1, 7, reports, delivery=2)
        kept = list(all_segments(session, 1, 7))
        of_delivery = list(all_segments(session, 1, 7, delivery=2)), list(all_segments(session, 1, 7, delivery=3))

    assert [len(each.reports) for each in kept] == [16, 16, 15]
    assert [plainly(each.reports) for each in kept] == [
        plainly(reports.taken(slice(first, last))) for first, last in ((0, 16), (16, 32), (32, 47))
    ]
    assert [len(each) for each in of_delivery] == [3, 0]


@both_stores
def test_only_segments_that_may_have_a_home_are_read(database):
    """A home between two segments needs none of them, one at an end of a segment needs that one."""
    with database.writing() as session:
        for first in (0, 100, 200):
            add_segments(session, 1, 7, report_rows_of(np.arange(first, first + 10)))
        read = [len(list(segments_with(session, 1, 7, np.array(homes)))) for homes in ([50], [109], [9, 200], [10, 99])]

    assert read == [0, 1, 2, 0]


@both_stores
def test_a_segment_is_put_in_the_place_of_another(database):
    """With fewer reports its ends are others; without any it is gone."""
    with database.writing() as session:
        add_segments(session, 1, 7, report_rows_of(np.arange(30)))
        first, second = all_segments(session, 1, 7)
        put_segment(session, 1, 7, first, first.reports.taken(slice(3, 5)))
        put_segment(session, 1, 7, second, second.reports.taken(slice(0)))
        left = where_they_lie(session, 1, 7)
        ends = session.all("SELECT first_home, last_home, reports FROM segments")

    assert left == ([], [[3, 4]])
    assert ends == [(3, 4, 2)]
