"""Estimates as JSON: the agreed names, plain numbers, and no answer where there is none."""

import json
from math import isfinite

import numpy as np
from tests.provider.estimate.test_measuring_mean import measuring_plan, simulated
from tests.provider.simulated import MICRO, plan_of, repeated_slots, spread_out

from hushwatt.provider.estimate.document import document, top_document
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.tally.tally import Tallies, Tally, TallyKey

PLAN = plan_of([[0, 100, 300], [0, 800]], minimum_homes=50)
HELD = [spread_out(400, [5, 3, 2]), spread_out(400, [1, 1])]


def found(slots=3, **options):
    tallies = repeated_slots(np.random.default_rng(1), PLAN, HELD, slots)
    return estimate(PLAN, tallies, **options)


def leaves(value):
    """Everything in a document that is neither a list nor a dictionary."""
    if isinstance(value, dict):
        return [leaf for each in value.values() for leaf in leaves(each)]
    if isinstance(value, list):
        return [leaf for each in value for leaf in leaves(each)]
    return [value]


def test_names():
    """The keys are those that other programs rely on."""
    told = document(found())
    slot = told["slots"][1]

    assert list(told) == ["plan", "homes", "slots", "appliances", "totals", "top", "influence"]
    assert (told["plan"], told["homes"]) == (PLAN.id, 400)
    assert list(slot) == ["slot", "start", "as_of", "reports", "appliances"]
    assert (slot["slot"], slot["start"], slot["as_of"], slot["reports"]) == (
        1,
        "2024-01-01T01:00:00Z",
        1,
        400,
    )
    assert list(slot["appliances"]) == list(told["appliances"]) == ["appliance 0", "appliance 1"]
    assert list(slot["appliances"]["appliance 0"]) == ["levels", "se", "ci95", "mean_watts", "mean_watts_se"]
    assert list(told["appliances"]["appliance 1"]) == [
        "levels",
        "se",
        "mean_watts",
        "mean_watts_se",
        "ci95",
        "share",
        "share_ci95",
        "rank",
        "rank_ci95",
        "rank_marginal_ci95",
        "in_top",
        "clipped",
        "kwh",
        "kwh_ci95",
        "kwh_a_day",
        "kwh_a_day_ci95",
        "swap_homes",
    ]
    assert told["top"] == ["appliance 1", "appliance 0"]
    assert "swap_homes" not in told["appliances"]["appliance 0"]  # there is no next one


def test_shapes():
    """Every level has a count, a standard error and two limits."""
    told = document(found())
    cells = told["slots"][0]["appliances"]["appliance 0"]

    assert [len(cells[key]) for key in ("levels", "se", "ci95")] == [3, 3, 3]
    assert all(low < high for low, high in cells["ci95"])
    assert len(told["appliances"]["appliance 1"]["levels"]) == 2
    assert told["top"] == ["appliance 1", "appliance 0"]
    assert told["appliances"]["appliance 1"]["rank"] == 1


def test_plain_numbers():
    """Nothing but what JSON has, and no number that is not one."""
    told = document(found())

    assert all(type(leaf) in (bool, int, float, str) for leaf in leaves(told))
    assert all(isfinite(leaf) for leaf in leaves(told) if isinstance(leaf, float))
    assert json.loads(json.dumps(told, allow_nan=False)) == told


def test_smoothed_is_said():
    """Smoothed slots are marked as such, others are not."""

    told = document(found(smooth=True))
    cells = [slot["appliances"]["appliance 0"] for slot in told["slots"]]

    assert told["smoothed"] is True
    assert [cell["smoothed"] for cell in cells] == [False] + [True] * (len(cells) - 1)
    assert all(cell["mean_watts_ci95"][0] < cell["mean_watts"] < cell["mean_watts_ci95"][1] for cell in cells)
    assert "smoothed" not in document(found())


def test_too_few_homes_in_a_slot():
    """Instead of appliances there is how many homes there are and how many it takes."""
    few = repeated_slots(np.random.default_rng(1), PLAN, [spread_out(40, [1, 1, 1]), spread_out(40, [1, 1])], 1)
    enough = repeated_slots(np.random.default_rng(1), PLAN, HELD, 2)
    told = document(estimate(PLAN, Tallies(400, enough.groups | few.groups)))

    assert told["slots"][0]["too_few_homes"] == {"have": 40, "need": 50}
    assert "appliances" not in told["slots"][0]
    assert "too_few_homes" not in told["slots"][1]
    assert "too_few_homes" not in told


def test_too_few_homes_everywhere():
    """When no slot can be answered, nothing is, and it is said why."""
    few = repeated_slots(np.random.default_rng(1), PLAN, [spread_out(40, [1, 1, 1]), spread_out(40, [1, 1])], 2)
    told, top = document(estimate(PLAN, few)), top_document(estimate(PLAN, few), 5)

    for each in (told, top):
        assert each["too_few_homes"] == {"have": 40, "need": 50}
        assert (each["appliances"], each["top"]) == ({}, [])
    assert document(estimate(PLAN, Tallies(0, {})))["too_few_homes"] == {"have": 0, "need": 50}


def test_an_appliance_nobody_reported_is_null():
    """In the slot and, when nobody ever did, in the period; it has no rank."""
    plan = plan_of([[0, 100], [0, 800]], appliances_per_report=1)
    tally = Tally(80, np.array([80, 0]), np.array([50, 40, 0, 0]))
    told = document(estimate(plan, Tallies(80, {TallyKey(0, 0, 0, MICRO): tally})))

    assert told["slots"][0]["appliances"]["appliance 1"] is None
    assert told["appliances"]["appliance 1"] is None
    assert told["top"] == ["appliance 0"]


def test_shares_of_nothing_are_null():
    """When the watts add up to exactly zero, there is no share."""
    plan = plan_of([[0, 100]], oracle="sue")
    law_floor = Tally(100, np.array([100]), np.array([50, 50]))
    estimates = estimate(plan, Tallies(100, {TallyKey(0, 0, 0, MICRO): law_floor}))
    period = estimates.by_period["appliance 0"]
    estimates.by_period["appliance 0"] = type(period)(**{**period.__dict__, "share": float("nan")})

    assert document(estimates)["appliances"]["appliance 0"]["share"] is None


def test_the_top():
    """The best few with all their numbers, without the slots."""
    told, top = document(found()), top_document(found(), 1)

    assert list(top) == ["plan", "homes", "appliances", "totals", "top", "influence"]
    assert top["top"] == ["appliance 1"]
    assert top["appliances"] == {"appliance 1": told["appliances"]["appliance 1"]}


def test_measuring_homes_and_real_watts():
    """Who measures, with limits; by how much at most watts lie above the top; uneven limits in slots."""
    plan = measuring_plan(2)
    chances = [np.array([0.3, 0.2, 0.1, 0.4]), np.array([0.0, 0.0, 0.0, 1.0])]
    told = document(estimate(plan, simulated(plan, chances, 4000, 3, np.random.default_rng(1))))
    period, cell = told["appliances"]["appliance 0"], told["slots"][0]["appliances"]["appliance 0"]

    assert period["measured_ci95"][0] < period["measured"] < period["measured_ci95"][1]
    assert "clipped" not in period
    assert 0 < period["above_top"] < period["ci95"][1] - period["ci95"][0]
    assert len(period["levels"]) == 3
    assert cell["mean_watts_ci95"][0] < cell["mean_watts"] < cell["mean_watts_ci95"][1]
    assert cell["measured_ci95"][0] < cell["measured"] < cell["measured_ci95"][1]
    assert told["appliances"]["appliance 1"] is told["slots"][0]["appliances"]["appliance 1"] is None
    assert list(told["too_few_measure"]) == ["appliance 1"]
    assert "too_few_homes_for" not in told
