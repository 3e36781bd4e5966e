"""What was missed is asked for while its slot is open: once at return, again when new rows are there."""

import asyncio

import pytest

from hushwatt.household.clock import SECOND, Moment
from hushwatt.household.log_once import LogOnce
from hushwatt.household.sources.entities import EntityEntry, EntityState
from hushwatt.household.sources.entity_sources import EntitySources
from hushwatt.household.sources.home_assistant.catch_up import NONE_KEPT, TOO_LATE, CatchUp
from hushwatt.household.sources.home_assistant.registry import RegistryNames
from hushwatt.household.sources.home_assistant.session import HomeAssistantSession
from hushwatt.household.sources.hub import Hub
from hushwatt.plan import SlotLength
from hushwatt.plan.times import nanoseconds

MINUTE = 60 * SECOND


class Asked(HomeAssistantSession):
    """A session whose questions are answered by hand."""

    def __init__(self):
        self.questions = []

    async def ask(self, kind, then, otherwise=None, **fields):
        self.questions.append((kind, then, otherwise, fields))


class Case:
    def __init__(self, plan):
        self.plan, self.said, self.session = plan, [], Asked()
        self.start = self.wall = nanoseconds(plan.calendar.start_of(0))
        self.hub = Hub([], [], lambda line: None, EntitySources.of([EntityEntry("k", "appliance 0", "sensor.kettle")]))
        self.hub.open(plan, 0)
        names = RegistryNames(present={"sensor.kettle": "sensor.new"})
        self.missed = CatchUp(self.hub, self, names, LogOnce(self.said.append))

    def look(self):
        return Moment(self.wall, self.wall, "boot")

    def at(self, minute):
        self.wall = self.start + int(minute * MINUTE)
        return self.wall

    def ask(self):
        asyncio.run(self.missed.ask(self.session))
        return len(self.session.questions)

    def answer(self, watts=600, *minutes):
        times = [(self.start + minute * MINUTE) // 10**6 for minute in minutes]
        self.session.questions[-1][1](
            {"sensor.new": [{"start": each, "end": each + 300_000, "mean": watts} for each in times]}
        )


@pytest.fixture
def case(plan_of):
    return Case(plan_of(3, 3, slot=SlotLength(1, "h")))


def test_rows_fill_what_was_missed_and_no_more(case):
    """Minutes 12 to 22, of rows that reach further; under the name of today."""
    case.missed.on_return(case.at(12), case.at(22))
    asked = case.ask()
    case.answer(600, 10, 15)
    waiting = case.missed.pending
    case.at(25.2)
    case.missed.on_generated(None)
    again = case.ask()
    case.answer(600, 10, 15, 20)

    assert (asked, waiting, again, case.missed.pending) == (1, True, 2, False)
    assert case.session.questions[0][3]["statistic_ids"] == ["sensor.new"]
    assert case.hub.means(case.plan, 0)[0] == pytest.approx(100)


def test_nothing_is_asked_when_nothing_was_missed(case):
    """New rows alone are no reason, nor a slot that is not open."""
    case.missed.on_generated(None)
    unasked = case.ask()
    case.missed.on_return(None, case.at(-30))

    assert (unasked, case.ask()) == (0, 0)


def test_a_slot_that_is_over_is_left_alone(case):
    """Rows that come after its end change nothing, which is said once."""
    for _ in range(2):
        case.missed.on_return(case.at(50), case.at(58))
        case.ask()
        case.hub.open(case.plan, 1)
        case.at(60.2)
        case.missed.on_generated(None)
        case.ask()

    assert case.said == [TOO_LATE]
    assert not case.missed.pending


def test_what_was_missed_before_the_slot_is_not_asked_for(case):
    """A connection that went down in the last slot: only this one's part."""
    case.hub.open(case.plan, 1)
    case.missed.on_return(case.at(30), case.at(70))

    assert case.missed.start == case.start + 60 * MINUTE


def test_two_times_in_one_slot_are_asked_for_together(case):
    """From the first loss to the last return."""
    case.missed.on_return(case.at(10), case.at(12))
    case.ask()
    case.missed.on_return(case.at(20), case.at(22))
    case.ask()
    case.answer(600, 10, 15, 20)

    assert (case.missed.start, case.missed.end) == (case.at(10), case.at(22))


def test_home_assistant_without_statistics_is_said_once(case):
    """It may run without a recorder."""
    for minute in (10, 20):
        case.missed.on_return(case.at(minute), case.at(minute + 5))
        case.ask()
        case.session.questions[-1][2]("unknown_command")

    assert case.said == [NONE_KEPT]
    assert not case.missed.pending


def test_what_is_known_is_not_counted_twice(case):
    """A state that held all the while is worth more than a row."""
    case.hub.on_entity(case.at(30), EntityState("sensor.kettle", "60", "W", changed=case.start))
    case.missed.on_return(case.at(0), case.at(30))
    case.ask()
    case.answer(600, 0, 5, 10, 15, 20, 25)
    case.hub.confirm_entities(case.at(60))

    assert case.hub.means(case.plan, 0)[0] == pytest.approx(60)
