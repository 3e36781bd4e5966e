"""A progress bar for long work: on stderr, and only when a person watches."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[int], None]
SPEED = 300.0  # seconds of the past that tell how long the rest will take


@contextmanager
def progress(title: str, total: int | None = None) -> Iterator[Advance]:
    """Give a function to call with how much more is done, of `total` in all.

    Pass it down to the work, which knows nothing of bars.

    >>> with progress("randomising", total=2) as advance:
    ...     advance(1)
    ...     advance(1)
    """
    if not sys.stderr.isatty():
        yield lambda done: None
        return

    from rich.console import Console
    from rich.progress import Progress, TextColumn, TimeElapsedColumn

    columns = (*Progress.get_default_columns(), TextColumn("left,"), TimeElapsedColumn(), TextColumn("so far"))
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, speed_estimate_period=SPEED) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.advance(task, done)


@contextmanager
def fractions(title: str) -> Iterator[Callable[[float], None]]:
    """The same for work that tells which fraction of it is done.

    >>> with fractions("randomising") as tell:
    ...     tell(0.5)
    """
    done = 0
    with progress(title, total=1000) as advance:

        def tell(fraction: float) -> None:
            nonlocal done
            advance(round(1000 * fraction) - done)
            done = round(1000 * fraction)

        yield tell
