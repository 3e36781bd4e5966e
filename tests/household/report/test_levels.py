"""Watts become levels: zero has one, an edge belongs below, and rounding at random keeps the mean."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.household.report import report as module
from hushwatt.household.report.levels import dithered, ranged, to_levels
from hushwatt.household.report.report import levels_of
from hushwatt.plan import Appliance
from hushwatt.privacy.entropy import OperatingSystem, Simulation

KETTLE = Appliance.of("kettle", edges=[250, 500, 2000])
LAMP = Appliance.of("lamp", values=[10, 40, 100], mapping="dither")

watts = st.floats(0, 4_000, allow_nan=False)


class Spread:
    """Words that cover the whole range in equal steps, each exactly once."""

    def words(self, count):
        return (np.arange(count, dtype=np.uint64) * (2**64 // count)).astype(np.uint64)


class TestRange:
    """The first level includes 0, an edge belongs to the lower level, the last has no end."""

    @pytest.mark.parametrize(
        "reading, level",
        [
            (0, 0),
            (-0.0, 0),
            (5e-324, 0),
            (250, 0),
            (np.nextafter(250, 251), 1),
            (500, 1),
            (2000, 2),
            (2000.1, 3),
            (1e30, 3),
        ],
    )
    def test_edges(self, reading, level):
        """Readings on and around the edges."""
        assert ranged(KETTLE, np.array([reading])).tolist() == [level]

    @given(readings=st.lists(watts))
    def test_is_the_number_of_edges_below(self, readings):
        """A level is how many edges a reading is above."""
        levels = ranged(KETTLE, np.array(readings, dtype=float))

        assert levels.tolist() == [sum(reading > edge for edge in (250, 500, 2000)) for reading in readings]

    @given(readings=st.lists(watts, min_size=6, max_size=6), order=st.permutations(range(3)))
    def test_homes_do_not_depend_on_each_other(self, plan_of, readings, order):
        """In another order of the homes, each has the same levels, and no randomness is drawn."""
        table = np.array(readings).reshape(3, 2)

        levels = to_levels(plan_of(3, 5), table, None)

        assert (to_levels(plan_of(3, 5), table[order], None) == levels[order]).all()

    def test_every_appliance_has_its_own_edges(self, plan_of):
        """Each column is looked up in the edges of its own appliance."""
        levels = to_levels(plan_of(2, 5), np.array([[101.0, 101.0], [1e4, 1e4]]), None)

        assert levels.tolist() == [[1, 1], [1, 4]]
        assert levels.dtype == np.uint16


class TestDither:
    """A reading between two values goes to one of them at random, so that its mean is right."""

    @given(reading=st.floats(0, 150), draws=st.integers(100, 2_000))
    def test_the_mean_is_the_reading(self, reading, draws):
        """Over evenly spread coins, the mean value is the clipped reading, but for one coin."""
        values = np.array(LAMP.values)[dithered(LAMP, np.full(draws, reading), Spread())]

        assert abs(values.mean() - min(max(reading, 10), 100)) <= 60 / draws + 1e-9
        assert set(values) <= neighbours(reading)

    @pytest.mark.parametrize("reading, level", [(0, 0), (9.9, 0), (10, 0), (40, 1), (100, 2), (1e9, 2)])
    def test_what_needs_no_rounding_is_not_rounded(self, reading, level):
        """At a value, below the first and above the last there is nothing to choose."""
        assert set(dithered(LAMP, np.full(1_000, reading), Spread()).tolist()) == {level}

    @given(up=st.fractions(0, 1, max_denominator=64))
    def test_goes_up_with_its_fraction(self, up):
        """A fraction u of the way up, exactly u of all coins go up."""
        reading = float(10 + 30 * up)
        fraction = Fraction((reading - 10) / 30)

        ups = int(dithered(LAMP, np.full(64, reading), Spread()).sum())

        assert ups == -(-fraction * 64 // 1)

    def test_coins_are_drawn_for_each_home_and_appliance(self, plan_of):
        """Homes with equal readings round on their own, and so do their appliances."""
        plan = plan_of(3, 3, mapping="dither")

        levels = to_levels(plan, np.full((4_000, 2), 150.0), Simulation(7, "dither").stream())

        assert np.abs(levels.mean(axis=0) - 1.5).max() < 0.05
        assert abs(np.corrcoef(levels[:, 0], levels[:, 1])[0, 1]) < 0.1
        assert abs(np.corrcoef(levels[1:, 0], levels[:-1, 0])[0, 1]) < 0.1

    def test_the_system_s_randomness_serves(self, plan_of):
        """One home rounds with the words of its own system."""
        levels = to_levels(plan_of(3, mapping="dither"), np.full((1_000, 1), 150.0), OperatingSystem())

        assert set(levels.ravel().tolist()) == {1, 2}


def neighbours(reading):
    """The values that a reading may be rounded to."""
    return {10.0} if reading <= 10 else {10.0, 40.0} if reading <= 40 else {40.0, 100.0}


@pytest.mark.parametrize("mapping", ["range", "dither"])
def test_large_fleets_are_levelled_in_blocks(plan_of, monkeypatch, mapping):
    """Whatever the order in which blocks are done, a seed gives the same levels, block by block."""
    monkeypatch.setattr(module, "BATCH_HOMES", 1_000)
    plan, source = plan_of(3, 4, mapping=mapping), Simulation(7, "blocks")
    table = np.linspace(0, 500, 5_002).reshape(-1, 2)

    once, again = (levels_of(plan, 5, table, source) for _ in range(2))

    parts = [
        to_levels(plan, table[start : start + 1_000], source.stream("levels", 5, start)) for start in (0, 1_000, 2_000)
    ]
    assert (once == again).all()
    assert (once == np.concatenate(parts)).all()


class Counted:
    """Words of another stream, and how many were asked for."""

    def __init__(self):
        self.stream, self.taken = Simulation(3, "counted").stream(), 0

    def words(self, count):
        self.taken += count
        return self.stream.words(count)


@pytest.mark.parametrize("mapping", ["range", "dither"])
class TestNotMeasured:
    """NaN is the answer after the last level, where the plan has it."""

    def test_follows_the_last_level(self, plan_of, mapping):
        """Each appliance has its own number for it, and 0 W is another answer."""
        plan = plan_of(3, 5, mapping=mapping, unmeasured="answer")
        table = np.array([[np.nan, np.nan], [0.0, np.nan], [np.nan, 9_000.0]])

        levels = to_levels(plan, table, OperatingSystem())

        assert levels.tolist() == [[3, 5], [0, 5], [3, 4]]
        assert levels.dtype == np.uint16

    def test_nothing_else_changes(self, plan_of, mapping):
        """Whoever does not measure takes as many words, and the other homes' levels stay as they were."""
        plan, table = plan_of(4, 4, mapping=mapping, unmeasured="answer"), np.linspace(0, 400, 200).reshape(-1, 2)
        some = np.where(np.arange(200).reshape(-1, 2) % 3 == 0, np.nan, table)
        entropies = Counted(), Counted(), Counted()

        old = to_levels(plan_of(4, 4, mapping=mapping), table, entropies[0])
        all_measured, partly = (
            to_levels(plan, each, one) for each, one in zip((table, some), entropies[1:], strict=True)
        )

        assert (old == all_measured).all()
        assert (partly == np.where(np.isnan(some), 4, old)).all()
        assert len({each.taken for each in entropies}) == 1
