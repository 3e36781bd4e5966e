"""What a plan can ask in an interval: what is weighed so is never held back, and no more is weighed."""

import random
from dataclasses import replace
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.household.living import NO_CAPS, TURN, HomeUnderTest, join, plan_for

from hushwatt.audit.harness.home_under_test import SeededSource
from hushwatt.household.clock import SECOND
from hushwatt.household.ledger.caps import DAY
from hushwatt.household.ledger.demand import max_appliance_spend, max_spend, slots_touched, window_length
from hushwatt.household.ledger.objections import objections
from hushwatt.plan import SlotLength


@given(seconds=st.integers(1, 40), length=st.integers(1, 200))
def test_touched_slots(plan_of, seconds, length):
    """No interval, wherever it is laid, touches more slots, and some interval touches as many."""
    plan = plan_of(3, slot=SlotLength(seconds, "s"))
    begins = [quarter / 4 for quarter in range(4 * seconds)]
    counts = [
        sum(slot * seconds < begin + length and (slot + 1) * seconds > begin for slot in range(260)) for begin in begins
    ]

    assert slots_touched(plan, length * SECOND) == max(counts)


def caps_for(plans):
    """The tightest caps under which these plans meet no objection."""
    stretch = max(DAY, *(window_length(plan) for plan in plans))
    names = {name for plan in plans for name in plan.names}
    single = [sum(max_appliance_spend(plan, stretch) for plan in plans if name in plan.names) for name in names]
    return replace(
        NO_CAPS,
        epsilon_per_day=sum(max_spend(plan, DAY) for plan in plans),
        appliance_epsilon=ceil(max(single)),
    )


@pytest.mark.parametrize("seed", range(12))
def test_who_meets_no_objection_is_never_held_back(folder, seed):
    """Plans of all kinds, joined at once under caps that just allow them, speak in every turn they have."""
    chance, source = random.Random(seed), SeededSource(seed)
    plans = [plan_for(chance, slot=SlotLength(chance.choice([2, 5, 12]), "h")) for _ in range(3)]
    caps = caps_for(plans)
    home = HomeUnderTest(folder / "ledger.sqlite", source, caps=caps)
    for plan in plans:
        join(home.store, plan, source=source)
    home.live(120 * 6 * TURN, TURN)
    held = home.store.rows("SELECT * FROM silences WHERE reason LIKE '%cap%'")
    home.switch_off()

    assert objections(caps, plans[0], plans[1:]) == []
    assert held == []
    assert home.released


@pytest.mark.parametrize("method", ["lbu", "lsp", "lpu"])
@pytest.mark.parametrize("cap", ["epsilon_per_day", "appliance_epsilon"])
def test_a_cap_just_below_holds_back(folder, method, cap):
    """One millionth less is objected to, and does hold the plan back in the end."""
    chance, source = random.Random(7), SeededSource(7)
    plan = plan_for(chance, method, slot=SlotLength(2, "h"), window=4)
    caps = caps_for([plan])
    caps = replace(caps, **{cap: getattr(caps, cap) - 1})
    home = HomeUnderTest(folder / "ledger.sqlite", source, caps=caps)
    join(home.store, plan, source=source)
    home.live(40 * 6 * TURN, TURN)
    held = home.store.rows("SELECT * FROM silences WHERE reason LIKE '%cap%'")
    home.switch_off()

    assert [each.cap for each in objections(caps, plan)] == [cap]
    assert held
