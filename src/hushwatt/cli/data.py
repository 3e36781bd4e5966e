"""`hushwatt data`: public datasets, and how to make readings of them."""

import json
import textwrap
from pathlib import Path
from typing import Literal

from cyclopts import App

from hushwatt.cli.options import Json, Output
from hushwatt.cli.terminal import say

app = App(name="data", help="See which datasets hushwatt reads, and make readings of them.")

Name = Literal["ideal", "refit", "ukdale", "nilmtk", "eco", "opsd", "tracebase", "tidy"]


@app.command(name="list")
def list_(*, as_json: Json = False) -> None:
    """List the datasets that hushwatt reads, where to get them, and what their folders must hold."""
    from dataclasses import asdict

    from hushwatt.evaluate.datasets.card import cards

    if as_json:
        print(json.dumps([asdict(card) for card in cards().values()], indent=2))
        return
    for card in cards().values():
        print(f"{card.name}: {card.title}")
        for what in ("about", "where", "licence", "layout", "gap"):
            print(textwrap.fill(f"  {what:<8}{getattr(card, what)}", 100, subsequent_indent=" " * 10))
        print()
    print("make readings of one: hushwatt data convert NAME FOLDER -o READINGS.parquet")


@app.command
def convert(
    name: Name,
    folder: Path,
    /,
    *,
    output: Output,
    every: str | None = None,
    homes: str | None = None,
    timezone: str = "UTC",
    coverage: float = 0.0,
    longest_gap: str | None = None,
    mains: bool = False,
) -> None:
    """Make readings of a dataset that you have: a table of household, time, appliance and watts.

    The table is Parquet, or CSV when its name ends in .csv.

    Parameters
    ----------
    name
        Which dataset it is; `hushwatt data list` explains them.
    folder
        Where its files are.
    every
        The length of the periods to average over, such as 30m (the default), 1h or 1d.
    homes
        Only these homes, as the dataset calls them, such as 65,175.
    timezone
        Where periods of whole days begin at midnight, such as Europe/London.
    coverage
        Leave out periods of which a smaller share was measured, from 0 to 1.
    longest_gap
        Hold a value for at most this long when the next one is late, such as 2h; without it as
        long as suits the dataset.
    mains
        Also keep the totals of whole homes, as an appliance called mains.
    """
    from hushwatt.cli.progress import progress
    from hushwatt.evaluate.datasets.convert import convert as written_to
    from hushwatt.evaluate.datasets.dataset import DatasetOptions

    notes: list[str] = []
    options = DatasetOptions.parse(every, homes, timezone, coverage, longest_gap, mains, notes.append)
    with progress(f"converting {name}") as advance:
        done = written_to(name, folder, output, options, advance)
    for line in (*notes, *done.lines()):
        say(line)
