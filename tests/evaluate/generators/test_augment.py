"""Augmented homes are like the measured ones they copy, and no measured home is needed twice."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.stats import kstest, truncnorm

from hushwatt.errors import UsageError
from hushwatt.evaluate.generators.augment import Profile, augment
from hushwatt.evaluate.readings_file import SYNTHETIC, write_readings
from hushwatt.plan.presets import preset

PLAN = preset("paper")
DOUBT = 1e-9


def base(homes=5, slots=30, seed=1):
    """Readings of a few homes, some without some appliances."""
    stream = np.random.default_rng(seed)
    mean = stream.uniform(100, 2_000, (homes, 15)) * (stream.random((homes, 15)) < 0.7)
    return np.maximum(mean * (1 + 0.3 * stream.standard_normal((slots, homes, 15))), 0)


def drawn(profile, homes, slots, seed=7):
    """All readings of an augmented fleet."""
    return np.stack([watts for _, watts in augment(profile, PLAN, homes, slots, seed).arrays()])


def test_profile_is_what_was_measured():
    """Mean, deviation and bounds are those of the measured readings, the unmeasured left out."""
    watts = base()
    watts[::3, 2, 4] = np.nan
    profile = Profile.of(watts)
    seen = watts[:, 2, 4][~np.isnan(watts[:, 2, 4])]

    assert profile.mean[0] == pytest.approx(watts[:, 0].mean(axis=0))
    assert profile.deviation[0] == pytest.approx(watts[:, 0].std(axis=0, ddof=1))
    assert (profile.low[2, 4], profile.high[2, 4]) == (seen.min(), seen.max())
    assert profile.mean[2, 4] == pytest.approx(seen.mean())


def test_each_new_home_is_a_copy_of_one():
    """Every new home has the appliances of one measured home, and stays within its bounds."""
    profile = Profile.of(base())
    watts = drawn(profile, homes=200, slots=10)
    fits = ((watts[:, :, None] >= profile.low) & (watts[:, :, None] <= profile.high)).all(axis=(0, 3))

    assert fits.sum(axis=1).tolist() == [1] * 200
    assert set(fits.argmax(axis=1)) == {0, 1, 2, 3, 4}


def test_what_a_home_lacks_stays_away():
    """An appliance without a reading, or with none but 0, is 0 W in every copy."""
    watts = base(homes=1)
    watts[:, 0, 3], watts[:, 0, 5] = np.nan, 0.0
    copies = drawn(Profile.of(watts), homes=50, slots=5)

    assert not copies[:, :, [3, 5]].any()


def test_draws_follow_the_cut_normal_law():
    """Accepts the normal law cut off at the bounds, and rejects the one without the cut."""
    profile = Profile(*(np.full((1, 15), number) for number in (100.0, 80.0, 0.0, 300.0)))
    watts = drawn(profile, homes=5_000, slots=1).ravel()

    assert kstest(watts, truncnorm(-1.25, 2.5, loc=100, scale=80).cdf).pvalue > DOUBT
    assert kstest(watts, "norm", args=(100, 80)).pvalue < DOUBT


def test_one_reading_is_repeated():
    """A home of whose appliance there is one reading gives that reading, and no warning."""
    one = np.full((1, 1, 15), 42.0)

    assert (drawn(Profile.of(one), homes=3, slots=4) == 42.0).all()


def test_a_bound_far_away():
    """A constant appliance with one stray reading stays finite and inside its bounds."""
    profile = Profile(*(np.full((1, 15), number) for number in (1.0, 1e-12, 0.0, 3_000.0)))

    assert drawn(profile, homes=100, slots=1) == pytest.approx(1.0)


def test_seeds():
    """A seed repeats the homes, another one gives others, and none is new each time."""
    profile = Profile.of(base())
    one, again, other, fresh, new = (drawn(profile, 20, 2, seed) for seed in (1, 1, 2, None, None))

    assert (one == again).all()
    assert (one != other).any()
    assert (fresh != new).any()
    assert (one[0] != one[1]).any()  # a home has new readings in every slot


def test_table_is_labelled(tmp_path):
    """The readings table of augmented homes has their numbers and says what they are."""
    fleet = augment(Profile.of(base()), PLAN, homes=30, slots=2, seed=7)
    write_readings(fleet.pages(), tmp_path / "readings.parquet", {SYNTHETIC: fleet.label})
    table = pq.read_table(tmp_path / "readings.parquet")

    assert json.loads(table.schema.metadata[b"hushwatt.synthetic"]) == {
        "kind": "augmented from 5 homes",
        "seed": 7,
    }
    assert table["watts"].to_numpy().tolist() == np.stack([w for _, w in fleet.arrays()]).ravel().tolist()
    assert pa.Table.from_batches(fleet.pages()).num_rows == table.num_rows


def test_wrong_shapes():
    """A base without homes, or with other appliances than the plan, is refused in one line."""
    with pytest.raises(UsageError, match=r"slots × homes × appliances, not of shape \(3, 0, 15\)"):
        Profile.of(np.zeros((3, 0, 15)))
    with pytest.raises(UsageError, match="the base has 4 appliances and the plan 15"):
        augment(Profile.of(np.zeros((3, 2, 4))), PLAN, 10, 1)
