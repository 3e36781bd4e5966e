"""The folder of a rehearsal, which may replace an earlier one and nothing else."""

import shutil
from pathlib import Path

from hushwatt.errors import UsageError
from hushwatt.evaluate.demo.rehearsal import demo_plan

MARK = ".hushwatt-rehearsal"


def fresh_folder(folder: Path, homes: int, slots: int) -> Path:
    """An empty folder for a rehearsal of this size; what is not a rehearsal is left alone."""
    plan = demo_plan()
    if homes < plan.window * plan.minimum_homes or slots < 1:
        raise UsageError(
            f"a rehearsal needs at least {plan.window * plan.minimum_homes} homes and one day, "
            f"not {homes} and {slots}"
        )
    if folder.exists() and not (folder / MARK).exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is already there and no earlier rehearsal; choose another with -o")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / MARK).touch()
    return folder
