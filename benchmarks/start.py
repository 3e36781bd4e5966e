"""Small things that people feel: one home's slot, and the time until help appears."""

import subprocess
import sys

import numpy as np

from benchmarks.measure import Row, best_of, show
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import levels_of, report
from hushwatt.plan.presets import preset
from hushwatt.privacy.entropy import OperatingSystem


def slot_seconds(name: str, slots: int = 200) -> float:
    """One home's slot with the system's randomness, from watts to payload."""
    plan, source = preset(name), OperatingSystem()
    homes, watts = enrol(plan, 1, 0, source), np.full((1, 15), 40.0)

    def work() -> None:
        for _ in range(slots):
            slot = homes.slot
            report(homes, slot, levels_of(plan, slot, watts, source), source)

    return best_of(work) / slots


def help_seconds() -> float:
    command = [sys.executable, "-c", "from hushwatt.cli.main import run; run()", "--help"]
    return best_of(lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True), 5)


def bare_seconds() -> float:
    return best_of(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True), 5)


def main() -> bool:
    rows = [
        Row(f"one home's slot, {name}, against 1 ms", f"{1e3 * seconds:.3f} ms", 1e3 * seconds, 1, lower=True)
        for name, seconds in ((name, slot_seconds(name)) for name in ("paper", "advised"))
    ]
    helped = help_seconds()
    rows += [
        Row("python alone", f"{bare_seconds():.3f} s"),
        Row("hushwatt --help, against 0.3 s", f"{helped:.3f} s", helped / 0.3, 1, lower=True),
    ]
    return show("What one person waits for", rows)


if __name__ == "__main__":
    raise SystemExit(not main())
