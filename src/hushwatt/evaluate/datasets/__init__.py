"""Measured homes: public datasets in their original layouts, all as one table of readings.

Each file here knows one layout.  `read` gives its table piece by piece, and
`measured` the same as an array for experiments.  A new dataset is one class,
one line in DATASETS, and its card in `cards.toml`.
"""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from hushwatt.errors import ReadingsError, UsageError
from hushwatt.evaluate.datasets.dataset import Dataset, DatasetOptions

__all__ = ["ADDRESSES", "DatasetOptions", "dataset", "read"]

ADDRESSES = {  # loaded when asked for: only one of them needs h5py
    "ideal": "Ideal",
    "refit": "Refit",
    "ukdale": "UkDale",
    "nilmtk": "Nilmtk",
    "eco": "Eco",
    "opsd": "Opsd",
    "tracebase": "Tracebase",
    "tidy": "Tidy",
}


def dataset(name: str) -> Dataset:
    """The dataset called `name`."""
    from importlib import import_module

    if name not in ADDRESSES:
        raise UsageError(f"there is no dataset called {name}; there are {', '.join(ADDRESSES)}")
    found: Dataset = getattr(import_module(f"{__name__}.{name}"), ADDRESSES[name])()
    return found


def read(name: str, folder: Path, options: DatasetOptions | None = None) -> Iterator[pa.RecordBatch]:
    """The readings of a dataset, piece by piece: household, time, appliance, watts."""
    if not folder.exists():
        raise ReadingsError(f"{folder}: there is no such file or folder")
    return dataset(name).tables(folder, options or DatasetOptions())
