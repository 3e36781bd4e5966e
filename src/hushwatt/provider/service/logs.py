"""Structured logs: one JSON line an event, without any payload, key, or address of a home."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import structlog

NEVER_LOGGED = frozenset({"payload", "body", "device", "client", "address", "key", "code", "token", "signature"})


def start_logs(level: str = "info") -> None:
    """Send log lines of this level and above to stderr."""
    global _logger
    _logger = _make_logger(level)
    telemetry = logging.getLogger("opentelemetry")
    telemetry.handlers, telemetry.propagate = [TelemetryLog()], False


class TelemetryLog(logging.Handler):
    """What OpenTelemetry's SDK has to say, as lines of our own: mostly that no collector answers."""

    def emit(self, record: logging.LogRecord) -> None:
        with suppress(ValueError):  # stderr is closed already: the SDK's threads go on to the very end
            log().warning("telemetry", reason=record.getMessage())


@contextmanager
def silence() -> Iterator[None]:
    """No log lines inside the block, for rehearsals of what would fill a log."""
    global _logger
    before, _logger = _logger, _make_logger("critical")
    try:
        yield
    finally:
        _logger = before


def log() -> Any:
    """The service's logger; until `start_logs` it tells of warnings and errors only."""
    return _logger


def without_homes(_logger: Any, _method: str, event: Any) -> Any:
    """Drop what could tell of one home, whoever put it in.

    >>> without_homes(None, "info", {"event": "upload", "device": "5f", "reports": 3})
    {'event': 'upload', 'reports': 3}
    """
    return {name: value for name, value in event.items() if name not in NEVER_LOGGED}


def _make_logger(level: str) -> Any:
    return structlog.wrap_logger(
        structlog.PrintLogger(sys.stderr),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            without_homes,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level.upper())),
    )


_logger = _make_logger("warning")
