"""Learning from published estimates and from readings."""

import json
from dataclasses import replace

import numpy as np
import pytest

from hushwatt.errors import UsageError
from hushwatt.plan.presets import preset
from hushwatt.privacy.advice import advise
from hushwatt.privacy.advice.learn import Typical, learn_from_estimates, learn_from_readings, read_estimates
from hushwatt.privacy.advice.prior import prior_of

EVERYDAY = preset("everyday")
NAME = EVERYDAY.names[0]
FRIDGE = EVERYDAY.appliances[0]


def estimates(plan=EVERYDAY, levels=(3000, 2000, 500), homes=10_000, **numbers):
    """The document of a collection in which every appliance looks alike."""
    known = {"levels": list(levels), "se": [50.0] * 3, "mean_watts": 20.0, "measured": 0.55} | numbers
    return {"plan": plan.id, "homes": homes, "appliances": {each.name: known for each in plan.appliances}}


def test_means_and_measured_are_learnt():
    """Mean and share of measuring homes are the published ones, for all appliances."""
    learnt = learn_from_estimates(EVERYDAY, estimates(mean_watts=61.0))

    assert {(prior.mean, prior.measured, prior.source) for prior in learnt.values()} == {(61.0, 0.55, "estimates")}
    assert tuple(learnt) == EVERYDAY.names


def test_tails_are_learnt_from_the_same_plan_only():
    """Few homes at the top say that the high is lower, many that it is higher; of another plan, nothing."""
    few, many, other = (
        learn_from_estimates(plan, estimates(EVERYDAY, levels))[NAME]
        for plan, levels in (
            (EVERYDAY, (3000, 2500, 0)),
            (EVERYDAY, (3000, 500, 2000)),
            (replace(EVERYDAY, name="another"), (3000, 2500, 0)),
        )
    )

    assert few.high < FRIDGE.typical_high < many.high
    assert few.tail.high == FRIDGE.typical_high
    assert (other.high, other.tail) == (FRIDGE.typical_high, None)
    assert few.best_top(0.001) < many.best_top(0.001)


def test_learnt_advice():
    """The plan that is advised carries what was learnt, and its levels follow it."""
    low, high = (
        advise(EVERYDAY, 50_000, cap=625_000, learnt=learn_from_estimates(EVERYDAY, estimates(levels=levels))).best.plan
        for levels in ((5000, 500, 0), (3000, 500, 2000))
    )

    assert {each.typical_mean for each in low.appliances} == {20.0}
    assert all(one.values[-1] < two.values[-1] for one, two in zip(low.appliances, high.appliances, strict=True))


def test_a_mean_of_noise_is_not_believed():
    """A published mean below an eighth of what was thought, or below zero, counts as that eighth."""
    learnt = learn_from_estimates(EVERYDAY, estimates(mean_watts=-5.0))

    assert learnt[NAME].mean == pytest.approx(FRIDGE.typical_mean / 8)


def test_an_unsure_mean_counts_for_less():
    """The larger its standard error, the more stays of what was thought."""
    sure, unsure, noise = (
        learn_from_estimates(EVERYDAY, estimates(mean_watts=10.0, mean_watts_se=error))[NAME].mean
        for error in (0.1, 0.7 * FRIDGE.typical_mean, 1e6)
    )

    assert sure == pytest.approx(10, rel=1e-3)
    assert unsure == pytest.approx((10 + FRIDGE.typical_mean) / 2)
    assert noise == pytest.approx(FRIDGE.typical_mean)


def test_between_plans_with_and_without_the_answer():
    """A mean over all homes becomes one of those thought to measure, and back."""
    zero = replace(EVERYDAY, unmeasured="zero")
    asked = {name: {"mean_watts": 12.0} for name in EVERYDAY.names}

    onto_answer = learn_from_estimates(EVERYDAY, {"plan": "x", "homes": 1, "appliances": asked})[NAME]
    onto_zero = learn_from_estimates(zero, estimates(mean_watts=20.0))[NAME]

    assert onto_answer.mean == pytest.approx(12 / prior_of(EVERYDAY, FRIDGE).measured)
    assert (onto_zero.mean, onto_zero.measured) == (pytest.approx(11.0), 1.0)


def test_what_has_no_answer_is_not_learnt():
    """Appliances that are null or missing keep what was thought."""
    document = estimates()
    document["appliances"] |= {NAME: None}
    del document["appliances"][EVERYDAY.names[1]]

    assert set(learn_from_estimates(EVERYDAY, document)) == set(EVERYDAY.names[2:])


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"appliances": []},
        estimates(mean_watts="much"),
        estimates(mean_watts=float("nan")),
        estimates(levels=(1, 2)),
        estimates(levels=(1, 2, "x")),
        estimates(measured="all"),
        estimates(homes=0),
        estimates() | {"appliances": {NAME: 3}},
    ],
)
def test_what_is_no_estimate_is_refused(wrong):
    """Documents that `estimate --json` did not write are wrong use."""
    with pytest.raises(UsageError):
        learn_from_estimates(EVERYDAY, wrong)


def test_files(tmp_path):
    """A file is read; one that is missing, no JSON or no document is refused by its name."""
    good, text, row = tmp_path / "good.json", tmp_path / "text.json", tmp_path / "list.json"
    good.write_text(json.dumps(estimates()))
    text.write_text("kettle")
    row.write_text("[1]")

    assert read_estimates(good) == estimates()
    for wrong in (text, row, tmp_path / "none.json"):
        with pytest.raises(UsageError, match=wrong.name):
            read_estimates(wrong)


def test_readings():
    """Readings give mean and high; without the answer, the mean is over all homes."""
    found = {NAME: Typical(40.0, 90.0, 0.5)}
    asked = learn_from_readings(EVERYDAY, found)
    zero = learn_from_readings(replace(EVERYDAY, unmeasured="zero"), found)

    assert set(asked) == {NAME}
    assert (asked[NAME].mean, asked[NAME].high, asked[NAME].measured) == (40.0, 90.0, 0.5)
    assert (zero[NAME].mean, zero[NAME].high, zero[NAME].measured) == (20.0, 90.0, 1.0)
    assert np.isfinite(asked[NAME].best_top(0.01))
