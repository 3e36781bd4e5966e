"""How long a lifetime lasts is said before a plan is joined, and is what happens."""

import random
from dataclasses import replace

import pytest
from tests.household.living import NO_CAPS, TURN, FixedReadings, HomeUnderTest, join, plan_for

from hushwatt.audit.harness.home_under_test import SeededSource
from hushwatt.household.clock import SECOND
from hushwatt.household.ledger.caps import DAY, Caps
from hushwatt.household.ledger.high_water_mark import ProcessMark
from hushwatt.household.ledger.lasting import about, lasting
from hushwatt.household.ledger.objections import LifetimeSpent
from hushwatt.household.retirement import RETIRED
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.presets import preset
from hushwatt.plan.times import nanoseconds

YEARLY = replace(preset("advised"), window=365)


def test_years_are_said():
    """ε 10 in any year, of a lifetime of 50, lasts about five years."""
    lasts = lasting(Caps(epsilon_lifetime=50 * MICRO), YEARLY)

    assert lasts.words == (
        "lasts about 5 years under your epsilon_lifetime; then your home retires from it by itself, and nothing "
        "more is sent"
    )


def test_a_plan_that_ends_before_needs_no_words():
    """Where the lifetime pays for all of it, that is said."""
    lasts = lasting(NO_CAPS, YEARLY)

    assert lasts.short == ()
    assert lasts.words == "your lifetime caps last as long as the plan"


def test_what_was_spent_before_is_gone():
    """So is what other plans ask meanwhile, and only what is left of a plan has to be paid for."""
    alone = lasting(Caps(), YEARLY).length
    spent = lasting(Caps(), YEARLY, spent=LifetimeSpent(40 * MICRO)).length
    beside = lasting(Caps(), YEARLY, [replace(YEARLY, name="another")]).length
    late = lasting(Caps(), YEARLY, now=nanoseconds(YEARLY.expires) - 300 * DAY)

    assert spent < alone
    assert beside < alone
    assert late.short == ()


def test_one_appliance_may_be_the_first():
    """The cap that is used up first is named."""
    lasts = lasting(Caps(appliance_epsilon_lifetime=2 * MICRO), YEARLY)

    assert [each.cap for each in lasts.short] == ["epsilon_lifetime", "appliance_epsilon_lifetime"]
    assert about(lasts.length) == "about 3 years"


@pytest.mark.parametrize("method", ["lbu", "lsp", "lpu", "lbd", "lba"])
def test_it_lasts_as_long_as_was_said(folder, method):
    """A home speaks for all of that time, and retires at most a window later."""
    plan = plan_for(random.Random(3), method, epsilon=3 * MICRO, window=3)
    caps = replace(NO_CAPS, epsilon_lifetime=30 * MICRO)
    home = HomeUnderTest(
        folder / "ledger.sqlite", SeededSource(1), caps=caps, readings=FixedReadings(1.0), mark=ProcessMark()
    )
    join(home.store, plan, source=home.source)
    home.live(60 * TURN, TURN)
    retired = home.store.value("SELECT first FROM silences WHERE reason = ?", (RETIRED,))
    home.switch_off()
    slots = lasting(caps, plan).length // (TURN * SECOND)

    assert slots - 1 <= retired <= slots + plan.window + 1
