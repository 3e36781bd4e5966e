"""Promises as checks: what does not hold is a fault that says so."""


class Fault(Exception):
    """A promise was broken; the message says how, in one sentence."""


def expect(holds: bool, otherwise: str) -> None:
    """Say what broke when something does not hold.

    >>> expect(1 + 1 == 2, "numbers broke")
    >>> expect(1 + 1 == 3, "numbers broke")
    Traceback (most recent call last):
    ...
    hushwatt.audit.harness.expect.Fault: numbers broke
    """
    if not holds:
        raise Fault(otherwise)
