"""Notebooks: run them, keep what they show, and turn them into pages.

    python tools/notebook.py docs/notebooks/*.ipynb    runs each, and stores what its cells show

No Jupyter is needed.  A cell is run as Python; what it prints is kept, and so is the value of its last line,
in the forms that Jupyter would keep.  The same code gives the same bytes.
"""

from pathlib import Path


def page_of(file: Path) -> None:
    """Write a notebook as a page beside it."""
