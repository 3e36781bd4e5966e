"""NILMTK's HDF5 files are read without ever unpickling what is inside."""

import pickle
from datetime import UTC, datetime

import h5py
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.errors import ReadingsError
from hushwatt.evaluate.datasets import DatasetOptions, read
from hushwatt.evaluate.datasets.plain_pickle import UNKNOWN, plain
from hushwatt.evaluate.readings_file import SCHEMA
from hushwatt.plan.slot import SlotLength

NOON = int(datetime(2013, 7, 1, 12, tzinfo=UTC).timestamp())
ACTIVE = [("power", "active")]


class Bomb:
    """A thing that would make a file when unpickled."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return open, (self.path, "w")


def pickled(thing, protocol=0):
    """As PyTables keeps it in an attribute."""
    return np.bytes_(pickle.dumps(thing, protocol))


def meter(file, number, rows, kinds=ACTIVE, unit="ns", building=1):
    """A table as pandas writes it: an index of times, and a block of columns."""
    table = np.zeros(len(rows), [("index", "<i8"), ("values_block_0", "<f4", (len(kinds),))])
    scale = {"ns": 10**9, "us": 10**6, "s": 1}[unit]
    table["index"] = [(NOON + second) * scale for second, *_ in rows]
    table["values_block_0"] = [watts for _, *watts in rows]
    stored = file.create_dataset(f"building{building}/elec/meter{number}/table", data=table)
    stored.attrs["index_kind"] = np.bytes_("datetime64" if unit == "ns" else f"datetime64[{unit}]")
    stored.attrs["values_block_0_kind"] = pickled(kinds)


def metadata(appliances, site_meters=(1,), longest=120, extra=None):
    """What NILMTK says about a building and its meters."""
    numbers = {number for number, _ in appliances} | set(site_meters)
    meters = {number: {"device_model": "mini", "site_meter": number in site_meters} for number in numbers}
    types = [{"type": name, "instance": 1, "meters": [number]} for number, name in appliances]
    building = {"instance": 1, "elec_meters": meters, "appliances": types} | (extra or {})
    return building, {"meter_devices": {"mini": {"max_sample_period": longest}}}


def write(path, meters, building=None, root=None, **options):
    """A file with the given meters (number to rows) and metadata."""
    with h5py.File(path, "w") as file:
        for number, rows in meters.items():
            meter(file, number, rows, **options)
        if building is not None:
            file["building1"].attrs["metadata"] = pickled(building)
        if root is not None:
            file.attrs["metadata"] = pickled(root)
    return path


def readings(folder, **options):
    """A dictionary of (household, appliance) to the mean of the hour after noon."""
    tables = [table.cast(SCHEMA) for table in read("nilmtk", folder, DatasetOptions(SlotLength(1, "h"), **options))]
    rows = pa.Table.from_batches(tables, SCHEMA).to_pylist()
    assert {row["time"].timestamp() for row in rows} == {NOON}
    return {(row["household"], row["appliance"]): row["watts"] for row in rows}


def refusal(folder):
    """The one line with which a file is refused."""
    with pytest.raises(ReadingsError) as refused:
        readings(folder)
    assert "\n" not in str(refused.value)
    return str(refused.value)


MINUTES = [(second, 10.0) for second in range(0, 3_600, 60)]


class TestFiles:
    @pytest.mark.parametrize("unit", ["ns", "us", "s"])
    def test_meters_and_names(self, tmp_path, unit):
        """Meters get the names of their appliances, in whatever unit the index counts."""
        building, root = metadata([(2, "dish washer"), (3, "fridge freezer")])
        meters = {1: MINUTES, 2: [(second, 20.0) for second, _ in MINUTES], 3: MINUTES}
        write(tmp_path / "uk.h5", meters, building, root, unit=unit)

        assert readings(tmp_path, mains=True) == {
            ("uk_building1", "dishwasher"): pytest.approx(20),
            ("uk_building1", "fridge_freezer"): pytest.approx(10),
            ("uk_building1", "mains"): pytest.approx(10),
        }
        assert ("uk_building1", "mains") not in readings(tmp_path / "uk.h5")

    def test_active_power_is_preferred(self, tmp_path):
        """Of several columns active power counts, then apparent; reactive power and voltage never."""
        kinds = [("voltage", ""), ("power", "reactive"), ("power", "apparent"), ("power", "active")]
        write(tmp_path / "a.h5", {2: [(second, 230, 1, 2, 3) for second, _ in MINUTES]}, kinds=kinds)
        write(tmp_path / "b.h5", {2: [(second, 230, 1, 2) for second, _ in MINUTES]}, kinds=kinds[:3])

        assert readings(tmp_path) == {
            ("a_building1", "meter_2"): pytest.approx(3),
            ("b_building1", "meter_2"): pytest.approx(2),
        }

    def test_the_gap_is_the_meters_own(self, tmp_path):
        """A value is held as long as max_sample_period says, or for half an hour."""
        rows = [(0, 100.0), (600, 0.0), (660, 0.0)]
        building, root = metadata([(2, "kettle")], site_meters=(), longest=60)
        write(tmp_path / "short.h5", {2: rows}, building, root)
        write(tmp_path / "unknown.h5", {2: rows}, building)

        assert readings(tmp_path)[("short_building1", "kettle")] == 0
        assert readings(tmp_path)[("unknown_building1", "kettle")] == pytest.approx(100 * 600 / 720)

    def test_without_metadata(self, tmp_path):
        """Meters that nobody names keep their numbers, and that is said."""
        write(tmp_path / "a.h5", {2: MINUTES})
        notes = []

        assert readings(tmp_path, note=notes.append) == {("a_building1", "meter_2"): pytest.approx(10)}
        assert len(notes) == 1
        assert "a.h5 does not say what its meters measure; they keep their numbers" in notes[0]

    def test_nothing_is_ever_run(self, tmp_path):
        """A bomb in the metadata does not go off, and the plain data beside it are still read."""
        building, root = metadata([(2, "kettle")], site_meters=(), extra={"bomb": Bomb(tmp_path / "boom")})
        write(tmp_path / "a.h5", {2: MINUTES}, building, root)
        write(tmp_path / "b.h5", {2: MINUTES}, Bomb(tmp_path / "boom"), Bomb(tmp_path / "boom"))

        assert readings(tmp_path) == {
            ("a_building1", "kettle"): pytest.approx(10),
            ("b_building1", "meter_2"): pytest.approx(10),
        }
        assert not (tmp_path / "boom").exists()

    def test_without_power(self, tmp_path):
        """A meter without a power column is refused by file and meter."""
        path = write(tmp_path / "a.h5", {2: MINUTES}, kinds=[("energy", "active")])

        assert refusal(tmp_path) == (
            f"{path}: /building1/elec/meter2 has no power column; expected ('power', 'active') or ('power', 'apparent')"
        )

    def test_half_a_download(self, tmp_path):
        """A file that stops half-way is refused by its name, and so is one that is none."""
        path = write(tmp_path / "a.h5", {2: MINUTES * 100})
        path.write_bytes(path.read_bytes()[:3_000])
        half = refusal(tmp_path)
        path.write_text("not found")

        assert half == refusal(tmp_path) == f"{path}: not an HDF5 file, or not a complete one"

    def test_other_hdf5(self, tmp_path):
        """An HDF5 file of something else says what was expected of it."""
        with h5py.File(tmp_path / "a.h5", "w") as file:
            file["building1/elec/meter1/values"] = [1, 2, 3]
        table = refusal(tmp_path)
        with h5py.File(tmp_path / "a.h5", "w") as file:
            file.create_group("building1/elec")
        meters = refusal(tmp_path)
        with h5py.File(tmp_path / "a.h5", "w") as file:
            file["x"] = 1

        assert "a.h5: /building1/elec/meter1 has no table; expected /building1/elec/meter1/table" in table
        assert "a.h5: /building1 has no meters; expected tables such as /building1/elec/meter1" in meters
        assert "no HDF5 file of NILMTK; expected one with /building1/elec/meter1" in refusal(tmp_path)

    def test_an_index_without_times(self, tmp_path):
        """A table whose index counts something else is refused."""
        write(tmp_path / "a.h5", {2: MINUTES})
        with h5py.File(tmp_path / "a.h5", "a") as file:
            file["building1/elec/meter2/table"].attrs["index_kind"] = np.bytes_("integer")

        assert "the index of /building1/elec/meter2 is not made of times" in refusal(tmp_path)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.tuples(inner, inner, inner, inner)
    ),
    max_leaves=20,
)


class TestPlainPickle:
    @pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
    @given(data=PLAIN)
    def test_reads_plain_data(self, protocol, data):
        """Numbers, words, lists, tuples and dictionaries are read as they were written, in every protocol."""
        if protocol < 3 and _has_bytes(data):
            return  # older protocols build bytes by a call

        assert plain(pickle.dumps(data, protocol)) == data

    @pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
    def test_what_would_be_called_is_unknown(self, tmp_path, protocol):
        """Where something would be imported, called or built stands UNKNOWN; beside it all is read."""
        things = {"bomb": Bomb(tmp_path / "boom"), "time": datetime(2020, 1, 1), "kettle": [1, 2]}

        assert plain(pickle.dumps(things, protocol)) == {"bomb": UNKNOWN, "time": UNKNOWN, "kettle": [1, 2]}
        assert not (tmp_path / "boom").exists()

    @given(junk=st.binary(max_size=200))
    def test_junk(self, junk):
        """Whatever the bytes are, nothing is raised."""
        plain(junk)

        assert plain(b"junk" + junk[:0]) is UNKNOWN

    def test_shared_parts(self):
        """A list that occurs twice is read twice, as NILMTK's pickles remember words."""
        again = ["kettle"]

        assert plain(pickle.dumps({"a": again, "b": again}, 0)) == {"a": ["kettle"], "b": ["kettle"]}

    def test_too_many_instructions(self):
        """A pickle that would keep us busy for ever is given up."""
        assert plain(b"(l" + b"I1\na" * 1_100_000 + b".") is UNKNOWN


def _has_bytes(data):
    if isinstance(data, bytes):
        return True
    if isinstance(data, dict):
        return any(map(_has_bytes, data.values()))
    return isinstance(data, list | tuple) and any(map(_has_bytes, data))
