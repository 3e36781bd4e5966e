"""Everything hushwatt refuses to do.

* HushwattError
  - PlanError      a plan file is wrong              its author can fix it
  - ReadingsError  a table of readings is wrong      nothing was written; mend the table
  - ReportError    a report is not acceptable        the sender must not retry it
  - StateError     what was kept on disk is unfit    another plan's, damaged, or from elsewhere
  - StorageError   a store of objects refuses        its keys, its network or its owner; then again
  - UsageError     a command was used wrongly        the next call can be right
  - OverBudget     a promise would be broken         a bug in hushwatt: stop, send nothing

A message is one line.  It says what was asked, what stands in the way, and the
number to change.  It never carries a reading: errors end up in logs, and logs
travel.
"""

from hushwatt.sanitise import sanitised

MAX_MESSAGE = 5_000  # characters


class HushwattError(Exception):
    """Something hushwatt refuses to do, said in one line without control characters.

    >>> str(HushwattError("two\\n  lines\\x1b"))
    'two lines'
    """

    def __str__(self) -> str:
        return sanitised(super().__str__(), MAX_MESSAGE)


class PlanError(HushwattError):
    """A plan file is wrong."""


class ReadingsError(HushwattError):
    """A table of readings is wrong; names file, row and column, never the value."""


class ReportError(HushwattError):
    """A report, or a file of them, is not acceptable."""


class StateError(HushwattError):
    """What was kept on disk does not fit what is asked of it."""


class StorageError(HushwattError):
    """A store of objects does not give, or does not take, what it was asked to."""


class UsageError(HushwattError):
    """A command or a function was asked for something it cannot do."""


class OverBudget(HushwattError):
    """A spend would break the promise made for one window.

    All amounts are whole millionths of ε.

    >>> print(OverBudget(asked=600_000, spent=600_000, epsilon=1_000_000, window=2))
    cannot spend ε 0.600000 in this slot: the 1 before it spent ε 0.600000,
    and any 2 in a row may spend ε 1.000000
    """

    def __init__(self, asked: int, spent: int, epsilon: int, window: int) -> None:
        self.asked, self.spent, self.epsilon, self.window = asked, spent, epsilon, window
        super().__init__(asked, spent, epsilon, window)  # the numbers, so that it can be pickled

    def __str__(self) -> str:
        return (
            f"cannot spend {_shown(self.asked)} in this slot: the {self.window - 1} before it spent "
            f"{_shown(self.spent)}, and any {self.window} in a row may spend {_shown(self.epsilon)}"
        )


def _shown(amount: int) -> str:
    """Write an amount out; here because the ground imports no room."""
    return f"ε {amount // 1_000_000}.{amount % 1_000_000:06d}"
