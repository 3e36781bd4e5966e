"""Real folders of public datasets, when HUSHWATT_DATA names a folder that has them.

Inside it, any of `ideal`, `refit`, `ukdale`, `nilmtk_hdf5` or `nilmtk`, `eco`,
`opsd` and `tracebase` is read; what is not there is skipped, and says so.  The
data is not part of hushwatt, so these tests never fail for want of it.
"""

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from hushwatt.evaluate.datasets import ADDRESSES, DatasetOptions, dataset, read
from hushwatt.evaluate.datasets.dataset import MeterDataset
from hushwatt.evaluate.readings_file import SCHEMA
from hushwatt.plan.slot import SlotLength

FOLDERS = {"nilmtk": ("nilmtk_hdf5", "nilmtk")}
NATIVE = [name for name in ADDRESSES if name != "tidy"]


@pytest.fixture
def folder(request):
    """The folder of one dataset, or a skip that says what would be needed."""
    root = os.environ.get("HUSHWATT_DATA")
    if root is None:
        pytest.skip("HUSHWATT_DATA is not set: name a folder of public datasets to test them")
    for name in FOLDERS.get(request.param, (request.param,)):
        if (Path(root) / name).is_dir():
            return request.param, Path(root) / name
    pytest.skip(f"HUSHWATT_DATA={root} has no folder {request.param}")


@pytest.mark.parametrize("folder", NATIVE, indirect=True)
def test_a_real_folder(folder):
    """The first home is read, its readings are finite, in order, and on the grid."""
    name, path = folder
    source = dataset(name)
    assert isinstance(source, MeterDataset)
    homes = tuple(source.homes(path)[:1])

    [batch] = read(name, path, DatasetOptions(SlotLength(30, "m"), homes=homes, mains=True))
    table = pa.Table.from_batches([batch.cast(SCHEMA)])
    times = table["time"].to_numpy().astype("datetime64[s]").astype(np.int64)
    watts = table["watts"].to_numpy()

    assert len(watts) > 0
    assert (np.isfinite(watts) & (watts >= 0) & (watts < 50_000)).all()
    assert (np.diff(times) >= 0).all()
    assert (times % 1_800 == 0).all()


@pytest.mark.parametrize("folder", NATIVE, indirect=True)
def test_days_are_means_of_half_hours(folder):
    """Where a day was measured whole, its mean is that of its 48 half hours."""
    name, path = folder
    homes = tuple(dataset(name).homes(path)[:1])  # type: ignore[attr-defined]
    days = _means(name, path, DatasetOptions(SlotLength(1, "d"), homes=homes, coverage=1.0))
    halves = _means(name, path, DatasetOptions(SlotLength(30, "m"), homes=homes, coverage=1.0))

    for (appliance, day), watts in days.items():
        parts = [halves.get((appliance, day + 1_800 * part)) for part in range(48)]

        assert None not in parts
        assert watts == pytest.approx(np.mean(parts), rel=1e-9, abs=1e-9)


def _means(name, path, options):
    """Watts by appliance and Unix second."""
    found = {}
    for batch in read(name, path, options):
        times = batch["time"].to_numpy(zero_copy_only=False).astype("datetime64[s]").astype(int)
        found |= dict(
            zip(
                zip(batch["appliance"].to_pylist(), times.tolist(), strict=True),
                batch["watts"].to_pylist(),
                strict=True,
            )
        )
    return found
