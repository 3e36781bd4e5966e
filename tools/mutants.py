"""Mutation testing with cosmic-ray: plant small bugs, one at a time, and see whether the tests notice.

    make mutants MODULES=src/hushwatt/household/ledger/home_ledger.py
    make mutants MODULES="src/hushwatt/provider/intake/collect.py" MOST=30 SEED=2

The tests are those that mirror the modules, or the files that TESTS names.  All of it happens in a copy below
build/mutants, so the checkout is never touched.  What no test noticed is shown as a diff, and the exit
status is 1.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

from cosmic_ray.commands import init
from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import WorkItem, WorkResult
from tests.grouped import covering_test

HERE = Path(__file__).parents[1]
COPY = HERE / "build" / "mutants"
PATIENCE = 10  # times as long as without a mutant: an endless loop is noticed, too


def main() -> None:
    words = _words()
    _copy()
    os.chdir(COPY)
    os.environ["PYTHONPATH"] = str(COPY / "src")
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # a stale .pyc would hide a mutant of the same second
    tests = words.tests or [name for module in words.modules for name in _mirrors(module)]
    python = str(HERE / ".venv" / "bin" / "python")
    command = f"{python} -m pytest -x -q -p no:xdist -p no:cacheprovider {' '.join(tests)}"
    timeout = PATIENCE * (5 + _seconds(command))
    verdicts = [_noticed(item, command, timeout) for item in _chosen(words)]
    print(f"{sum(verdicts)} of {len(verdicts)} mutants were noticed")
    sys.exit(not all(verdicts))


def _words() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="+", help="files below src")
    parser.add_argument("--tests", nargs="*", help="test files, instead of those that mirror the modules")
    parser.add_argument("--most", type=int, default=20, help="how many mutants to try, drawn at random")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def _copy() -> None:
    """What git knows, as it stands in the checkout, in a folder of its own."""
    shutil.rmtree(COPY, ignore_errors=True)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=HERE, check=True, capture_output=True, text=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (HERE / name).exists():
            (COPY / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(HERE / name, COPY / name)


def _mirrors(module: str) -> list[str]:
    """The test file of the same name, or the one that covers the module with others."""
    name = Path(module).relative_to("src/hushwatt").with_suffix("").as_posix()
    test = covering_test(name.removesuffix("/__init__"))
    return [f"tests/{test or name.split('/')[0]}"]


def _chosen(words: argparse.Namespace) -> list[WorkItem]:
    with use_db(":memory:", WorkDB.Mode.create) as session:
        init([Path(module) for module in words.modules], session, {})
        items = list(session.work_items)
    return random.Random(words.seed).sample(items, min(words.most, len(items)))


def _seconds(command: str) -> float:
    """How long the tests take without a mutant; they must pass."""
    began = time.monotonic()
    if subprocess.run(command.split(), stdout=subprocess.DEVNULL).returncode:
        sys.exit(f"without a mutant the tests must pass, and they do not: {command}")
    return time.monotonic() - began


def _noticed(item: WorkItem, command: str, timeout: float) -> bool:
    result: WorkResult = mutate_and_test(item.mutations, command, timeout)
    mutation = item.mutations[0]
    place = f"{mutation.module_path}:{mutation.start_pos[0]} {mutation.operator_name.removeprefix('core/')}"
    print(f"{'noticed  ' if result.is_killed else 'UNNOTICED'} {place}", flush=True)
    if not result.is_killed:
        print(result.diff, flush=True)
    return bool(result.is_killed)


if __name__ == "__main__":
    main()
