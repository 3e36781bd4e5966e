"""The drawings show what the code is and does."""

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOADING = ("href", "url(", "@import", "<image", "<script")
DRAWINGS = sorted((ROOT / "docs" / "images").glob("*.svg"))


def test_drawings_are_current():
    """Both are what the code draws now; `make reference` draws them anew."""
    command = [sys.executable, "-m", "tools.drawings.draw", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("file", DRAWINGS, ids=lambda file: file.name)
def test_a_drawing_stands_alone(file):
    """It is well-formed, has a title for those who cannot see it, and loads nothing."""
    text = file.read_text(encoding="utf-8")
    drawing = ElementTree.fromstring(text)

    assert drawing.find("{http://www.w3.org/2000/svg}title").text
    assert "prefers-color-scheme: dark" in text
    assert [word for word in LOADING if word in text] == []


def test_both_are_there():
    """The README and the docs can count on them."""

    assert [file.name for file in DRAWINGS] == ["flow.svg", "rooms.svg"]
