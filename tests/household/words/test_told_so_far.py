"""What has left a home tells as much as the laws say, no less; and only what has left counts."""

from dataclasses import replace
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.household.living import FixedReadings, HomeUnderTest, fresh_store, join

from hushwatt.audit.harness.home_under_test import SeededSource
from hushwatt.household.words.told_so_far import MAX_BUDGETS, few_budgets, told_so_far
from hushwatt.plan.presets import preset
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.laws import law_for
from hushwatt.privacy.long_run import long_run
from hushwatt.privacy.long_run.constant_level import best_name
from hushwatt.privacy.long_run.long_run import NOTHING, owner_levels
from hushwatt.privacy.long_run.two_pasts import best_guess
from hushwatt.privacy.promise import promise
from hushwatt.privacy.strategies import strategy_for
from hushwatt.wire.payload import Layout

DAY = 86_400


def lived(path, plan, days, *more, sent=True):
    """A home after so many days under some plans; all its reports are sent, or none."""
    home = HomeUnderTest(path, source=SeededSource(3))
    for each in (plan, *more):
        join(home.store, each, source=home.source)
    home.live((days + 0.3) * DAY, DAY / 4)
    if sent:
        with home.store.transaction() as disk:
            disk.execute("UPDATE reports SET tries = 1, due = NULL, answer = 'accepted'")
    return home


def having_sent(store, plan, slots):
    """A ledger in which a report left in each of some slots, as a home in turns or whispering draws it."""
    place, drawn = join(store, plan), promise(plan).drawn
    payload = bytes(Layout.of(plan).size)
    with store.transaction() as disk:
        for slot in slots:
            disk.execute(
                "INSERT INTO reports (place, slot, spent, drawn, payload, tries, answer) VALUES (?, ?, ?, ?, ?, 1, ?)",
                (place, slot, drawn, drawn, payload, "accepted"),
            )
    return nanoseconds(plan.calendar.end_of(slots[-1]))


@pytest.mark.parametrize("name", ["advised", "everyday"])
def test_a_home_that_never_missed_its_turn_is_told_by_the_plans_own_law(folder, name):
    """Each chance is that of the best guess from exactly as many answers as left."""
    plan, drawn = preset(name), promise(preset(name)).drawn
    with lived(folder / "ledger.sqlite", plan, 21) as home:
        answers = home.store.value("SELECT count(*) FROM reports")
        told = {each.name: each for each in told_so_far(home.store)}

    assert answers == 7
    assert set(told) == set(plan.names)
    for appliance, width in zip(plan.appliances, plan.widths, strict=True):
        law, found = law_for(plan.oracle, drawn, plan.appliances_per_report, width), told[appliance.name]
        owner = owner_levels(plan, appliance)
        assert found.on == pytest.approx(best_guess(law, ((0, 1.0),), ((1, 1.0),), 1), abs=5e-4)
        assert found.owned == pytest.approx(best_guess(law, owner, NOTHING, 7), abs=5e-4)
        assert found.constant == pytest.approx(best_name(law, appliance.levels, 7))
        assert (found.measured is not None) == plan.answers_unmeasured
        if plan.answers_unmeasured:
            unmeasured = best_guess(law, owner, ((width - 1, 1.0),), 7)
            assert found.measured == pytest.approx(unmeasured, abs=5e-4)


def test_where_the_home_decides_it_is_a_bound_within_that_of_the_plan(folder):
    """One slot tells no more than its ε allows, and all of it no more than the plan says beforehand."""
    plan = replace(preset("paper"), slot=preset("advised").slot)
    with lived(folder / "ledger.sqlite", plan, 30) as home:
        told, drawn = told_so_far(home.store), home.store.value("SELECT max(drawn) FROM reports WHERE spent > drawn")
    run, single = long_run(plan, 30), long_run(plan, 1)
    dearest = (drawn + strategy_for(plan).probe) / plan.appliances_per_report / 1e6

    assert all(each.at_most for each in told)
    for each in told:
        assert each.on == pytest.approx(1 / (1 + exp(-dearest)), abs=5e-4)
        assert each.on <= single.appliance_worst + 5e-4
        assert 1 / each.levels < each.constant <= run.told[each.name].constant + 5e-4
        assert each.owned <= run.told[each.name].owned + 5e-4


@given(st.dictionaries(st.integers(1, 10**7), st.integers(1, 9), min_size=1, max_size=200))
def test_few_budgets_tell_no_less(draws):
    """However many budgets draws had, each counts as one that is no smaller, and not much larger; none is lost."""
    few = few_budgets(draws)
    larger = [sum(count for budget, count in each.items() if budget >= 10**4) for each in (few, draws)]

    assert sum(few.values()) == sum(draws.values())
    assert larger[0] >= larger[1]
    assert max(few) == max(draws)
    assert few == draws or len(few) <= 80
    if len(draws) <= MAX_BUDGETS:
        assert few == draws
    for bound in (min(draws), max(draws) // 2, max(draws)):
        assert sum(n for b, n in few.items() if b >= bound) >= sum(n for b, n in draws.items() if b >= bound)


def test_what_has_not_left_tells_nothing(folder):
    """Reports that were never tried, or withheld for good, are nobody's."""
    with lived(folder / "ledger.sqlite", preset("advised"), 10, sent=False) as home:
        waiting = told_so_far(home.store)
        with home.store.transaction() as disk:
            disk.execute("UPDATE reports SET due = NULL, answer = 'withheld'")
        withheld = told_so_far(home.store)
        with home.store.transaction() as disk:
            disk.execute("UPDATE reports SET tries = 1")  # it may have arrived before it was withheld
        tried = told_so_far(home.store)

    assert waiting == withheld == []
    assert len(tried) == 15


def test_repeats_tell_nothing_new(folder):
    """Where a release is sent again in between, as many answers count as were drawn."""
    plan = replace(preset("advised"), method="lsp")
    drawn = promise(plan).drawn
    with lived(folder / "ledger.sqlite", plan, 9) as home:
        reports, told = home.store.value("SELECT count(*) FROM reports"), told_so_far(home.store)
    law = law_for(plan.oracle, drawn, plan.appliances_per_report, plan.widths[0])

    assert reports == 6
    assert told[0].constant == pytest.approx(best_name(law, told[0].levels, 2))


def test_partial_reports_count_for_the_appliances_they_ask(folder):
    """Where a report asks about some appliances only, each is told by its own answers."""
    plan = replace(preset("advised"), method="lbu", appliances_per_report=4, appliance_epsilon=None)
    with lived(folder / "ledger.sqlite", plan, 5) as home:
        told = {each.name: each for each in told_so_far(home.store)}
    drawn = promise(plan).drawn
    law = law_for(plan.oracle, drawn, 4, plan.widths[0])
    by_answers = {round(best_name(law, 2, answers), 6) for answers in (1, 2)}

    assert set(told) == set(plan.names)  # 20 questions about 15 appliances
    assert {round(each.constant, 6) for each in told.values()} == by_answers


def test_two_plans_about_an_appliance_tell_more_than_one(folder):
    """The answers of all plans count together."""
    plan = preset("advised")
    other = replace(plan, name="another")
    with lived(folder / "one.sqlite", plan, 12) as home:
        alone = told_so_far(home.store)
    with lived(folder / "two.sqlite", plan, 12, other) as home:
        both = told_so_far(home.store)
    law = law_for(plan.oracle, promise(plan).drawn, plan.appliances_per_report, plan.widths[0])
    owner = owner_levels(plan, plan.appliances[0])

    assert len(both) == len(alone)
    assert both[0].owned == pytest.approx(best_guess(law, owner, NOTHING, 8), abs=5e-4)
    for one, two in zip(alone, both, strict=True):
        assert two.on > one.on
        assert two.owned > one.owned
        assert two.constant >= one.constant
        assert two.at_most


def test_it_does_not_depend_on_readings(folder):
    """Two homes with the same chances and other readings are told the same."""
    found = []
    for name, watts in (("low", 0.0), ("high", 500.0)):
        plan = preset("advised")
        home = HomeUnderTest(folder / name, source=SeededSource(5), readings=FixedReadings(watts))
        join(home.store, plan, source=home.source)
        home.live(9.3 * DAY, DAY / 4)
        with home.store.transaction() as disk:
            disk.execute("UPDATE reports SET tries = 1")
        found.append(told_so_far(home.store))
        home.switch_off()

    assert found[0] == found[1]


def test_nothing_sent_is_nothing_told():
    """An empty ledger."""
    with fresh_store() as store:
        assert told_so_far(store) == []
