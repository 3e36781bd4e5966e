"""Tables that fit: as wide as the terminal, and generous where a file or another program reads them."""

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


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
    return table


def wrapped(lines: Sequence[str], width: int) -> list[str]:
    """The lines, those that are too long on several.

    >>> wrapped(["Homes take turns.", ""], 10)
    ['Homes take', 'turns.', '']
    """
    return [part for line in lines for part in wrap(line, width) or [""]]
