"""How a command ends: one line for what its user can mend, a traceback for a bug."""

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

from hushwatt.cli.error_messages import explanation

BAD_INPUT = 2
INTERRUPTED = 130  # as a shell reports Ctrl-C
BROKEN_PIPE = 141  # as a shell reports a reader that went away


@contextmanager
def exit_codes() -> Iterator[None]:
    """Leave with the right exit code, whatever happens inside."""
    sys.stdout, sys.stderr = _lenient(sys.stdout), _lenient(sys.stderr)
    try:
        yield
        sys.stdout.flush()
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    except SystemExit as leaving:
        if isinstance(leaving.__context__, BrokenPipeError):  # rich left because nobody listens
            raise SystemExit(BROKEN_PIPE) from None
        raise
    except Exception as error:
        if isinstance(error, BrokenPipeError) and _reader_is_gone(sys.stdout):
            _discard_unwritten(sys.stdout)
            raise SystemExit(BROKEN_PIPE) from None
        line = explanation(error)
        if line is None:
            raise
        _discard_unwritten(sys.stdout)
        print(f"hushwatt: {line}", file=sys.stderr)
        raise SystemExit(BAD_INPUT) from None


def _lenient(stream: TextIO | None) -> TextIO:
    """Give a stream that takes every letter: `?` for an ε it cannot show, nothing when it is closed."""
    if stream is None:
        return Path(os.devnull).open("w")
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="replace")
    return stream


def _reader_is_gone(stream: TextIO) -> bool:
    """Whether the reader of `stream` is gone, as that of `hushwatt top … | head -1` is."""
    ear = select.poll()
    ear.register(stream.fileno(), select.POLLOUT)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in ear.poll(0))


def _discard_unwritten(stream: TextIO) -> None:
    """Send what cannot be written nowhere: Python flushes once more at its end, and would complain."""
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
