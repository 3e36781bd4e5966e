"""Tables that fit: as wide as the terminal, and generous where a file or another program reads them."""

import json
import sys
from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


def say(line: str) -> None:
    """Tell a person something that is no result: results alone go to stdout."""
    print(line, file=sys.stderr, flush=True)


def print_json(document: object) -> None:
    """One line for programs."""
    print(json.dumps(document, ensure_ascii=False, allow_nan=False))


def show_bytes(count: float) -> str:
    """Bytes for people.

    >>> show_bytes(999), show_bytes(12_345_678)
    ('999 B', '12.3 MB')
    """
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:,.1f} TB"


def verdict_table(*headings: str, numbers: Sequence[str]) -> "Table":
    """An empty table whose last column says whether a row passed; numbers stand to the right."""
    from rich import box
    from rich.table import Table

    table = Table(*headings, box=box.SIMPLE_HEAD)
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("pass", justify="center")
    return table


def terminal_width(otherwise: int) -> int:
    """The columns of the terminal; `otherwise` where there is none."""
    from rich.console import Console

    console = Console()
    return console.width if console.is_terminal else otherwise


def fitted(table: "Table", width: int, spare: Sequence[Sequence[int]]) -> "Table":
    """The table, while it is too wide without one more of the `spare` groups of columns."""
    from rich.console import Console
    from rich.measure import Measurement

    console, columns = Console(width=10 * width), list(table.columns)
    for group in spare:
        if Measurement.get(console, console.options, table).maximum <= width:
            break
        for number in group:
            table.columns.remove(columns[number])
        for place, column in enumerate(table.columns):
            column._index = place  # rich pads the last column otherwise than the others, and knows it by this
    return table


def wrapped(lines: Sequence[str], width: int) -> list[str]:
    """The lines, those that are too long on several.

    >>> wrapped(["Homes take turns.", ""], 10)
    ['Homes take', 'turns.', '']
    """
    return [part for line in lines for part in wrap(line, width) or [""]]
