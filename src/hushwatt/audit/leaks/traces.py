"""Everything that a home writes, says, shows or sends, gathered to be searched."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from hushwatt.audit.harness.marked import Places
from hushwatt.audit.harness.plan_home import PlanHome


def written_by(home: PlanHome, log: list[str], errors: Iterable[str] = ()) -> Places:
    """Every place where a reading must not be."""
    files = sorted(home.store.path.parent.iterdir())
    shown = (home.agent, home.outbox, home.store, home.agent.readings)
    return {
        "ledger": b"".join(file.read_bytes() for file in files if file.suffix != ".sqlite-shm"),
        "wire": b"\n".join(bytes(each) for each in home.provider.requests),
        "log": "\n".join([*log, *home.said]).encode(),
        "errors": "\n".join(errors).encode(),
        "repr": "\n".join(map(repr, shown)).encode(),
    }


class _LogCapture(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@contextmanager
def listening() -> Iterator[list[str]]:
    """Every line that anything in hushwatt logs, down to the least important ones."""
    capture, logger = _LogCapture(), logging.getLogger("hushwatt")
    before = logger.level, logger.propagate
    logger.addHandler(capture)
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    try:
        yield capture.lines
    finally:
        logger.removeHandler(capture)
        logger.setLevel(before[0])
        logger.propagate = before[1]
