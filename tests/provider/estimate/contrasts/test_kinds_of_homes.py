"""Kinds of homes against each other, alone and with times: who is on both sides, and who is not."""

import json

import numpy as np
import pytest
from tests.provider.estimate.groups.attack import APPLIANCE
from tests.provider.estimate.groups.test_grouped import VALUES, spoken
from tests.provider.simulated import plan_of

from hushwatt.errors import UsageError
from hushwatt.provider.estimate.contrasts import contrast
from hushwatt.provider.estimate.contrasts.contrast import contrasts
from hushwatt.provider.estimate.contrasts.contrast_document import contrast_document
from hushwatt.provider.estimate.contrasts.side import Side
from hushwatt.provider.estimate.groups.partitions import answers
from hushwatt.provider.estimate.ranking.common_homes import shares_homes
from hushwatt.provider.tally.labels import Cells

PLAN = plan_of([VALUES], method="lpu", window=8, epsilon="4", oracle="grr", minimum_homes=12)


def sides(tallies, *texts):
    return [Side.parse(PLAN, text, tallies.cells).collected(PLAN, tallies) for text in texts]


def test_two_tariffs():
    """The limits of a difference hold the truth in at least 93 of 100 cases, and p is small where there is one."""
    rng, inside, sure = np.random.default_rng(1), [], []
    for _ in range(25):
        tallies, truth = spoken(rng, PLAN)
        found = contrasts(sides(tallies, "tariff=A", "tariff=C")).by_appliance[APPLIANCE]
        inside.append(found.low <= truth[0] - truth[2] <= found.high)
        sure.append(found.p < 0.05)

    assert np.mean(inside) >= 0.93
    assert np.mean(sure) > 0.5


def test_homes_on_one_side_only_err_apart(monkeypatch):
    """What is known of homes that are on both sides must be allowed for; of others there is nothing to allow for."""
    tallies, _ = spoken(np.random.default_rng(2), PLAN)
    two = sides(tallies, "tariff=A", "tariff=B")
    apart = contrasts(two).by_appliance[APPLIANCE]
    monkeypatch.setattr(contrast, "shares_homes", lambda sides: np.ones((2, 2), dtype=bool))
    together = contrasts(two).by_appliance[APPLIANCE]
    series = [side.series[APPLIANCE].period.watts_variance for side in two]

    assert apart.detectable < together.detectable
    assert apart.high - apart.low == pytest.approx(2 * 1.96 * sum(series) ** 0.5, rel=1e-3)


def test_who_is_on_both_sides():
    """Pair by pair: the same kind at other times is, another kind is not, all homes are."""
    tallies, _ = spoken(np.random.default_rng(3), PLAN)
    found = sides(tallies, "tariff=A,hours=17-21", "tariff=A,hours=0-6", "tariff=B,hours=17-21", "hours=0-6")

    assert shares_homes(found).tolist() == [
        [True, True, False, True],
        [True, True, False, True],
        [False, False, True, True],
        [True, True, True, True],
    ]


def test_difference_in_differences():
    """Evening against night, of one tariff more than of another."""
    tallies, _ = spoken(np.random.default_rng(4), PLAN)
    texts = ["tariff=A,hours=17-21", "tariff=A,hours=0-6", "tariff=B,hours=17-21", "tariff=B,hours=0-6"]
    found = contrasts(sides(tallies, *texts))
    bounds = contrast._covariance(found.sides, APPLIANCE)
    told = contrast_document(found, texts)

    assert (bounds.highest[:2, 2:] == 0).all()
    assert (bounds.lowest[:2, 2:] == 0).all()
    assert bounds.lowest[0, 1] < 0
    assert [each["homes"] for each in (told["a"], told["b"], *told["versus"])] == [700, 700, 380, 380]
    assert json.dumps(told)


def test_a_kind_that_is_too_small_is_null():
    """And so is the one that would give it away."""
    plan = plan_of([VALUES], method="lpu", window=8, epsilon="4", oracle="grr", minimum_homes=130)
    tallies, _ = spoken(np.random.default_rng(5), plan)
    found = [Side.parse(plan, f"tariff={each}", tallies.cells).collected(plan, tallies) for each in "AB"]

    assert contrasts(found).by_appliance == {APPLIANCE: None}
    assert found[0].series[APPLIANCE].period is not None
    assert found[1].most[APPLIANCE] >= 130
    assert answers(((0, 0),), np.array([True, True]))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tarif=A", "there is no tarif in these reports; labels are tariff, region"),
        ("tariff=Z", "no home has “tariff=Z”; tariff is one of A, B"),
        ("tariff=A,tariff=B", "says nothing new"),
    ],
)
def test_labels_that_are_not_there(text, said):
    """In one line that says which there are."""
    with pytest.raises(UsageError) as refused:
        Side.parse(PLAN, text, Cells(("tariff", "region"), (("A", "n"), ("B", "s"))))

    assert said in str(refused.value)
