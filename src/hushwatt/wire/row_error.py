"""What is wrong with one of many reports, and with which.

Whoever checks reports counts them from where it began; whoever opened the file
knows what that row is called there.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from hushwatt.errors import ReportError


class RowError(ReportError):
    """One of many reports is not acceptable.

    >>> print(RowError(6, "the round must be 0 or 1"))
    report 7: the round must be 0 or 1
    """

    def __init__(self, row: int, problem: str) -> None:
        self.row, self.problem = row, problem  # the row counted from 0
        super().__init__(row, problem)

    def __str__(self) -> str:
        return f"report {self.row + 1}: {self.problem}"


def refuse(wrong: NDArray[np.bool_], problem: str) -> None:
    """Raise for the first row that is wrong."""
    if wrong.any():
        raise RowError(int(np.argmax(wrong)), problem)


@contextmanager
def locate_row_errors(refusal: Callable[[int, str], ReportError]) -> Iterator[None]:
    """Turn a RowError of the block into what `refusal` makes of its row and problem."""
    try:
        yield
    except RowError as wrong:
        raise refusal(wrong.row, wrong.problem) from None
