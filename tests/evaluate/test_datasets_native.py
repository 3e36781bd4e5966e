"""Every dataset is read from its own layout; the numbers in these files are invented."""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from hushwatt.errors import ReadingsError, UsageError
from hushwatt.evaluate.datasets import ADDRESSES, DatasetOptions, dataset, read
from hushwatt.evaluate.datasets.appliance_names import common_name
from hushwatt.evaluate.datasets.card import cards
from hushwatt.evaluate.readings_file import SCHEMA
from hushwatt.plan.presets import preset
from hushwatt.plan.slot import SlotLength

HOUR = SlotLength(1, "h")


def readings(name, folder, **options):
    """The table of a dataset as a dictionary of (household, appliance, hour of UTC) to watts."""
    tables = [table.cast(SCHEMA) for table in read(name, folder, DatasetOptions(**{"every": HOUR, **options}))]
    rows = pa.Table.from_batches(tables, SCHEMA).to_pylist()
    return {(row["household"], row["appliance"], row["time"].strftime("%m-%d %H")): row["watts"] for row in rows}


def write(path, text):
    """A file, gzipped if its name says so, with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def refusal(name, folder, **options):
    """The one line with which a dataset is refused."""
    with pytest.raises(ReadingsError) as refused:
        readings(name, folder, **options)
    assert "\n" not in str(refused.value)
    return str(refused.value)


class TestEveryDataset:
    @pytest.mark.parametrize("name", ADDRESSES)
    def test_has_a_card(self, name):
        """Each dataset has a card, by the name under which it is known."""

        assert dataset(name).name == name
        assert cards()[name].where
        assert set(cards()) == set(ADDRESSES)

    @pytest.mark.parametrize("name", ADDRESSES)
    def test_refuses_an_empty_folder(self, name, tmp_path):
        """In a folder without its files it says what it expected there."""
        options = {"every": None} if name == "tidy" else {}

        assert refusal(name, tmp_path, **options).startswith(f"{tmp_path}: no ")
        assert "expected" in refusal(name, tmp_path, **options)

    def test_unknown(self, tmp_path):
        """A dataset or a folder that is not there is refused by name."""
        with pytest.raises(UsageError, match="no dataset called enron; there are ideal, refit"):
            read("enron", tmp_path)

        assert refusal("ideal", tmp_path / "gone") == f"{tmp_path}/gone: there is no such file or folder"


class TestIdeal:
    KETTLE = "home65_kitchen733_sensor3109_electric-appliance_kettle.csv"
    ROWS = "2017-06-01 10:00:00,0\n2017-06-01 10:30:00,2000\n2017-06-01 10:33:00,0\n2017-06-01 11:30:00,0\n"

    @pytest.mark.parametrize("suffix", ["", ".gz"])
    @pytest.mark.parametrize("place", ["sensordata", "", "deeper/down"])
    def test_plain_or_gzipped_anywhere(self, tmp_path, suffix, place):
        """A sensor file is found plain or gzipped, and its value is held between rows."""
        write(tmp_path / place / f"{self.KETTLE}{suffix}", self.ROWS)
        found = readings("ideal", tmp_path)

        assert found[("ideal_65", "kettle", "06-01 10")] == pytest.approx(2000 * 3 / 60)
        assert found[("ideal_65", "kettle", "06-01 11")] == 0

    def test_rows_out_of_order_and_twice(self, tmp_path):
        """Rows are sorted before they are held."""
        lines = self.ROWS.splitlines()
        write(tmp_path / self.KETTLE, "\n".join([lines[3], lines[1], lines[1], lines[0], lines[2]]))

        assert readings("ideal", tmp_path)[("ideal_65", "kettle", "06-01 10")] == pytest.approx(100)

    def test_two_hours_are_held_and_more_is_not(self, tmp_path):
        """A plug that is silent for two hours kept its value, one that is silent for longer was lost."""
        rows = "2017-06-01 00:00:00,60\n2017-06-01 02:00:00,60\n2017-06-01 04:00:01,9\n2017-06-01 05:00:00,9\n"
        write(tmp_path / self.KETTLE, rows)
        hours = [hour for _, _, hour in readings("ideal", tmp_path)]

        assert hours == ["06-01 00", "06-01 01", "06-01 04", "06-01 05"]

    def test_the_gap_can_be_chosen(self, tmp_path):
        """Another longest gap replaces the dataset's own."""
        rows = "2017-06-01 00:00:00,60\n2017-06-01 02:00:00,60\n2017-06-01 02:30:00,60\n"
        write(tmp_path / self.KETTLE, rows)

        assert len(readings("ideal", tmp_path)) == 3
        assert len(readings("ideal", tmp_path, longest_gap=1_800.0)) == 1

    def test_names(self, tmp_path):
        """Appliances get the catalogue's names, and what a home has several of is added up."""
        for sensor, what in enumerate(("vacuumcleaner", "vacuumcleaner", "washingmachinetumbledrier", "appliance")):
            name = f"home7_hall1_sensor{sensor}_electric-appliance_{what}.csv"
            write(tmp_path / name, "2017-06-01 00:00:00,10\n2017-06-01 01:00:00,10\n")

        assert readings("ideal", tmp_path) == {
            ("ideal_7", "other", "06-01 00"): 10,
            ("ideal_7", "vacuum_cleaner", "06-01 00"): 20,
            ("ideal_7", "washing_machine", "06-01 00"): 10,
            ("ideal_7", "other", "06-01 01"): 10,
            ("ideal_7", "vacuum_cleaner", "06-01 01"): 20,
            ("ideal_7", "washing_machine", "06-01 01"): 10,
        }

    def test_mains_only_when_asked(self, tmp_path):
        """The mains, whose sensor has two numbers, come only when they are asked for."""
        write(tmp_path / self.KETTLE, self.ROWS)
        write(
            tmp_path / "home65_hall1183_sensor5718c5722_electric-mains_electric-combined.csv.gz",
            "2017-06-01 10:00:00,300\n2017-06-01 10:30:00,500\n",
        )

        assert {appliance for _, appliance, _ in readings("ideal", tmp_path)} == {"kettle"}
        assert readings("ideal", tmp_path, mains=True)[("ideal_65", "mains", "06-01 10")] == pytest.approx(400)

    def test_the_hour_that_nobody_trusts(self, tmp_path):
        """From 08:50 to 09:50 UTC on 17 April 2018 nothing counts as measured."""
        rows = [f"2018-04-17 {hour:02}:{minute:02}:00,{hour}" for hour in range(7, 12) for minute in range(0, 60, 10)]
        write(tmp_path / self.KETTLE, "\n".join(rows))
        [table] = read("ideal", tmp_path, DatasetOptions(SlotLength(10, "m")))
        times = [time.strftime("%H:%M") for time in table["time"].to_pylist()]

        assert "08:40" in times
        assert "09:50" in times
        assert not {"08:50", "09:00", "09:30", "09:40"} & set(times)

    def test_says_which_files_are_missing(self, tmp_path):
        """Sensors of the metadata without a file are remarked upon, the first of them by its full name."""
        write(tmp_path / "sensordata" / self.KETTLE, self.ROWS)
        write(tmp_path / "metadata/room.csv", "roomid,homeid,type\n733,65,kitchen\n")
        write(
            tmp_path / "metadata/appliance.csv",
            "applianceid,homeid,roomid,appliancetype\n1,65,733,kettle\n2,65,733,toaster\n",
        )
        write(tmp_path / "metadata/sensorbox.csv", "sensorboxid,applianceid\n11,1\n12,2\n13,\n")
        write(
            tmp_path / "metadata/sensor.csv",
            "sensorid,sensorboxid,roomid\n3109,11,733\n3110,12,733\n9,13,733\n",
        )
        notes = []
        readings("ideal", tmp_path, note=notes.append)

        assert notes[:1] == [
            f"ideal_65: 1 of 2 sensors in {tmp_path}/metadata have no file; "
            f"expected home65_kitchen733_sensor3110_electric-appliance_toaster.csv.gz"
        ]

    def test_half_a_download(self, tmp_path):
        """A gzip file that stops half-way is named, and so is one that is none."""
        path = write(tmp_path / f"{self.KETTLE}.gz", self.ROWS * 100)
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        half = refusal("ideal", tmp_path)
        path.write_bytes(b"<html>not found</html>")

        assert half == refusal("ideal", tmp_path)
        assert half.startswith(f"{path}: not a complete gzip file")

    @pytest.mark.parametrize(
        "rows, line",
        [
            ("2017-06-01 10:00:00,0\n2017-06-01 10:0", ", line 2: expected YYYY-MM-DD hh:mm:ss,watts"),
            ("2017-06-01 10:00:00,0\nlater,4711\n", ", line 2: expected YYYY-MM-DD hh:mm:ss,watts"),
            ("time,watts\n2017-06-01 10:00:00,0\n", ", line 1: expected YYYY-MM-DD hh:mm:ss,watts"),
            ("2017-06-01 10:00:00,0\n,4711\n", ", line 2: expected YYYY-MM-DD hh:mm:ss,watts"),
            ("2017-06-01 10:00:00,0,4711\n", ", line 1: expected YYYY-MM-DD hh:mm:ss,watts"),
            ("", ": expected lines of YYYY-MM-DD hh:mm:ss,watts, found none that can be read"),
        ],
    )
    def test_broken_rows(self, tmp_path, rows, line):
        """A broken row is named by file and line, and its value is not repeated."""
        path = write(tmp_path / self.KETTLE, rows)

        assert refusal("ideal", tmp_path) == f"{path}{line}"

    def test_homes(self, tmp_path):
        """Only the homes that are asked for are read, and one that is not there is refused."""
        write(tmp_path / self.KETTLE, self.ROWS)
        write(tmp_path / self.KETTLE.replace("home65", "home7").replace("3109", "1"), self.ROWS)

        assert {home for home, _, _ in readings("ideal", tmp_path, homes=("7",))} == {"ideal_7"}
        assert refusal("ideal", tmp_path, homes=("8",)) == f"{tmp_path}: there is no home 8 in it; there are 7, 65"


class TestRefit:
    HEADER = "Time,Unix,Aggregate," + ",".join(f"Appliance{number}" for number in range(1, 10))
    NOON = int(datetime(2014, 5, 5, 12, tzinfo=UTC).timestamp())

    def house(self, path, rows, issues=None):
        """A house whose rows give a second of the hour, the total, and nine appliances."""
        lines = [self.HEADER + (",Issues" if issues else "")]
        for place, (second, *watts) in enumerate(rows):
            cells = ["2014-05-05 12:00:00", self.NOON + second, *watts, *([issues[place]] if issues else [])]
            lines.append(",".join(map(str, cells)))
        return write(path, "\n".join(lines) + "\n")

    def test_columns_are_the_houses_own(self, tmp_path):
        """House 2's eighth column is its kettle, and house 3's ninth."""
        rows = [(second, 500, 1, 2, 3, 4, 5, 6, 7, 8, 9) for second in range(0, 3_600, 60)]
        self.house(tmp_path / "CLEAN_House2.csv", rows, issues=[0] * 60)
        self.house(tmp_path / "House_3.csv", rows)
        found = readings("refit", tmp_path, mains=True)

        assert found[("refit_2", "kettle", "05-05 12")] == pytest.approx(8)
        assert found[("refit_3", "kettle", "05-05 12")] == pytest.approx(9)
        assert found[("refit_2", "mains", "05-05 12")] == pytest.approx(500)

    def test_two_of_a_kind_are_added_up(self, tmp_path):
        """House 1 has two freezers, house 12 two televisions and three columns without anything."""
        rows = [(second, 500, 1, 2, 3, 4, 5, 6, 7, 8, 9) for second in range(0, 3_600, 60)]
        self.house(tmp_path / "House_1.csv", rows)
        self.house(tmp_path / "House_12.csv", rows)
        found = readings("refit", tmp_path)

        assert found[("refit_1", "freezer", "05-05 12")] == pytest.approx(2 + 3)
        assert sum(home == "refit_12" for home, _, _ in found) == 5
        assert found[("refit_12", "tv", "05-05 12")] == pytest.approx(2 + 6)

    def test_rows_with_issues_are_unmeasured(self, tmp_path):
        """Where the cleaned file marks an issue, the rows do not count."""
        rows = [(second, 0, *[10 if second < 1_800 else 999] * 9) for second in range(0, 3_600, 60)]
        self.house(tmp_path / "CLEAN_House2.csv", rows, issues=[int(second >= 1_800) for second, *_ in rows])

        assert readings("refit", tmp_path)[("refit_2", "kettle", "05-05 12")] == pytest.approx(10)

    def test_the_cleaned_file_counts(self, tmp_path):
        """Where both releases are there, the cleaned one is read."""
        self.house(tmp_path / "House_2.csv", [(second, 0, *[1] * 9) for second in (0, 60)])
        self.house(tmp_path / "CLEAN_House2.csv", [(second, 0, *[2] * 9) for second in (0, 60)], issues=[0, 0])

        assert readings("refit", tmp_path)[("refit_2", "kettle", "05-05 12")] == pytest.approx(2)

    def test_gaps(self, tmp_path):
        """Two minutes without a row are held, three are not."""
        seconds = (0, 120, 300, 360)
        self.house(tmp_path / "House_2.csv", [(second, 0, *[second + 1] * 9) for second in seconds])
        expected = (120 * 1 + 60 * 301 + 60 * 361) / 240

        assert readings("refit", tmp_path)[("refit_2", "kettle", "05-05 12")] == pytest.approx(expected)

    def test_a_house_that_is_none(self, tmp_path):
        """There is no house 14, whatever a file is called."""
        path = self.house(tmp_path / "CLEAN_House14.csv", [(0, *[1] * 10)])

        assert refusal("refit", tmp_path) == f"{path}: REFIT has no house 14; it has 1 to 21 without 14"

    def test_a_house_that_is_not_there(self, tmp_path):
        """A house without a file is refused, with those that have one."""
        self.house(tmp_path / "House_2.csv", [(0, *[1] * 10)])

        assert refusal("refit", tmp_path, homes=("3",)) == f"{tmp_path}: there is no home 3 in it; there are 2"

    def test_columns_that_are_not_there(self, tmp_path):
        """A file without REFIT's columns says which one is missing."""
        path = write(tmp_path / "House_2.csv", "Time,Unix,Aggregate,Appliance1\n")

        assert refusal("refit", tmp_path).startswith(f"{path}: column Appliance2 is not there; expected Time,Unix,")

    def test_broken_rows(self, tmp_path):
        """A row that stops half-way is named by its line."""
        path = self.house(tmp_path / "House_2.csv", [(0, *[1] * 10), (60, *[1] * 10)])
        path.write_text(path.read_text()[:-8])

        assert refusal("refit", tmp_path).startswith(f"{path}, line 3: expected Time,Unix,Aggregate,")

    def test_a_quoted_header(self, tmp_path):
        """Column names in quotation marks are the same columns."""
        path = self.house(tmp_path / "House_2.csv", [(second, *[3] * 10) for second in (0, 60)])
        quoted = ",".join(f'"{name}"' for name in self.HEADER.split(","))
        path.write_text(path.read_text().replace(self.HEADER, quoted))

        assert readings("refit", tmp_path)[("refit_2", "kettle", "05-05 12")] == pytest.approx(3)


class TestUkDale:
    NOON = int(datetime(2013, 7, 1, 12, tzinfo=UTC).timestamp())

    def channel(self, folder, number, rows):
        """A channel whose rows give a second of the hour, and watts."""
        lines = [f"{self.NOON + second} {watts}" for second, watts in rows]
        return write(folder / f"house_2/channel_{number}.dat", "\n".join(lines) + "\n")

    def test_channels_and_labels(self, tmp_path):
        """Channels get the names of labels.dat, the mains only when asked for."""
        write(tmp_path / "house_2/labels.dat", "1 aggregate\n2 dish_washer\n3 laptop2\n")
        for number in (1, 2, 3):
            self.channel(tmp_path, number, [(second, 10 * number) for second in range(0, 3_600, 6)])

        assert readings("ukdale", tmp_path, mains=True) == {
            ("ukdale_2", "dishwasher", "07-01 12"): pytest.approx(20),
            ("ukdale_2", "laptop", "07-01 12"): pytest.approx(30),
            ("ukdale_2", "mains", "07-01 12"): pytest.approx(10),
        }
        assert len(readings("ukdale", tmp_path)) == 2

    def test_a_house_by_itself(self, tmp_path):
        """The folder may be a house, too."""
        write(tmp_path / "house_2/labels.dat", "2 kettle\n")
        self.channel(tmp_path, 2, [(0, 1.5), (60, 2.5)])

        assert readings("ukdale", tmp_path / "house_2") == {("ukdale_2", "kettle", "07-01 12"): pytest.approx(2)}

    def test_says_which_channels_are_missing(self, tmp_path):
        """Labels without a file are remarked upon; without any file the house is refused."""
        write(tmp_path / "house_2/labels.dat", "2 kettle\n3 fridge\n\n4 toaster\n")
        alone = refusal("ukdale", tmp_path)
        self.channel(tmp_path, 3, [(0, 1), (60, 2)])
        notes = []
        readings("ukdale", tmp_path, note=notes.append)

        assert alone.startswith(f"{tmp_path}/house_2: no channel of labels.dat has a file; expected channel_1.dat")
        assert notes[0] == (
            f"ukdale_2: 2 of 3 channels in {tmp_path}/house_2/labels.dat have no file; "
            f"expected channel_2.dat and others"
        )

    def test_labels_that_are_not_there(self, tmp_path):
        """A house without labels, or with a label without a name, is refused."""
        self.channel(tmp_path, 2, [(0, 1), (60, 2)])
        without = refusal("ukdale", tmp_path)
        write(tmp_path / "house_2/labels.dat", "2 kettle\nfridge\n")

        assert without.startswith(f"{tmp_path}/house_2/labels.dat: there is no such file")
        assert refusal("ukdale", tmp_path).startswith(f"{tmp_path}/house_2/labels.dat, line 2: expected a channel")

    def test_broken_rows(self, tmp_path):
        """A broken row is named by file and line."""
        write(tmp_path / "house_2/labels.dat", "2 kettle\n")
        path = self.channel(tmp_path, 2, [(0, 1), (60, "x")])

        assert refusal("ukdale", tmp_path) == f"{path}, line 2: expected Unix seconds, a space, and watts"


class TestEco:
    def day(self, folder, home="04", plug="01", day="2012-07-01", watts=None):
        """A plug's day, constant or as given."""
        numbers = np.full(86_400, 5.0) if watts is None else watts
        return write(folder / f"{home}_plugs_csv/{home}/{plug}/{day}.csv", "\n".join(map(str, numbers)) + "\n")

    def test_local_days(self, tmp_path):
        """The first second of a summer's day in Zurich is 22:00 UTC, and -1 is unmeasured."""
        watts = np.arange(86_400) // 3_600 * 10.0
        watts[1_800:3_600] = -1
        self.day(tmp_path, plug="08", watts=watts)
        found = readings("eco", tmp_path)

        assert found[("eco_04", "microwave", "06-30 22")] == 0
        assert found[("eco_04", "microwave", "06-30 23")] == pytest.approx(10)
        assert found[("eco_04", "microwave", "07-01 21")] == pytest.approx(230)
        assert len(found) == 24

    def test_unmeasured_seconds_do_not_count(self, tmp_path):
        """A mean is that of the measured seconds alone."""
        watts = np.full(86_400, -1.0)
        watts[[10, 11, 500]] = 1, 2, 6
        self.day(tmp_path, watts=watts)

        assert readings("eco", tmp_path) == {("eco_04", "fridge", "06-30 22"): pytest.approx(3)}

    def test_when_the_clocks_change(self, tmp_path):
        """The hour that the clocks skip is left out, the one they show twice has one measurement."""
        for day in ("2012-10-28", "2013-03-31"):
            self.day(tmp_path, day=day)
        hours = [hour for _, _, hour in readings("eco", tmp_path)]

        assert sum(hour.startswith("03-3") for hour in hours) == 23
        assert "10-28 00" in hours
        assert "10-28 01" not in hours

    @pytest.mark.parametrize(
        "day, line",
        [
            ({"watts": np.ones(1_000)}, "has 1000 lines; expected 86400"),
            ({"home": "09"}, "ECO has no home 09; it has 01, 02"),
            ({"plug": "09"}, "home 04 of ECO has no plug 09; it has 8"),
            ({"day": "2012-02-31"}, "the name is no day; expected a file such as"),
        ],
    )
    def test_refusals(self, tmp_path, day, line):
        """A short day, an unknown home, an unknown plug and an impossible date are refused."""
        self.day(tmp_path, **day)

        assert line in refusal("eco", tmp_path)

    def test_a_home_may_be_written_short(self, tmp_path):
        """Home 4 is home 04."""
        self.day(tmp_path)

        assert {home for home, _, _ in readings("eco", tmp_path, homes=("4",))} == {"eco_04"}


class TestOpsd:
    COLUMNS = (
        "utc_timestamp",
        "DE_KN_residential4_refrigerator",
        "DE_KN_residential4_grid_import",
        "interpolated",
    )

    def package(self, folder, counters, minutes=60):
        """One fridge, whose counter stands as given at the end of each period."""
        lines = [",".join(self.COLUMNS)]
        for place, counter in counters:
            time = f"{place * minutes // 60:02}:{place * minutes % 60:02}"
            lines.append(f"2016-02-01T{time}:00Z,{counter},{place},")
        return write(folder / f"household_data_{minutes}min_singleindex.csv", "\n".join(lines) + "\n")

    def test_counters_become_watts(self, tmp_path):
        """The difference to the row before is what the period used; whole homes' feeds are no appliances."""
        self.package(tmp_path, [(0, 1.0), (1, 1.05), (2, 1.25)])

        assert readings("opsd", tmp_path) == {
            ("opsd_DE_KN_residential4", "fridge", "02-01 01"): pytest.approx(50),
            ("opsd_DE_KN_residential4", "fridge", "02-01 02"): pytest.approx(200),
        }

    def test_gaps_and_resets(self, tmp_path):
        """Across a missing row, an empty cell or a counter that goes back, nothing is known."""
        self.package(tmp_path, [(0, 1.0), (1, ""), (2, 1.2), (3, 1.3), (5, 1.9), (6, 0.1), (7, 0.2)])

        assert [hour for _, _, hour in readings("opsd", tmp_path)] == ["02-01 03", "02-01 07"]

    def test_the_finest_file_counts(self, tmp_path):
        """Of several files the one with the shortest periods is read."""
        self.package(tmp_path, [(0, 1.0), (1, 1.05)])
        self.package(tmp_path, [(place, place / 100) for place in range(5)], minutes=15)

        assert readings("opsd", tmp_path)[("opsd_DE_KN_residential4", "fridge", "02-01 00")] == pytest.approx(40)

    def test_refusals(self, tmp_path):
        """A file without times, or with a time that is none, is refused."""
        path = write(tmp_path / "household_data_60min_singleindex.csv", "DE_KN_residential4_freezer\n1\n")
        without = refusal("opsd", tmp_path)
        self.package(tmp_path, [(0, 1.0), (1, "much")])

        assert without.startswith(f"{path}: column utc_timestamp is not there")
        assert refusal("opsd", tmp_path).startswith(f"{path}, line 3: expected the columns utc_timestamp")


class TestTracebase:
    NAME = "complete/WaterKettle/dev_D330A3_2012.01.16.csv"

    def test_local_times(self, tmp_path):
        """The kind is the folder, the device its own home, and the clock Berlin's."""
        write(tmp_path / self.NAME, "16/01/2012 13:00:00;1000;9\n16/01/2012 13:01:00;2000;9\n")

        assert readings("tracebase", tmp_path) == {("tracebase_D330A3", "kettle", "01-16 12"): pytest.approx(1_500)}

    def test_refusals(self, tmp_path):
        """A row in another form is named by its line."""
        path = write(tmp_path / self.NAME, "16/01/2012 13:00:00;1000;9\n2012-01-16;2000;9;9\n")

        assert refusal("tracebase", tmp_path) == f"{path}, line 2: expected dd/mm/yyyy HH:MM:SS;watts;watts"


def test_names_of_the_paper():
    """All appliance types that IDEAL metered get one of the paper's fifteen names."""
    types = (
        *(
            "vacuumcleaner",
            "kettle",
            "microwave",
            "dishwasher",
            "tumbledrier",
            "fridgefreezer",
            "washingmachine",
        ),
        *("freezer", "fridge", "dehumidifier", "other", "grill", "toaster", "electricoven", "electricheater"),
    )

    assert tuple(common_name(name) for name in types) == preset("paper").names
    assert common_name("washingmachinetumbledrier") == "washing_machine"


def test_tables_are_sorted_by_time(tmp_path):
    """Within a home the table is sorted by time, then by appliance."""
    for sensor, what in enumerate(("toaster", "kettle")):
        name = f"home7_hall1_sensor{sensor}_electric-appliance_{what}.csv"
        write(tmp_path / name, "2017-06-01 00:00:00,10\n2017-06-01 01:00:00,10\n")
    [table] = read("ideal", tmp_path, DatasetOptions(HOUR))

    assert table["appliance"].to_pylist() == ["kettle", "toaster"] * 2
    assert [time.hour for time in table["time"].to_pylist()] == [0, 0, 1, 1]


def test_cards_are_complete():
    """Every card can be printed as JSON and has no empty line."""
    for card in cards().values():
        words = json.loads(json.dumps(card.__dict__))

        assert all(words.values())
        assert Path(card.name).name in ADDRESSES
