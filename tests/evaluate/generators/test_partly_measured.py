"""Invented homes with plugs on some of their appliances, for plans that hear of it."""

from dataclasses import replace

import numpy as np
import pytest

from hushwatt.errors import UsageError
from hushwatt.evaluate.generators import generate, invent_homes
from hushwatt.evaluate.simulate import simulate
from hushwatt.plan.presets import preset

PLAN = preset("paper")
ANSWERS = replace(PLAN, unmeasured="answer")


@pytest.mark.parametrize("kind, most", [("uniform", 0.6), ("ideal", 0.6)])
def test_the_share_is_measured(kind, most):
    """Homes measure an appliance always or never, whatever they own; what they measure is what it was."""
    whole, partly = (
        np.stack([watts for _, watts in invent_homes(kind, ANSWERS, 3_000, 3, 7, share).arrays()])
        for share in (1.0, 0.6)
    )
    plugs = ~np.isnan(partly)
    owned = ~np.isnan(whole)

    assert (plugs == plugs[0]).all()
    assert plugs[0].sum() / owned[0].sum() == pytest.approx(most, abs=0.02)
    assert (partly[plugs] == whole[plugs]).all()


def test_what_a_home_does_not_own_has_no_plug():
    """Who owns nothing measures nothing, where the plan has that answer; else it is 0 W."""
    told, zero = (next(iter(generate("ideal", plan, 500, 1, 7)))[1] for plan in (ANSWERS, PLAN))

    assert 0.2 < np.isnan(told).mean() < 0.9
    assert (np.nan_to_num(told) == zero).all()
    assert not zero[np.isnan(told)].any()


def test_the_table_has_nulls():
    """Every home stands in the table, and what it does not measure is null."""
    table = simulate("uniform", ANSWERS, homes=50, slots=2, seed=7, measured=0.01)

    assert table.num_rows == 50 * 2 * 15
    assert table["watts"].null_count > 1_400
    assert simulate("uniform", ANSWERS, homes=50, slots=2, seed=7) == simulate("uniform", PLAN, 50, 2, 7)


@pytest.mark.parametrize(
    "plan, share, said", [(ANSWERS, 0.0, "more than 0"), (ANSWERS, 1.5, "at most 1"), (PLAN, 0.5, "answer")]
)
def test_shares_that_cannot_be(plan, share, said):
    """A share is one, and only some plans hear of it."""
    with pytest.raises(UsageError, match=said):
        simulate("uniform", plan, homes=5, slots=2, seed=7, measured=share)
