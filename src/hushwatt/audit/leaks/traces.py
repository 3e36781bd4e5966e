"""Everything that a home writes, says, shows or sends, gathered to be searched."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from hushwatt.audit.harness.agent_home import Living
from hushwatt.audit.harness.marked import Places


def written_by(living: Living, log: list[str], errors: Iterable[str] = ()) -> Places:
    """Every place where a reading must not be."""
    files = sorted(living.store.path.parent.iterdir())
    shown = (living.agent, living.outbox, living.store, living.agent.readings)
    return {
        "ledger": b"".join(file.read_bytes() for file in files if file.suffix != ".sqlite-shm"),
        "wire": b"\n".join(bytes(each) for each in living.wire.posted),
        "log": "\n".join([*log, *living.said]).encode(),
        "errors": "\n".join(errors).encode(),
        "repr": "\n".join(map(repr, shown)).encode(),
    }


class _Ear(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@contextmanager
def listening() -> Iterator[list[str]]:
    """Every line that anything in hushwatt logs, down to the least important ones."""
    ear, logger = _Ear(), logging.getLogger("hushwatt")
    before = logger.level, logger.propagate
    logger.addHandler(ear)
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    try:
        yield ear.lines
    finally:
        logger.removeHandler(ear)
        logger.setLevel(before[0])
        logger.propagate = before[1]
