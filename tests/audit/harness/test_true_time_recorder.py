"""The judge of real time: it sees every report that could have left, and its edges are exact."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from hushwatt.audit.harness.expect import Fault
from hushwatt.audit.harness.home_under_test import NO_CAPS
from hushwatt.audit.harness.released import check_windows
from hushwatt.audit.harness.true_time_recorder import (
    JITTER,
    TimedReport,
    TrueTimeRecorder,
    dearest_starts,
    dearest_touch,
    stretch,
)
from hushwatt.household.clock import SECOND
from hushwatt.household.ledger.caps import DAY, Caps
from hushwatt.plan.times import nanoseconds


class Home:
    """A ledger of reports, and the clocks of its machine."""

    def __init__(self, plan):
        self.plan, self.reports = plan, []
        self.store = SimpleNamespace(disk=SimpleNamespace(execute=lambda _: list(self.reports)))
        self.clock = SimpleNamespace(true=0, wall=0)

    def at(self, slot, later=0):
        """Just after a slot's end by the wall's clock, which is right, or later than true time."""
        self.clock.wall = nanoseconds(self.plan.calendar.end_of(slot))
        self.clock.true = self.clock.wall - later


@pytest.fixture
def plan(plan_of):
    return plan_of(3, window=2, epsilon=4_000_000)


@pytest.fixture
def seen(plan):
    home = Home(plan)
    return home, TrueTimeRecorder({1: plan})


def test_a_report_is_noted_once(seen):
    """However often one looks."""
    home, recorder = seen
    for slot in (3, 4):
        home.at(slot)
        home.reports.append((1, slot, 5))
        recorder.look(home)
        recorder.look(home)

    assert [(each.slot, each.cost) for each in recorder.reports] == [(3, 5), (4, 5)]
    assert recorder.reports[0].end == nanoseconds(home.plan.calendar.end_of(3)) == recorder.reports[1].start


def test_what_a_restored_ledger_forgot_counts_again(seen):
    """The slot drawn again costs again; what the old ledger knew was seen before."""
    home, recorder = seen
    home.at(3)
    home.reports = [(1, 2, 7), (1, 3, 5)]
    recorder.look(home)
    home.reports = [(1, 2, 7)]
    recorder.restored(home)
    home.reports = [(1, 2, 7), (1, 3, 5)]
    recorder.look(home)

    assert sorted((each.slot, each.cost) for each in recorder.reports) == [(2, 7), (3, 5), (3, 5)]


def test_a_moved_clock_moves_no_true_time(seen):
    """A slot that the wall's clock reached early lies where it was in true time."""
    home, recorder = seen
    home.at(3, later=DAY)
    home.reports = [(1, 3, 5)]
    recorder.look(home)

    assert recorder.reports[0].end == nanoseconds(home.plan.calendar.end_of(3)) - DAY


@pytest.mark.parametrize("boots", [0, 1])
def test_windows_are_judged_to_the_edge(seen, boots):
    """Two slots a whole window apart are two windows; a little less, and they are one that overspends."""
    home, recorder = seen
    length = stretch(home.plan.window * DAY, boots)
    for apart, fails in ((length, False), (length - 1, True)):
        recorder.reports = [TimedReport(1, n, at, at + DAY, 2_000_001) for n, at in enumerate((0, apart))]
        if fails:
            with pytest.raises(Fault, match="4000002 of 4000000 in 2 slots of real time"):
                recorder.judge(NO_CAPS, boots)
        else:
            recorder.judge(NO_CAPS, boots)

    assert stretch(DAY, 0) == DAY - JITTER == DAY - SECOND
    assert stretch(DAY, 1) == DAY - JITTER - DAY // 20


def test_all_of_a_window_is_spent_and_no_more(seen):
    """ε itself is kept to; the plans of a home are judged one by one, and its caps over all."""
    _, recorder = seen
    recorder.reports = [TimedReport(1, 0, 0, DAY, 4_000_000)]
    recorder.judge(NO_CAPS, 0)
    recorder.judge(Caps(epsilon_per_day=4_000_000, epsilon_per_year=4_000_000), 0)

    for cap, words in (("per_day", "in a real day"), ("per_year", "in a real year"), ("lifetime", "in all")):
        with pytest.raises(Fault, match=words):
            recorder.judge(replace(Caps(), **{f"epsilon_{cap}": 3_999_999}), 0)  # type: ignore[arg-type]


def test_sums():
    """By where slots begin, and by which slots touch a stretch, its two ends included."""
    reports = [TimedReport(1, n, start, start + 10, cost) for n, (start, cost) in enumerate([(0, 1), (10, 2), (25, 4)])]

    assert [dearest_starts(reports, length) for length in (10, 11, 15, 16, 26)] == [4, 4, 4, 6, 7]
    assert [dearest_touch(reports, length) for length in (5, 6, 15, 16)] == [4, 6, 6, 7]
    assert dearest_starts([], 5) == dearest_touch([], 5) == 0


def test_windows_of_what_left(plan):
    """A window that costs more than ε, or a slot that left in two forms, is a fault of its own plan only."""
    check_windows({(1, 0): {(4_000_000, 0, b"a")}, (1, 2): {(4_000_000, 0, b"b")}}, plan)
    check_windows({(2, 0): {(9_000_000, 0, b"a")}}, plan, place=1)

    with pytest.raises(Fault, match="a window of lbu cost 4000001 of 4000000"):
        check_windows({(1, 0): {(4_000_000, 0, b"a")}, (1, 1): {(1, 0, b"b")}}, plan)
    with pytest.raises(Fault, match="left the home twice"):
        check_windows({(1, 5): {(1, 0, b"a"), (1, 0, b"b")}}, plan)
