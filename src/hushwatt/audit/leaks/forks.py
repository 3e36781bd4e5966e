"""No weak randomness at home.  [claim C18]

No module that runs at home names a generator that could be guessed.  And a thousand copies of one
warm process, made by fork, make a thousand different reports: nothing was drawn in advance.
"""

import ast
import os
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

import hushwatt
from hushwatt.audit.finding import Audit, Finding
from hushwatt.household.agent import Agent
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import report
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset_text
from hushwatt.privacy.entropy import FreshKeys, Source

FORKS, QUICK_FORKS = 1_000, 60
AT_HOME = ("household", "wire", "privacy", "plan")
WEAK = ("random", "numpy.random")


def fork_audits(quick: bool = False) -> Iterator[Audit]:
    """What is imported, and what forks draw: one home, and a fleet."""
    yield audit_imports
    agents = Agent.__dataclass_fields__["source"].default_factory
    for who, source in (("the agent", agents), ("a fleet", FreshKeys)):
        yield partial(audit_forks, who, source(), QUICK_FORKS if quick else FORKS)  # type: ignore[operator]


def audit_imports(source: Path = Path(hushwatt.__file__).parent) -> Finding:
    """Every import and every attribute that runs at home."""
    files = [file for room in AT_HOME for file in sorted((source / room).rglob("*.py"))]
    weak = [f"{file.stem} names {name}" for file in files for name in sorted(names(file.read_text()) & set(WEAK))]
    figure = f"{len(weak)} of {len(files)} modules name a generator that can be guessed"
    return Finding("C18", "imports at home", figure, not weak, numbers={"weak": "; ".join(weak)})


def names(text: str) -> set[str]:
    """The modules that a source imports or reaches into.

    >>> sorted(names("import numpy as np; np.random.default_rng()") & set(WEAK))
    ['numpy.random']
    """
    tree, found = ast.parse(text), set[str]()
    numpy = {"numpy"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
            numpy |= {alias.asname or alias.name for alias in node.names if alias.name == "numpy"}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found |= {f"{node.module}", *(f"{node.module}.{alias.name}" for alias in node.names)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in numpy:
            found.add(f"numpy.{node.attr}")
    return found


def audit_forks(who: str, source: Source, forks: int) -> Finding:
    """Copies of one warm process each make a report of 150 bits; no two may be equal."""
    plan = Plan.parse(preset_text("paper"))
    drawn(plan, source)  # whatever is drawn in advance is drawn now
    reports = [forked(plan, source) for _ in range(forks)]
    equal, failed = forks - len(set(reports)), reports.count(b"")
    figure = f"{equal} equal reports of {forks:,} forks"
    return Finding("C18", f"forks of {who}", figure, not (equal or failed), numbers={"equal": equal})


def drawn(plan: Plan, source: Source) -> bytes:
    """The first report of a home at its lowest levels."""
    levels = np.zeros((1, len(plan.appliances)), dtype=np.uint16)
    return report(enrol(plan, 1, 0, source), 0, levels, source).payloads.tobytes()


def forked(plan: Plan, source: Source) -> bytes:
    """The same in a copy of this process."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which the copy does not use
        child = os.fork()
    if not child:
        try:
            os.write(writing, drawn(plan, source))
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        made = pipe.read()
    os.waitpid(child, 0)
    return made
