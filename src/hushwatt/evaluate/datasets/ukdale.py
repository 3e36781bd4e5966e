"""UK-DALE, and REDD, in their own layout: a folder for each house, a file for each channel."""

import re
from collections.abc import Iterator
from pathlib import Path

from hushwatt.errors import ReadingsError
from hushwatt.evaluate.datasets.appliance_names import common_name
from hushwatt.evaluate.datasets.csv_rows import NUMBER, CsvLayout, csv_batches, numbers, seconds
from hushwatt.evaluate.datasets.dataset import MeterDataset, Piece, Recording

HOUSE = re.compile(r"house_(\d+)")
LABEL = re.compile(r"\s*(\d+)\s+(\S.*?)\s*")
ROWS = CsvLayout({"seconds": NUMBER, "watts": NUMBER}, expected="Unix seconds, a space, and watts", delimiter=" ")
LONGEST_GAP = 120.0  # seconds; rows come every 6 seconds, and NILMTK too calls 2 minutes without one a gap


class UkDale(MeterDataset):
    """The houses of UK-DALE, or of any dataset in the same layout."""

    name = "ukdale"

    def homes(self, folder: Path) -> list[str]:
        """The numbers of the houses."""
        return sorted(_houses(folder), key=int)

    def recordings(self, folder: Path, home: str) -> Iterator[Recording]:
        """Each channel of a house that has both a label and a file."""
        house = _houses(folder)[home]
        for channel, label in _labels(house).items():
            path = house / f"channel_{channel}.dat"
            if path.is_file():
                yield Recording((common_name(label),), _rows(path), LONGEST_GAP)

    def missing(self, folder: Path, homes: list[str]) -> list[str]:
        """Channels with a label and no file."""
        return [line for home in homes for line in _without_file(home, _houses(folder)[home])]


def _without_file(home: str, house: Path) -> list[str]:
    labels = _labels(house)
    gone = [channel for channel in labels if not (house / f"channel_{channel}.dat").is_file()]
    if len(gone) == len(labels):
        raise ReadingsError(f"{house}: no channel of labels.dat has a file; expected channel_1.dat and so on")
    if not gone:
        return []
    others = " and others" if len(gone) > 1 else ""
    return [
        f"ukdale_{home}: {len(gone)} of {len(labels)} channels in {house / 'labels.dat'} have no file; "
        f"expected channel_{gone[0]}.dat{others}"
    ]


def _houses(folder: Path) -> dict[str, Path]:
    """The folder of each house, by its number; `folder` may be a house itself."""
    inside = (folder, *sorted(folder.glob("house_*")))
    houses = {match[1]: path for path in inside if (match := HOUSE.fullmatch(path.name))}
    if not houses:
        raise ReadingsError(f"{folder}: no house of UK-DALE; expected house_1/labels.dat and so on")
    return houses


def _labels(house: Path) -> dict[str, str]:
    """What each channel of a house measures."""
    path = house / "labels.dat"
    if not path.is_file():
        raise ReadingsError(f"{path}: there is no such file; expected a line such as '2 boiler' a channel")
    labels = {}
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        if line.strip():
            match = LABEL.fullmatch(line)
            if match is None:
                raise ReadingsError(f"{path}, line {number}: expected a channel and its name: '2 boiler'")
            labels[str(int(match[1]))] = match[2]
    return labels


def _rows(path: Path) -> Iterator[Piece]:
    for batch in csv_batches(path, ROWS):
        yield seconds(batch["seconds"]), numbers(batch, ["watts"])
