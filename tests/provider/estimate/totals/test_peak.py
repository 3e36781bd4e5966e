"""The peak: which hour has the most watts, which could have, and what makes it."""

import numpy as np
import pytest
from tests.provider.living import asked_by_turns
from tests.provider.simulated import plan_of

from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.estimate.document import document
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.totals import peak as module

VALUES, HOMES, DAYS = np.array([0.0, 1000.0, 2000.0]), 2400, 10


def plan(**changes):
    return plan_of([VALUES, VALUES], **{"oracle": "grr", "epsilon": "8", "window": 10, "method": "lpu"} | changes)


def peaky(rng, height):
    """A flat day but for a higher hour, 18; the second appliance makes it, and homes have either."""
    habit, first = rng.beta(0.5, 0.8, size=HOMES), rng.random(HOMES) < 0.5
    used = rng.random((24 * DAYS, HOMES)) < habit * 0.5
    more = (np.arange(24 * DAYS) % 24 == 18)[:, None] & (rng.random(used.shape) < height)
    return [used * 1 * first, np.where(more & ~first, 2, used * ~first)]


def peaks(height, times, seed=0, **changes):
    rng = np.random.default_rng(seed)
    return [
        estimate(plan(**changes), asked_by_turns(rng, plan(**changes), peaky(rng, height)), fold="hour").peak
        for _ in range(times)
    ]


@pytest.mark.parametrize("window", [10, 24])
def test_the_peak_is_among_those_it_could_be(window):
    """A peak that is hardly higher than the other hours is in the set at least 93 times in a hundred."""
    found = peaks(0.03, 16, window=window)

    assert np.mean(["18" in each.could_be for each in found]) >= 0.93
    assert np.mean([len(each.could_be) for each in found]) > 2


def test_too_narrow_a_set_misses_it(monkeypatch):
    """The same with a third of the standard errors would lose the peak."""
    monkeypatch.setattr(module, "sidak_quantile", lambda count: 0.3)

    assert np.mean(["18" in each.could_be for each in peaks(0.03, 16)]) < 0.93


def test_a_high_peak_is_sure():
    """A high one is the only one it could be, and what makes it comes first."""
    peak = peaks(0.6, 1)[0]

    assert (peak.key, peak.could_be) == ("18", ("18",))
    assert peak.sure > 0.99
    assert list(peak.by_appliance) == ["appliance 1", "appliance 0"]
    assert (peak.by_appliance["appliance 1"].best, peak.by_appliance["appliance 1"].worst) == (1, 1)
    assert peak.watts.low < peak.watts.value < peak.watts.high
    assert peak.watts.value == pytest.approx(sum(each.watts.value for each in peak.by_appliance.values()))


def test_names():
    """As JSON, beside the folds alone."""
    rng = np.random.default_rng(1)
    tallies = asked_by_turns(rng, plan(), peaky(rng, 0.6))
    told = document(estimate(plan(), tallies, fold="hour"))["peak"]

    assert list(told) == ["key", "sure", "could_be", "mean_watts", "ci95", "appliances"]
    assert list(told["appliances"]["appliance 1"]) == ["mean_watts", "ci95", "rank", "rank_ci95"]
    assert "peak" not in document(estimate(plan(), tallies))


def test_no_appliance_has_an_answer_at_every_hour():
    """Sums of different appliances are not compared."""
    rng = np.random.default_rng(1)
    agreed = plan(minimum_homes=5000)
    collected = CollectedSlots.of(agreed, asked_by_turns(rng, agreed, peaky(rng, 0.6)))

    assert module.peak_of({"00": collected}) is None
