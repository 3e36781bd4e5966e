"""The page about how it is built names every folder, and only what is there."""

import re
from pathlib import Path

import pytest
from tests.test_rooms import GROUND, HEIGHT

import hushwatt

ROOT = Path(__file__).parents[2]
SOURCE = Path(hushwatt.__file__).parent
PAGE = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def part(title: str) -> str:
    """The text under a heading."""
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


def named(text: str) -> set[str]:
    """The files and folders that rows of a table name."""
    return set(re.findall(r"`([a-z_/]+(?:/|\.py))`", text))


@pytest.mark.parametrize("path", sorted(named(part("Where a reading goes"))))
def test_every_step_is_there(path):
    """Each file and folder on a reading's way exists."""

    assert (SOURCE / path).exists()


def test_every_folder_is_told():
    """Each folder of the package has its line, and each line its folder."""
    folders = {f"{file.parent.relative_to(SOURCE).as_posix()}/" for file in SOURCE.rglob("__init__.py")}
    rows = re.findall(r"^\| (`.+?) \|", part("What is in a room"), re.MULTILINE)
    told = [folder for row in rows for folder in row.replace("`", "").split(", ")]

    assert sorted(told) == sorted(folders - {"./"})


def test_the_rooms_are_told_in_their_order():
    """Contributors and the package's own page name the rooms as the rule about imports has them."""
    floors = sorted({height for room, height in HEIGHT.items() if room != GROUND}, reverse=True)
    line = " → ".join(" | ".join(room for room, height in HEIGHT.items() if height == floor) for floor in floors)

    assert line in CONTRIBUTING
    assert line in " ".join((hushwatt.__doc__ or "").split())
