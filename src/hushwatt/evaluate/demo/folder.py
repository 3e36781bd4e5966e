"""The folder of a rehearsal, which may replace an earlier one that is over, and nothing else."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from hushwatt.errors import UsageError
from hushwatt.evaluate.demo.rehearsal import demo_plan

MARK = ".hushwatt-rehearsal"


@contextmanager
def fresh_folder(wanted: Path, homes: int, slots: int) -> Iterator[Path]:
    """An empty folder for a rehearsal of this size, held while the block runs.

    What is not a rehearsal is left alone.  While an earlier one still runs in the folder, the next name is
    taken: demo, demo-2, demo-3.
    """
    plan = demo_plan()
    if homes < plan.window * plan.minimum_homes or slots < 1:
        raise UsageError(
            f"a rehearsal needs at least {plan.window * plan.minimum_homes} homes and one day, not {homes} and {slots}"
        )
    for number in count(1):
        folder = wanted if number == 1 else wanted.with_name(f"{wanted.name}-{number}")
        _check(folder)
        folder.mkdir(parents=True, exist_ok=True)
        held = os.open(folder / MARK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(held)
            continue
        try:
            _empty(folder)
            yield folder
        finally:
            os.close(held)
        return


def _check(folder: Path) -> None:
    if folder.exists() and not (folder / MARK).exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is already there and no earlier rehearsal; choose another with -o")


def _empty(folder: Path) -> None:
    """Remove what an earlier rehearsal left; the mark stays, so that a half-emptied folder is still known."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name != MARK:
            path.unlink()
