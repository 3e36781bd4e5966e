"""Counters that rise in large steps: all that they count reaches a slot, once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.household.clock import SECOND
from hushwatt.household.sources.counter import Counter
from hushwatt.household.sources.entities import EntityEntry, EntityState
from hushwatt.household.sources.entity_sources import EntitySource, EntitySources
from hushwatt.household.sources.measurement import EnergyCounter, Unavailable
from hushwatt.household.sources.plug import LEAPT, TOO_LATE, TOO_RARE, Plug

MINUTE, HOUR = 60 * SECOND, 3_600 * SECOND
METER = EntityEntry("meter", "dishwasher", "sensor.meter")


def energy(watt_hours, changed):
    return EntityState("sensor.meter", f"{watt_hours / 1000:.6f}", "kWh", "energy", "total_increasing", changed)


def shown(watts, step, every, time, phase):
    """What a truthful counter shows at a time: in steps of so many watt-hours, updated every so many seconds."""
    true = 5_000 + watts * ((time - phase) // every * every) / 3600
    return int(true / step) * step


def slot_means(watts, step=1.0, every=30, phase=0, slot=HOUR, slots=6, told="changes"):
    """The means of several slots, each asked for when it is over."""
    source = EntitySource.of(METER)
    plug, last, means = source.plug, None, []
    plug.open("plan", 0, slot, 2 * slot)
    plug.open("day", 0, 6 * HOUR)
    for second in range(0, slots * slot // SECOND + 30, 30):
        time, value = second * SECOND, shown(watts, step, every, second, phase)
        if time >= (len(means) + 1) * slot:
            means.append(plug.take_mean("plan"))
            plug.open("plan", *((len(means) + each) * slot for each in range(3)))
        if told == "always":
            plug.take(time, EnergyCounter(value))
        elif value != last:
            source.take(time, energy(value, time))
        else:
            source.confirm(time)
        last = value
    return means, plug


@pytest.mark.parametrize("told", ["changes", "always"])
@pytest.mark.parametrize("phase", range(0, 3600, 450))
@pytest.mark.parametrize(
    "watts, step, every",
    [(1000, 1.0, 3600), (2500, 1.0, 3600), (5000, 1.0, 3600), (1000, 1000.0, 30), (300, 100.0, 30)],
)
def test_all_that_is_used_is_counted(told, phase, watts, step, every):
    """Of a steady load, over six slots of an hour and over one of six hours; what is missing is one step at most."""
    means, plug = slot_means(watts, step, every, phase, told=told)
    least = max(step, watts * every / 3600)

    assert plug.trouble is None
    assert sum(means) == pytest.approx(6 * watts, abs=1.1 * least)
    assert plug.take_mean("day") * 6 == pytest.approx(6 * watts, abs=1.1 * least)
    assert all(mean == pytest.approx(watts, rel=0.35) for mean in means[2:])


@pytest.mark.parametrize("phase", [0, 1000, 4000, 7000])
def test_a_slot_that_is_over_stays_as_it_was(phase):
    """500 W in steps of a kilowatt-hour: two hours of use show in the slot in which it rises, and no hour twice."""
    means, _ = slot_means(500, 1000.0, phase=phase, slots=12)

    assert sum(means) == pytest.approx(6000, abs=1000)
    assert max(means) <= 1050  # a slot that ends soon after a rise guesses on, and the next rise makes up for it


def test_a_rise_shortly_after_the_edge_is_counted_whole():
    """The time before was reported as still: an hour's use falls to the slot in which it shows."""
    source = EntitySource.of(METER)
    source.plug.open("plan", 0, HOUR, 2 * HOUR)
    source.take(0, energy(5_000, 0))
    for minute in range(1, 61):
        source.confirm(minute * MINUTE)
    first = source.plug.take_mean("plan")
    source.take(HOUR + 10 * SECOND, energy(6_000, HOUR + 10 * SECOND))
    for minute in range(61, 121):
        source.confirm(minute * MINUTE)

    assert first == 0
    assert source.plug.trouble is None
    assert source.plug.take_measured_mean("plan") == pytest.approx(1000, rel=0.1)


def test_what_a_slot_guessed_is_taken_off_the_next_rise():
    """A slot that ends soon after a rise counts on with its watts; that is no more to be counted."""
    plug = Plug("meter", "dishwasher")
    plug.open("plan", 0, HOUR, 2 * HOUR)
    plug.take(0, EnergyCounter(0))
    plug.take(30 * MINUTE, EnergyCounter(600))
    first = plug.take_mean("plan")
    plug.take(90 * MINUTE, EnergyCounter(1_400))

    assert first == pytest.approx(1200)
    assert plug.take_mean("plan") == pytest.approx(200 + 400)


@pytest.mark.parametrize("silence, said", [(HOUR, LEAPT), (25 * HOUR, TOO_LATE)])
def test_a_rise_that_is_dropped_is_said(silence, said):
    """And stays said while the counter stands still, until a rise is good again; nothing of it counts."""
    source = EntitySource.of(METER)
    plug = source.plug
    plug.open("plan", 0, silence + 2 * HOUR)
    source.take(0, energy(0, 0))
    source.take(silence, energy(90_000 if said is LEAPT else 100, silence))
    first = plug.trouble
    for minute in range(1, 20):
        source.confirm(silence + minute * MINUTE)
    later, heard = plug.trouble, plug.heard
    source.take(silence + HOUR, energy(90_010, silence + HOUR) if said is LEAPT else energy(110, silence + HOUR))

    assert (first, later, plug.trouble) == (said, said, None)
    assert heard == silence + 19 * MINUTE
    assert not any(letter.isdigit() for letter in said)
    assert plug.take_mean("plan") * (silence + 2 * HOUR) / HOUR <= 30


def test_a_counter_that_starts_again_is_no_trouble():
    """As one of today does every midnight; that it stood still before is known."""
    source = EntitySource.of(METER)
    source.plug.open("plan", 0, HOUR)
    source.take(0, energy(500, 0))
    for minute in range(1, 50):
        source.confirm(minute * MINUTE)
    source.take(50 * MINUTE, energy(0, 50 * MINUTE))

    assert source.plug.trouble is None
    assert source.plug.take_measured_mean("plan") == 0


def test_a_rest_of_days_is_no_silence():
    """A machine that runs once a week: its first rise counts, in the slot that is open."""
    source = EntitySource.of(METER)
    source.plug.open("plan", 70 * HOUR, 71 * HOUR)
    source.take(0, energy(5_000, 0))
    for minute in range(1, 70 * 60 + 30):
        source.confirm(minute * MINUTE)
    source.take(70 * HOUR + 30 * MINUTE, energy(5_800, 70 * HOUR + 30 * MINUTE))

    assert source.plug.trouble is None
    assert source.plug.take_mean("plan") == pytest.approx(800, rel=0.1)


def test_an_entity_that_is_given_up_stood_still_until_then():
    """What replaces it goes on from there."""
    sources = EntitySources.of([METER])
    sources.open("plan", 0, HOUR)
    sources.sources[0].take(0, energy(5_000, 0))
    for minute in range(1, 41):
        sources.confirm(minute * MINUTE)
    sources.replace([])

    assert sources.replaced[0].take_measured_mean("plan") == 0


STEPS = st.tuples(st.sampled_from(["rise", "still", "lose", "fill", "slot"]), st.integers(1, 40))


@given(st.lists(STEPS, max_size=40))
def test_nothing_counts_twice(steps):
    """States and statistics of the same 600 W, in any order: no more than was used, but for a guess of minutes."""
    source, now, told, means = EntitySource.of(METER), 0, 0.0, []
    plug = source.plug
    plug.open("plan", 0, HOUR, 2 * HOUR)
    source.take(0, energy(5_000, 0))
    for step, minutes in steps:
        before, now = now, now + minutes * MINUTE
        while now >= (len(means) + 1) * HOUR:
            means.append(plug.take_mean("plan"))
            plug.open("plan", *((len(means) + each) * HOUR for each in range(3)))
        if step == "rise":
            source.take(now, energy(5_000 + 600 * now / HOUR, now))
        elif step == "still":
            source.confirm(now)
        elif step == "lose":
            plug.take(now, Unavailable("gone"))
        elif step == "fill":
            plug.fill(before, now, 600)
        told = 600 * now / HOUR

    assert sum(means) + plug.take_mean("plan") <= told + 601


def test_a_counter_is_in_no_repr():
    """Nor is what was counted."""
    assert "98765" not in repr(Counter(98765.4, 0, 0))


def test_a_first_rise_may_be_of_the_time_before():
    """A step right after a counter was first heard counts nowhere, and is no trouble; a second one so soon is."""
    plug = Plug("meter", "dishwasher")
    plug.open("plan", 0, HOUR)
    plug.take(0, EnergyCounter(5_000))
    plug.take(5 * SECOND, EnergyCounter(6_000))
    first = plug.trouble
    plug.take(10 * SECOND, EnergyCounter(7_000))

    assert (first, plug.trouble) == (None, LEAPT)
    assert plug.take_mean("plan") == 0


@pytest.mark.parametrize("take", [Plug.take_mean, Plug.take_measured_mean])
def test_a_rise_of_hours_in_a_short_slot_is_cut_and_said(take):
    """Five kilowatt-hours in a slot of a minute: no more than is possible, and a trouble until the next rise."""
    source = EntitySource.of(METER)
    source.take(0, energy(5_000, 0))
    for minute in range(1, 61):
        source.confirm(minute * MINUTE)
    source.plug.open("plan", HOUR, HOUR + MINUTE)
    source.take(HOUR + 50 * SECOND, energy(10_000, HOUR + 50 * SECOND))

    assert take(source.plug, "plan") == 25_000
    assert source.plug.trouble == TOO_RARE
    source.take(2 * HOUR, energy(10_500, 2 * HOUR))
    assert source.plug.trouble is None
