"""Windows longer than the collection: they cost a home nothing more, and intervals cover all homes, heard or not."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import levels_of, report
from hushwatt.plan.choices import METHODS
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.plan.slot import SlotLength
from hushwatt.privacy.entropy import Simulation
from hushwatt.provider.estimate import period
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.tally.tally import Tallies, TallyKey, tally_rows
from hushwatt.wire.payload import Layout

YEAR, SHORT = 35_040, 3  # slots of a quarter of an hour
HOMES, SLOTS = 400, 24
VALUES = [0.0, 100.0, 400.0]


def quarter_hours(method, window, asked=3):
    """Three of the paper's appliances every quarter of an hour; where not all are asked, each has a cap."""
    appliances = preset("paper").appliances[:3]
    return replace(
        preset("paper"), method=method, decision=METHODS[method].decided_by, oracle="grr", slot=SlotLength(15, "m"),
        window=window, appliances=appliances, appliances_per_report=asked,
        appliance_epsilon=None if asked == 3 else 4_000_000,
    )  # fmt: skip


def lived(plan, slots=SLOTS):
    """Homes after some slots at random levels, and what they published in each."""
    source, chance = Simulation(1, "room"), np.random.default_rng(1)
    homes = enrol(plan, HOMES, 0, source)
    for slot in range(slots):
        report(homes, slot, chance.integers(0, 2, (HOMES, 3)).astype(np.uint16), source)
    return homes


@pytest.mark.parametrize("asked", [3, 1])
@pytest.mark.parametrize("method", ["lbu", "lsp", "lpu"])
def test_a_year_takes_as_much_room_as_three_slots(method, asked):
    """What a home remembers of turns and spends is not larger for a window of a year, and has as few parts."""
    short, year = (lived(quarter_hours(method, window, asked)) for window in (SHORT, YEAR))
    sizes = [len(pickle.dumps((each.strategies, each.ledger), protocol=5)) / HOMES for each in (short, year)]
    log = year.ledger.log

    assert sizes[1] <= 1.1 * sizes[0] + 4
    assert len(log.runs) <= 1
    assert len(log.lines) + len(log.named) <= HOMES  # one each, where homes take turns
    assert len(log.pages) <= 3


@pytest.mark.parametrize("method", ["lbd", "lba"])
def test_a_home_that_decides_keeps_its_publications(method):
    """Where homes decide, what they remember grows with what they published, not with the slots that passed."""
    homes = lived(quarter_hours(method, YEAR))
    published = len(homes.ledger.log.lines)
    size = len(pickle.dumps((homes.strategies, homes.ledger), protocol=5))

    assert len(homes.ledger.log.runs) <= 3  # the probes, and the first publication of all homes
    assert size <= 32 * published + 60 * HOMES + 5_000
    if method == "lbd":  # offers halve down to ε/4w
        assert published <= HOMES * YEAR.bit_length()


def test_silence_is_passed_at_once(monkeypatch):
    """A year of silence is one step for a fleet, not one for each slot."""
    homes, steps = lived(quarter_hours("lpu", YEAR), 2), []
    kind = type(homes.strategies)
    silent = kind.silent
    monkeypatch.setattr(kind, "silent", lambda self, slots: steps.append(slots) or silent(self, slots))
    waits = homes.strategies.waits()

    homes.skip_to(30_000)

    assert steps == [29_998]
    assert homes.strategies.waits().tolist() == ((waits - 29_998) % YEAR).tolist()


def small_plan(mapping, oracle, window, asked, epsilon):
    """Two appliances, of which homes take turns to speak."""
    tables = "".join(f'\n[[appliance]]\nname = "{name}"\nvalues = {VALUES}\n' for name in ("kettle", "oven"))
    return Plan.parse(
        f'name = "x"\ndescription = "d"\ncontact = "c"\nstart = 2024-01-01\nexpires = 2024-01-07\nslot = "1d"\n'
        f'epsilon = {epsilon}\nwindow = {window}\nmethod = "lpu"\noracle = "{oracle}"\nmapping = "{mapping}"\n'
        f"appliances_per_report = {asked}\nminimum_homes = 1\n{tables}"
    )


def collected(plan, watts, seed):
    """What a provider adds up of homes with these watts: slots × homes × appliances."""
    source, layout = Simulation(seed, "long"), Layout.of(plan)
    homes, groups = enrol(plan, watts.shape[1], 0, source), {}
    for slot, now in enumerate(watts):
        sent = report(homes, slot, levels_of(plan, slot, now, source), source)
        if len(sent.homes):
            groups[TallyKey(slot, 0, slot, plan.epsilon)] = tally_rows(layout, sent.payloads)
    return Tallies(watts.shape[1], groups)


def watts_of(chance, homes, slots):
    """Homes that differ for good, and by the day: most of what is uncertain is who was heard."""
    usual = chance.choice(VALUES, size=(1, homes, 2), p=[0.6, 0.3, 0.1])
    other = chance.choice(VALUES, size=(slots, homes, 2), p=[0.6, 0.3, 0.1])
    return np.where(chance.random((slots, homes, 2)) < 0.8, usual, other)


@pytest.mark.parametrize(
    "mapping, oracle, asked, epsilon",
    [("range", "grr", 2, 4), ("range", "grr", 2, 20), ("dither", "oue", 2, 4), ("dither", "grr", 1, 4)],
)
def test_intervals_cover_homes_that_were_never_heard(mapping, oracle, asked, epsilon):
    """With a window of five times the collection, 95 % intervals cover the mean of all homes in 93 % or more."""
    plan, chance, slots, homes = small_plan(mapping, oracle, 30, asked, epsilon), np.random.default_rng(3), 6, 1_500
    covered, of_slots = [], []
    for seed in range(150):
        watts = watts_of(chance, homes, slots)
        found = estimate(plan, collected(plan, watts, seed), consistency="none")
        for place, name in enumerate(plan.names):
            period, by_slot = found.by_period[name], found.by_slot[name]
            assert period is not None
            covered.append(period.low <= watts[:, :, place].mean() <= period.high)
            held = np.array([[(watts[slot, :, place] == value).sum() for value in VALUES] for slot in range(slots)])
            of_slots.append(((by_slot.low <= held + 1e-9) & (held - 1e-9 <= by_slot.high)).mean())

    assert np.mean(covered) > 0.92  # 93 % and the luck of 300 tries
    assert np.mean(of_slots) > 0.93


def test_leaving_out_the_sampling_would_be_noticed(monkeypatch):
    """Intervals as if the homes that were heard were all there are would cover far less."""
    nobody = lambda plan, groups, slots, weights: np.zeros_like(slots.unasked)  # noqa: E731
    monkeypatch.setattr(period, "sampling_weights", nobody)
    plan, chance = small_plan("range", "grr", 30, 2, 20), np.random.default_rng(3)
    covered = []
    for seed in range(60):
        watts = watts_of(chance, 1_500, 6)
        found = estimate(plan, collected(plan, watts, seed), consistency="none")
        for place, name in enumerate(plan.names):
            numbers = found.by_period[name]
            assert numbers is not None
            covered.append(numbers.low <= watts[:, :, place].mean() <= numbers.high)

    assert np.mean(covered) < 0.7
