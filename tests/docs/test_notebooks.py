"""Notebooks run, and what they show is what is stored in them."""

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools import notebook

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def test_notebooks_are_current():
    """Every cell runs without a warning, and shows the numbers and tables that are stored with it."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tools.notebook", "--check"],
        cwd=ROOT,
        env={**os.environ, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        timeout=300,
    )

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.name)
def test_pictures_are_stored(file):
    """What a cell draws is stored as a picture."""
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    drawn = [each["data"] for cell in cells for each in cell.get("outputs", ()) if "data" in each]
    pictures = [base64.b64decode(data["image/png"]) for data in drawn if "image/png" in data]

    assert pictures
    assert all(picture.startswith(b"\x89PNG") for picture in pictures)


def cell(source):
    return {"cell_type": "code", "source": [source], "outputs": []}


def test_a_changed_number_is_found():
    """A stored output that the cell no longer gives is not taken for current."""
    run = notebook.run({"cells": [cell("6 * 7")]})
    run["cells"][0]["source"] = ["6 * 8"]

    assert notebook.comparable(notebook.run(run)) != notebook.comparable(run)


def test_cells_share_their_names():
    """A cell sees what the cells before it named, prints are kept, and a last assignment shows nothing."""
    run = notebook.run({"cells": [cell("a = 2"), cell("print(a)\na + 1")]})
    first, second = (each["outputs"] for each in run["cells"])

    assert first == []
    assert [each.get("text") or each["data"]["text/plain"] for each in second] == [["2\n"], ["3"]]


def test_a_failing_cell_fails():
    """An error in a cell is not swallowed."""
    with pytest.raises(ZeroDivisionError):
        notebook.run({"cells": [cell("1 / 0")]})
