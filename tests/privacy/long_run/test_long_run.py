"""The long run of a plan: averages over turns and orders, bounds where someone decides, and worst cases."""

import itertools
from dataclasses import replace
from datetime import UTC, datetime
from math import exp
from time import process_time

import pytest

from hushwatt.plan.presets import preset
from hushwatt.plan.slot import SlotLength
from hushwatt.privacy.laws import law_for
from hushwatt.privacy.long_run import SPANS, long_run
from hushwatt.privacy.long_run.answers import answers_in
from hushwatt.privacy.long_run.constant_level import best_name
from hushwatt.privacy.long_run.long_run import NOTHING, owner_levels
from hushwatt.privacy.long_run.two_pasts import best_guess
from hushwatt.privacy.strategies import affordable


def test_an_average_over_turns_and_orders(plan_of):
    """Some homes have not spoken at all; the others have with one law."""
    plan = plan_of(3, 4, method="lpu", window=50, oracle="grr", appliances_per_report=1)
    run, counts = long_run(plan, 30), answers_in(plan, 30)
    law = law_for("grr", 4_000_000, 1, 4)
    name, appliance = plan.names[1], plan.appliances[1]

    assert counts[0] == pytest.approx(0.7)
    assert counts[1] == pytest.approx(0.3)
    assert run.told[name].constant == pytest.approx(0.7 / 4 + 0.3 * best_name(law, 4, 1))
    owner = owner_levels(plan, appliance)
    assert run.told[name].owned == pytest.approx(0.7 / 2 + 0.3 * best_guess(law, owner, NOTHING, 1))
    assert (run.epsilon, run.appliance_epsilon, run.at_most) == (4_000_000, 4_000_000, False)


def test_the_owner_at_the_typical_mean(plan_of):
    """Dithered between two values, or the one range that holds it, or the last level beyond the top."""
    dithered = plan_of(3, mapping="dither")
    typical = replace(dithered.appliances[0], typical_mean=150.0)
    assert owner_levels(dithered, typical) == ((1, 0.5), (2, 0.5))
    assert owner_levels(dithered, replace(typical, typical_mean=999.0)) == ((2, 1.0),)
    assert owner_levels(dithered, replace(typical, typical_mean=100.0)) == ((1, 1.0),)
    ranged = plan_of(3)
    assert owner_levels(ranged, replace(ranged.appliances[0], typical_mean=150.0)) == ((1, 1.0),)
    assert owner_levels(ranged, replace(ranged.appliances[0], typical_mean=100.0)) == ((0, 1.0),)


@pytest.mark.parametrize("method", ["lbd", "lba"])
@pytest.mark.parametrize("mapping", ["range", "dither"])
def test_bounds_where_homes_decide(plan_of, method, mapping):
    """Said to be bounds, growing with time, never above the worst case of the plan."""
    plan = plan_of(3, 3, method=method, mapping=mapping, epsilon=1_000_000)
    plan = replace(plan, appliances=tuple(replace(each, typical_mean=150.0) for each in plan.appliances))
    runs = [long_run(plan, days) for days in (3, 30, 365)]

    assert all(run.at_most for run in runs)
    for earlier, later in itertools.pairwise(runs):
        for name in plan.names:
            assert 0.5 < earlier.told[name].owned < later.told[name].owned <= later.appliance_worst
            assert 1 / 3 < earlier.told[name].constant < later.told[name].constant <= later.appliance_worst


def test_in_the_lowest_level_nothing_is_told(plan_of):
    """An owner whose typical mean counts as 0 W cannot be told from one without, decided or not."""
    for method in ("lba", "lpu"):
        plan = plan_of(3, method=method)
        plan = replace(plan, appliances=(replace(plan.appliances[0], typical_mean=50.0),))
        assert long_run(plan).told[plan.names[0]].owned == pytest.approx(0.5)


def test_not_measured_is_no_level(plan_of):
    """Guessing is one in d levels, and one answer names the level with the law of d + 1 answers."""
    plan = plan_of(3, method="lpu", window=365, oracle="grr", unmeasured="answer")
    law = law_for("grr", 4_000_000, 1, 4)

    assert long_run(plan).told[plan.names[0]].constant == pytest.approx(best_name(law, 3, 1))
    assert best_name(law, 3, 1) == pytest.approx(float(law.hold) + float(law.rise) / 3)


def test_a_window_of_a_year_tells_as_one_report():
    """The lever of a long window: one answer in a year, however long the plan runs on."""
    days = preset("advised")
    year = replace(days, window=365)
    run, counts = long_run(year), answers_in(year, 365)

    assert counts == {1: 1.0}
    assert run.appliance_epsilon == 666_666
    assert run.appliance_worst == pytest.approx(exp(0.666666) / (1 + exp(0.666666)))
    assert max(told.owned for told in run.told.values()) < run.appliance_worst
    assert all(long_run(days).told[name].owned > told.owned for name, told in run.told.items())


def test_fast_enough_for_a_page():
    """All spans of fifteen appliances in a fraction of a second, though nothing is remembered."""
    plan = replace(preset("advised"), name="asked for the first time", epsilon=9_000_001)
    began = process_time()
    for days in SPANS:
        long_run(plan, days)

    assert process_time() - began < 0.25


def test_as_json():
    """The names that programs rely on."""
    found = long_run(preset("advised")).as_json()

    assert found["after_days"] == 365
    assert (found["epsilon"], found["appliance_epsilon"]) == (1_219_998_780, 81_333_252)
    assert set(found["told"]["kettle"]) == {"owned", "constant"}
    assert found["at_most"] is False


EXTREMES = list(itertools.product(("lbd", "lba"), ("grr", "oue"), (2, 10), (1, 100_000, 525_600), (1, 100)))


@pytest.mark.parametrize(("method", "oracle", "epsilon", "window", "appliances"), EXTREMES)
def test_extreme_plans(plan_of, method, oracle, epsilon, window, appliances):
    """Windows of half a million slots with next to nothing for each are told of, close to guessing or not."""
    fields = {"epsilon": epsilon * 1_000_000, "window": window, "oracle": oracle, "slot": SlotLength(1, "m")}
    plan = plan_of(*[4] * appliances, method=method, expires=datetime(2040, 1, 1, tzinfo=UTC), **fields)
    for days in (30, None):
        run = long_run(plan, days)
        assert all(0.25 - 1e-9 <= told.constant <= 1 and 0.5 <= told.owned <= 1 for told in run.told.values())


@pytest.mark.parametrize("name", ["kettle", "washing_machine"])
def test_who_measures_it(name):
    """A home without the appliance has no plug on it and answers so, which is told apart more easily than 0 W."""
    plan = preset("everyday")
    place = plan.names.index(name)
    law = law_for(plan.oracle, affordable(plan), plan.appliances_per_report, plan.widths[place])
    owner, unmeasured = owner_levels(plan, plan.appliances[place]), ((plan.widths[place] - 1, 1.0),)
    expected = sum(
        chance * best_guess(law, owner, unmeasured, answers) for answers, chance in answers_in(plan, 365).items()
    )
    told = long_run(plan).told[name]

    assert told.measured == pytest.approx(expected)
    assert told.measured == told.ownership > told.owned + 0.01
    assert set(told.as_json()) == {"owned", "measured", "constant"}


@pytest.mark.parametrize("mapping", ["range", "dither"])
def test_who_measures_it_where_homes_decide(plan_of, mapping):
    """A bound as well; also where the typical mean counts as nothing, so that 0 W are not told from it."""
    plan = plan_of(3, method="lba", mapping=mapping, unmeasured="answer", epsilon=1_000_000)
    plan = replace(plan, appliances=(replace(plan.appliances[0], typical_mean=20.0),))
    told = long_run(plan).told[plan.names[0]]

    assert told.measured is not None
    assert 0.5 < told.measured <= long_run(plan).appliance_worst
    assert told.ownership == told.measured > told.owned + 0.05


def test_without_that_answer_nothing_is_said_of_it():
    """The larger risk is then the only one."""
    told = long_run(preset("advised")).told["kettle"]
    assert told.measured is None
    assert told.ownership == told.owned
