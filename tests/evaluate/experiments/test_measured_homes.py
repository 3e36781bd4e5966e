"""Tables of a folder become recordings, and recordings a fleet whose real means are known."""

import numpy as np
import pytest

from hushwatt.errors import ReadingsError
from hushwatt.evaluate.experiments.measured_homes import (
    DAILY,
    DAYS,
    HOURLY,
    REASSEMBLED,
    BootstrappedFleet,
    PriorKnowledge,
    halves,
    populations,
)


def written(folder, name, homes=2, days=12, hours=(0,), appliances=("kettle",), watts=lambda *cell: sum(cell)):
    """A table of invented readings, at these hours of each day."""
    rows = ["household,time,appliance,watts"]
    for home in range(homes):
        for appliance in appliances:
            for day in range(days):
                rows += [
                    f"h{home},2024-01-{day + 1:02d}T{hour:02d}:30,{appliance},{watts(home, day, hour)}"
                    for hour in hours
                ]
    (folder / name).write_text("\n".join(rows))
    return folder


def test_a_table_of_days_is_daily_homes(tmp_path):
    """One reading a day: a recording for each home and appliance, a column of days."""
    found = populations(written(tmp_path, "mine.csv"))

    assert list(found) == [DAILY]
    assert [days.ravel().tolist() for days in found[DAILY]["kettle"]] == [
        list(range(12)),
        list(range(1, 13)),
    ]


def test_a_table_of_hours_is_both(tmp_path):
    """Many readings a day: hourly homes, and daily ones of their means."""
    found = populations(written(tmp_path, "mine.csv", homes=1, hours=range(24)))

    assert list(found) == [HOURLY, DAILY]
    assert found[HOURLY]["kettle"][0].shape == (12, 24)
    assert found[DAILY]["kettle"][0].ravel() == pytest.approx(np.arange(12) + 11.5)


def test_days_that_were_hardly_measured_are_left_out(tmp_path):
    """A day counts from 20 hours on; an hour that is missing in one that counts is NaN, not 0."""
    written(tmp_path, "mine.csv", homes=1, hours=range(24))
    lines = (tmp_path / "mine.csv").read_text().splitlines()
    kept = [line for line in lines if "2024-01-02T1" not in line and "2024-01-03T05" not in line]
    (tmp_path / "mine.csv").write_text("\n".join(kept))
    days = populations(tmp_path)[HOURLY]["kettle"][0]

    assert days.shape == (11, 24)
    assert np.argwhere(np.isnan(days)).tolist() == [[1, 5]]


def test_empty_watts_were_not_measured(tmp_path):
    """A row without watts is no reading, and no error."""
    written(tmp_path, "mine.csv", homes=1, days=12, watts=lambda _, day, __: "" if day == 3 else 5)

    assert populations(tmp_path)[DAILY]["kettle"][0].ravel().tolist() == [5.0] * 11


def test_known_tables_come_first(tmp_path):
    """Where tables have known names, others of the same homes beside them are not read."""
    written(tmp_path, "eco_30min.csv", homes=1, hours=range(24))
    written(tmp_path, "eco_daily.csv", homes=1)
    written(tmp_path, "gecad_daily.csv", homes=3)
    found = populations(tmp_path)

    assert {kind: len(of["kettle"]) for kind, of in found.items()} == {HOURLY: 1, REASSEMBLED: 3}


def test_names_are_common_and_totals_no_appliance(tmp_path):
    """Two spellings are one appliance; mains are left out, and so is what is always off."""
    written(tmp_path, "one.csv", appliances=("Tumble-Dryer", "mains"))
    written(tmp_path, "two.csv", appliances=("tumble_drier",))
    written(tmp_path, "off.csv", appliances=("kettle",), watts=lambda *_: 0)
    found = populations(tmp_path)[DAILY]

    assert {name: len(of) for name, of in found.items()} == {"tumble_drier": 4}


def test_other_tables_are_passed_over(tmp_path):
    """A table of something else lies beside; alone it is refused."""
    (tmp_path / "facts.csv").write_text("name,ownership\nkettle,0.98\n")
    with pytest.raises(ReadingsError, match="no table with the columns household, time, appliance, watts"):
        populations(tmp_path)
    populations.cache_clear()

    assert DAILY in populations(written(tmp_path, "mine.csv"))


def test_too_little_is_refused(tmp_path):
    """A folder that is not there, and one whose recordings are too short."""
    with pytest.raises(ReadingsError, match="there is no such file or folder"):
        populations(tmp_path / "nowhere")
    with pytest.raises(ReadingsError, match="measured on 10 days or more"):
        populations(written(tmp_path, "mine.csv", days=9))


def test_highs_are_of_slots_in_use():
    """Slots in which it stands by do not count for the high; recordings count alike."""
    off = np.zeros((90, 1))
    used = np.full((10, 1), 100.0)
    known = PriorKnowledge.of([np.concatenate([off, used]), np.full((1_000, 1), 20.0)])

    assert known.mean == pytest.approx(15.0)
    assert 20 < known.high <= 100


def test_what_is_learnt_is_tried_at_another_time():
    """A recording long enough for two is cut in its middle, no day in both; a shorter one is in both halves."""
    long, short = np.arange(25.0)[:, None], np.arange(19.0)[:, None]
    earlier, later = halves({"kettle": (long, short)})

    assert [half["kettle"][0].ravel().tolist() for half in (earlier, later)] == [list(range(12)), list(range(12, 25))]
    assert earlier["kettle"][1] is short
    assert later["kettle"][1] is short


def test_a_fleet_keeps_days_together():
    """A month is a stretch of one recording; a short recording begins again."""
    long, short = np.arange(50.0)[:, None], 1000 + np.arange(12.0)[:, None]
    fleet = BootstrappedFleet.of({"kettle": (long,), "lamp": (short,)}, 40, 1.0, np.random.default_rng(1))
    watts = np.array(list(fleet.matrices()))

    assert watts.shape == (DAYS, 40, 2)
    assert (np.diff(watts[:, :, 0], axis=0) == 1).all()
    assert len(set(watts[0, :, 0])) > 10
    assert (watts[:, :, 1] == (1000 + np.arange(DAYS) % 12)[:, None]).all()


def test_true_means_are_those_of_measuring_homes():
    """Homes that do not measure an appliance have no part in its real mean, nor has an hour that is missing."""
    hours = np.full((40, 2), 10.0)
    hours[:, 1] = np.nan
    stream = np.random.default_rng(2)
    fleet = BootstrappedFleet.of({"kettle": (hours, hours + 20)}, 400, 0.6, stream)
    measuring = fleet.begins[:, 0] >= 0
    high = fleet.readings[fleet.begins[measuring, 0]] == 30

    assert 0.5 < measuring.mean() < 0.7
    assert fleet.true_means(4_000) == pytest.approx([10 + 20 * high.mean()])
    assert np.nanmax(next(fleet.matrices(missing=0.0))[~measuring]) == 0
    assert np.isnan(next(fleet.matrices())[~measuring]).all()
