"""Time-weighted means of one plug; what is stale, gone or impossible is not a reading."""

from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.household.clock import SECOND
from hushwatt.household.sources.counter import HOUR
from hushwatt.household.sources.measurement import EnergyCounter, PowerReading, Unavailable, in_unit
from hushwatt.household.sources.plug import Plug

MINUTE = 60 * SECOND


@pytest.fixture
def plug():
    """A plug whose slot is the hour from 0."""
    made = Plug("kitchen", "kettle", stale=HOUR)
    made.open("plan", 0, HOUR)
    return made


def test_readings_hold_until_the_next(plug):
    """A quarter of an hour at 2000 W and the rest at 0 W is 500 W."""
    plug.take(0, PowerReading(2000))
    plug.take(15 * MINUTE, PowerReading(0))

    assert plug.take_mean("plan") == pytest.approx(500)


def test_a_reading_from_before_holds_into_the_slot(plug):
    """What was read before the slot began counts from its beginning on."""
    plug.take(-10 * MINUTE, PowerReading(100))

    assert plug.take_mean("plan") == pytest.approx(100 * 50 / 60)


def test_a_stale_reading_is_nothing(plug):
    """After its time a reading is 0 W, however high it was."""
    plug.stale = 6 * MINUTE
    plug.take(0, PowerReading(1000))

    assert plug.take_mean("plan") == pytest.approx(100)


def test_a_dead_plug_is_nothing(plug):
    """A plug that says nothing is 0 W."""

    assert plug.take_mean("plan") == 0


@pytest.mark.parametrize("minutes, mean", [(0, None), (29, None), (30, 600), (45, 600), (60, 600)])
def test_silence_of_more_than_half_is_not_measured(plug, minutes, mean):
    """What was heard for half of the slot or more counts for all of it; for less, nothing is known."""
    plug.take(0, PowerReading(600))
    plug.take(minutes * MINUTE, Unavailable("out of reach"))

    assert plug.take_measured_mean("plan") == pytest.approx(float("nan") if mean is None else mean, nan_ok=True)


@pytest.mark.parametrize("every, measured", [(1, True), (2, True), (6, True), (7, False), (20, False)])
def test_a_short_pause_is_no_silence(plug, every, measured):
    """Of a plug whose readings go stale at once: what counts is how long it said nothing, up to a tenth of a slot."""
    plug.stale = 10 * SECOND
    for minute in range(0, 60, every):
        plug.take(minute * MINUTE, PowerReading(600 if minute < 30 else 0))
    mean = plug.take_measured_mean("plan")

    assert 250 <= mean <= 350 if measured else isnan(mean)


def test_a_plug_that_fell_silent_is_not_measured(plug):
    """Short pauses for less than half of the slot, and nothing after that."""
    plug.stale = 10 * SECOND
    for minute in range(25):
        plug.take(minute * MINUTE, PowerReading(600))

    assert isnan(plug.take_measured_mean("plan"))


def test_a_plug_that_is_gone_does_not_pause(plug):
    """What says that it is not there is silent until it speaks again, however short that is."""
    plug.stale = 10 * SECOND
    for minute in range(60):
        plug.take(minute * MINUTE, PowerReading(600))
        plug.take(minute * MINUTE + 20 * SECOND, Unavailable("out of reach"))

    assert isnan(plug.take_measured_mean("plan"))


def test_a_counter_tells_of_its_silence(plug):
    """The rise over a gap was measured, however few messages came."""
    plug.take(-5 * MINUTE, EnergyCounter(0))
    plug.take(55 * MINUTE, EnergyCounter(60))

    assert plug.take_measured_mean("plan") == pytest.approx(60)


def test_a_plug_that_says_0_is_measured(plug):
    """Off is a reading."""
    plug.take(0, PowerReading(0))

    assert plug.take_measured_mean("plan") == 0


def test_a_plug_that_goes_stops_counting(plug):
    """From the moment it is gone it is 0 W, and says why."""
    plug.take(0, PowerReading(600))
    plug.take(6 * MINUTE, Unavailable("out of reach"))

    assert plug.trouble == "out of reach"
    assert plug.take_mean("plan") == pytest.approx(60)


@pytest.mark.parametrize("watts", [-50, 30_000, float("nan"), float("inf")])
def test_impossible_values_are_not_readings(plug, watts):
    """Far below zero, above what the plug is rated for, or no number: the last reading stands."""
    plug.take(0, PowerReading(100))
    plug.take(MINUTE, PowerReading(watts))

    assert "not a reading" in plug.trouble
    assert plug.take_mean("plan") == pytest.approx(100)


def test_a_little_below_zero_is_zero(plug):
    """Meters wander around zero."""
    plug.take(0, PowerReading(-3))

    assert plug.trouble is None
    assert plug.take_mean("plan") == 0


def test_a_counter_misses_nothing(plug):
    """The rise of a counter counts what happened between two messages, whatever power they showed."""
    plug.take(0, EnergyCounter(1000))
    plug.take(0, PowerReading(0))
    plug.take(30 * MINUTE, EnergyCounter(1400))
    plug.take(30 * MINUTE, PowerReading(0))
    plug.take(60 * MINUTE, EnergyCounter(1400))

    assert plug.take_mean("plan") == pytest.approx(400)


def test_a_counter_is_shared_out_over_slots(plug):
    """A rise over two slots belongs to both, by their time."""
    plug.take(30 * MINUTE, EnergyCounter(0))
    first = plug.take_mean("plan")
    plug.open("plan", HOUR, 2 * HOUR)
    plug.take(90 * MINUTE, EnergyCounter(100))
    plug.take(120 * MINUTE, EnergyCounter(100))

    assert first == 0
    assert plug.take_mean("plan") == pytest.approx(50)


def test_the_end_of_a_slot_is_guessed_from_the_last_power(plug):
    """Between the last message and the end of the slot the last power holds."""
    plug.take(0, EnergyCounter(0))
    plug.take(0, PowerReading(60))
    plug.take(30 * MINUTE, EnergyCounter(30))
    plug.take(30 * MINUTE, PowerReading(120))

    assert plug.take_mean("plan") == pytest.approx(90)


def test_a_counter_that_starts_again_is_no_reading(plug):
    """A counter set back to zero gives nothing for the time between, and goes on from there."""
    plug.take(0, EnergyCounter(5000))
    plug.take(20 * MINUTE, EnergyCounter(0))
    plug.take(40 * MINUTE, EnergyCounter(20))
    plug.take(60 * MINUTE, EnergyCounter(20))

    assert plug.take_mean("plan") == pytest.approx(20)


def test_an_impossible_rise_is_no_reading(plug):
    """A counter that leaps is not believed."""
    plug.take(0, EnergyCounter(0))
    plug.take(60 * MINUTE, EnergyCounter(1_000_000))

    assert plug.take_mean("plan") == 0


def test_a_counter_survives_an_outage(plug):
    """A plug that was out of reach tells by its counter what it used meanwhile."""
    plug.take(0, EnergyCounter(0))
    plug.take(10 * MINUTE, Unavailable("out of reach"))
    plug.take(60 * MINUTE, EnergyCounter(100))

    assert plug.take_mean("plan") == pytest.approx(100)


def test_a_counter_that_stops_is_left_for_the_power(plug):
    """When only power still comes, power is used."""
    plug.stale = 10 * MINUTE
    plug.take(0, EnergyCounter(0))
    for minute in range(0, 60, 5):
        plug.take(minute * MINUTE, PowerReading(240))

    assert plug.take_mean("plan") > 180


def test_a_clock_set_back_loses_only_its_own_time(plug):
    """Messages that seem to come from before add nothing below zero."""
    plug.take(30 * MINUTE, PowerReading(600))
    plug.take(10 * MINUTE, PowerReading(600))

    assert 0 <= plug.take_mean("plan") <= 600


def test_kilowatts_are_suspected():
    """Thirty small broken numbers look like kilowatts, one plain watt number does not."""
    plug, other = Plug("a", "kettle"), Plug("b", "kettle")
    for each in range(40):
        plug.take(each * SECOND, PowerReading(1.8))
        other.take(each * SECOND, PowerReading(1.8))
    other.take(50 * SECOND, PowerReading(1800))

    assert plug.looks_like_kilowatts
    assert not other.looks_like_kilowatts


@given(st.lists(st.tuples(st.integers(0, 3600), st.floats(0, 3000)), min_size=1, max_size=30))
def test_the_mean_is_never_beyond_the_readings(messages):
    """A mean lies between nothing and the highest reading, whatever the times."""
    plug = Plug("kitchen", "kettle")
    for plan in ("plan", "other"):
        plug.open(plan, 0, HOUR)
    for second, watts in sorted(messages):
        plug.take(second * SECOND, PowerReading(watts))
    seconds, watts = zip(*messages, strict=True)
    measured = plug.take_measured_mean("other")

    assert 0 <= plug.take_mean("plan") <= max(watts) * (1 + 1e-9)
    if min(seconds) <= 1800:
        assert min(watts) * (1 - 1e-9) <= measured <= max(watts) * (1 + 1e-9)
    else:
        assert isnan(measured)


def test_readings_are_in_no_repr(plug):
    """A plug that is printed shows when it was heard, never what it showed."""
    plug.take(0, PowerReading(1234.5))
    plug.take(1, EnergyCounter(98765.4))

    assert "1234" not in repr(plug) + repr(PowerReading(1234.5))
    assert "98765" not in repr(plug) + repr(in_unit(98765.4, "Wh"))


def test_a_small_counter_that_starts_again(plug):
    """A counter that falls by little is not taken for power below zero."""
    plug.take(0, EnergyCounter(3))
    plug.take(30 * MINUTE, EnergyCounter(0))
    plug.take(60 * MINUTE, EnergyCounter(1))

    assert plug.take_mean("plan") == pytest.approx(1)
