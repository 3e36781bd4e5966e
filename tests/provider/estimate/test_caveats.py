"""An estimate says which hours and weekdays are not in it."""

from datetime import UTC, datetime

import numpy as np

from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import report
from hushwatt.plan import SlotLength
from hushwatt.privacy.entropy import Simulation
from hushwatt.provider.estimate.caveats import unmeasured_times, watts_caption
from hushwatt.provider.estimate.document import document
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.tally.tally import Tallies, TallyKey, tally_rows
from hushwatt.wire.payload import Layout

HOMES = 240


def estimated(plan, slots, **options):
    """Homes at random levels, through the shipped path."""
    source = Simulation(1, "measured")
    fleet, tallies = enrol(plan, HOMES, 0, source), Tallies(HOMES, {})
    for slot in range(slots):
        sent = report(fleet, slot, np.zeros((HOMES, len(plan.appliances)), dtype=np.uint16), source)
        drawn = slot - slot % plan.window if plan.method == "lsp" else slot
        if len(sent.homes):
            key = TallyKey(slot, 0, drawn, plan.epsilon)
            tallies.add(key, tally_rows(Layout.of(plan), sent.payloads))
    return estimate(plan, tallies, **options)


def hourly(plan_of, **fields):
    return plan_of(
        2,
        slot=SlotLength(1, "h"),
        window=24,
        expires=datetime(2024, 3, 1, tzinfo=UTC),
        oracle="grr",
        **fields,
    )


def test_lsp_says_the_one_hour_it_measures(plan_of):
    """Three days of hourly lsp are three midnights, and the words and the JSON say so."""
    found = estimated(hourly(plan_of, method="lsp", minimum_homes=1), 72)

    assert unmeasured_times(found) == document(found)["blind_spot"] == "it only ever measures 00:00 to 01:00 (UTC)"
    assert "over the 3 slots in which homes drew, one in 24" in watts_caption(found)


def test_a_range_inside_a_window(plan_of):
    """Ten slots of the second day are still about its midnight."""
    found = estimated(hourly(plan_of, method="lsp", minimum_homes=1), 48, first=30, last=39)

    assert unmeasured_times(found) == "it only ever measures 00:00 to 01:00 (UTC)"


def test_turns_see_everything(plan_of):
    """With turns every hour is measured, and nothing is said."""
    found = estimated(hourly(plan_of, method="lpu", minimum_homes=1), 72)

    assert unmeasured_times(found) is None
    assert "blind_spot" not in document(found)


def test_hours_with_too_few_homes(plan_of):
    """When only some turns have enough homes, what is left of the day is named."""
    plan = hourly(plan_of, method="lpu", minimum_homes=12)
    found, source = Tallies(HOMES, {}), Simulation(2, "few")
    fleet = enrol(plan, HOMES, 0, source)
    for slot in range(48):
        sent = report(fleet, slot, np.zeros((HOMES, 1), dtype=np.uint16), source)
        kept = np.tile(sent.payloads, (2, 1))[:12] if slot % 24 < 3 else sent.payloads
        found.add(TallyKey(slot, 0, slot, plan.epsilon), tally_rows(Layout.of(plan), kept))

    assert unmeasured_times(estimate(plan, found)) == "it only ever measures 00:00 to 03:00 (UTC)"
