"""Imports point down, and what runs at home never meets what runs at the provider.

    cli → evaluate → chaos → audit → fleet → household | provider → wire → privacy → plan → ground

The walk reads every import in the source: absolute and relative ones, those
inside functions and under TYPE_CHECKING, and modules named to importlib.
"""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import hushwatt

SOURCE = Path(hushwatt.__file__).parent
GROUND = "ground"
HEIGHT = {
    GROUND: 0,
    "plan": 1,
    "privacy": 2,
    "wire": 3,
    "household": 4,
    "provider": 4,
    "fleet": 5,
    "audit": 6,
    "chaos": 7,
    "evaluate": 8,
    "cli": 9,
}
AT_HOME = ("household", "privacy", "plan")
HEAVY = {"pyarrow", "scipy", "pandas", "polars"}
WEAK = {"random", "numpy.random"}  # generators that can be guessed


def modules(source):
    """The module name of every file of the package, with its source and whether it is a folder's."""
    found = {}
    for file in sorted(source.rglob("*.py")):
        parts = file.relative_to(source.parent).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        found[name] = (file.read_text(), is_package)
    return found


@cache
def imports(name, text, is_package):
    """Every name that a module imports, read once however many tests ask."""
    return frozenset(named(name, ast.parse(text, filename=name), is_package))


def named(name, tree, is_package):
    """Every name that a module imports, dotted and absolute: `from a import b` gives a and a.b."""
    numpy_names = {"numpy"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            numpy_names |= {alias.asname for alias in node.names if alias.name == "numpy" and alias.asname}
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(name, is_package, node)
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and _called(node) in ("import_module", "__import__"):
            yield from (word.value for word in node.args if isinstance(word, ast.Constant))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in numpy_names:
            yield f"numpy.{node.attr}"


def _absolute(name, is_package, node):
    """The module a `from … import` names, with its leading dots resolved."""
    if not node.level:
        return node.module
    here = name.split(".") if is_package else name.split(".")[:-1]
    base = here[: len(here) - node.level + 1]
    return ".".join([*base, node.module] if node.module else base)


def _called(node):
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)


def room(name: str) -> str | None:
    """The room a module of hushwatt is in, or None for modules of others."""
    first, *rest = name.split(".")
    if first != "hushwatt":
        return None
    return rest[0] if rest and rest[0] in HEIGHT else GROUND


def graph(source: Path) -> dict[str, frozenset[str]]:
    """What each module imports directly."""
    return {name: imports(name, *text) for name, text in modules(source).items()}


def upward(source):
    """Every import that does not point down or stay in its room."""
    return [
        f"{name} imports {target}"
        for name, targets in graph(source).items()
        for target in sorted(targets)
        if (there := room(target)) is not None and there != (here := room(name)) and HEIGHT[there] >= HEIGHT[here]
    ]


def reached(source, start):
    """The rooms that loading any module of the room `start` leads to, however indirectly."""
    edges = graph(source)
    seen, waiting = set(), [name for name in edges if room(name) == start]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        parts = name.split(".")
        waiting += [".".join(parts[:length]) for length in range(1, len(parts))]  # the packages around it
        waiting += [target for target in edges.get(name, ()) if room(target)]
    return {room(name) for name in seen}


def forbidden(source, rooms, packages):
    """Every import of one of `packages`, or of something in it, from one of `rooms`."""
    return [
        f"{name} imports {target}"
        for name, targets in graph(source).items()
        if room(name) in rooms
        for target in sorted(targets)
        if any(target == package or target.startswith(f"{package}.") for package in packages)
    ]


def folder_cycles(source):
    """Parts of a folder that import each other in a circle, where at least one of them is a folder itself."""
    edges = graph(source)
    folders = {name for name, (_, is_package) in modules(source).items() if is_package}
    return [
        f"{folder}: {' ⇄ '.join(sorted(circle))}"
        for folder in sorted(folders)
        for circle in _circles(_parts(folder, edges))
        if any(f"{folder}.{part}" in folders for part in circle)
    ]


def _parts(folder, edges):
    """What each file or folder in a folder imports of the others in it."""
    uses = {}
    for name, targets in edges.items():
        if not name.startswith(f"{folder}."):
            continue
        part = name.removeprefix(f"{folder}.").split(".")[0]
        there = {
            target.removeprefix(f"{folder}.").split(".")[0] for target in targets if target.startswith(f"{folder}.")
        }
        uses.setdefault(part, set()).update(there - {part})
    return {part: there & uses.keys() for part, there in uses.items()}


def _circles(uses):
    """The sets of parts that can all reach each other."""
    reach = {part: _reachable(part, uses) for part in uses}
    return {frozenset(other for other in reach[part] if part in reach[other]) for part in uses if part in reach[part]}


def _reachable(start, uses):
    seen, waiting = set(), list(uses[start])
    while waiting:
        part = waiting.pop()
        if part not in seen:
            seen.add(part)
            waiting += uses[part]
    return seen


def test_every_folder_is_a_room():
    """A new folder must be given its height before anything may live in it."""
    folders = {folder.name for folder in SOURCE.iterdir() if folder.is_dir() and any(folder.rglob("*.py"))}

    assert folders == HEIGHT.keys() - {GROUND}


def test_imports_point_down():
    """No room imports from one above it or beside it, and the ground imports no room."""

    assert upward(SOURCE) == []


def test_household_and_provider_never_meet():
    """Neither side reaches the other, not even through what a third module re-exports."""

    assert "provider" not in reached(SOURCE, "household")
    assert "household" not in reached(SOURCE, "provider")


def test_folders_are_no_circles():
    """Within a room too, no folder imports what imports it."""

    assert folder_cycles(SOURCE) == []


def test_no_folder_is_crowded():
    """A folder of more than twenty files shows its parts as folders."""
    crowded = {
        str(folder.relative_to(SOURCE)): count
        for folder in {file.parent for file in SOURCE.rglob("*.py")}
        if (count := len([file for file in folder.glob("*.py") if file.stem != "__init__"])) > 20
    }

    assert crowded == {}


def test_home_is_light():
    """What runs at home names none of the heavy packages."""

    assert forbidden(SOURCE, AT_HOME, HEAVY) == []


def test_home_has_no_weak_randomness():
    """What runs at home names no generator that could be guessed."""

    assert forbidden(SOURCE, AT_HOME, WEAK) == []


def test_home_loads_nothing_heavy():
    """Loading all that runs at home loads none of the heavy packages, however indirectly."""
    names = [name for name in modules(SOURCE) if room(name) in AT_HOME]
    script = f"import importlib, sys\nfor name in {names}: importlib.import_module(name)\nprint(*sys.modules)"

    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)

    assert answer.stderr == ""
    assert "hushwatt.household" in answer.stdout.split()
    assert HEAVY & set(answer.stdout.split()) == set()


@pytest.fixture
def planted(tmp_path):
    """A small package of the same rooms, to plant faults in."""

    def plant(files):
        source = tmp_path / "hushwatt"
        for path in ["__init__.py", *(f"{name}/__init__.py" for name in HEIGHT if name != GROUND)]:
            (source / path).parent.mkdir(parents=True, exist_ok=True)
            (source / path).touch()
        for path, text in files.items():
            (source / path).parent.mkdir(exist_ok=True)
            (source / path).parent.joinpath("__init__.py").touch()
            (source / path).write_text(text)
        return source

    return plant


@pytest.mark.parametrize(
    "path, text",
    [
        ("plan/fault.py", "import hushwatt.privacy"),
        ("plan/fault.py", "import hushwatt.privacy.laws as laws"),
        ("plan/fault.py", "from hushwatt import cli"),
        ("plan/fault.py", "from hushwatt.wire.payload import Layout"),
        ("plan/fault.py", "from ..wire import payload"),
        ("plan/fault.py", "from .. import wire"),
        ("plan/__init__.py", "from ..wire import payload"),
        ("plan/fault.py", "def late():\n    from hushwatt.fleet import simulate"),
        ("plan/fault.py", "if TYPE_CHECKING:\n    import hushwatt.audit"),
        ("plan/fault.py", "import importlib\nimportlib.import_module('hushwatt.cli.main')"),
        ("plan/fault.py", "__import__('hushwatt.cli')"),
        ("household/fault.py", "from hushwatt.provider import estimate"),
        ("provider/fault.py", "from ..household import agent"),
        ("fault.py", "from hushwatt.plan import Plan"),
        ("fault.py", "from .plan import Plan"),
        ("__init__.py", "from . import plan"),
    ],
)
def test_a_planted_import_is_found(planted, path, text):
    """Every way to write an import that points up is seen."""

    assert len(upward(planted({path: text}))) >= 1


@pytest.mark.parametrize(
    "path, text",
    [
        ("cli/fine.py", "from hushwatt.evaluate import datasets"),
        (
            "household/fine.py",
            "from ..wire import payload\nfrom . import levels\nfrom .levels import level_of",
        ),
        ("plan/__init__.py", "from .plan import Plan\nfrom ..errors import PlanError"),
        ("plan/fine.py", "import json, privacy, wire\nfrom hushwatt import __version__, files"),
    ],
)
def test_good_imports_pass(planted, path, text):
    """Imports that point down, or stay in the room, or leave the package, are fine."""

    assert upward(planted({path: text})) == []


def test_a_planted_detour_is_found(planted):
    """A household that reaches the provider through a re-export is seen."""
    source = planted(
        {
            "household/agent.py": "from hushwatt.wire import Layout",
            "wire/__init__.py": "from hushwatt.provider.tally.tally import Tally as Layout",
        }
    )

    assert "provider" in reached(source, "household")


@pytest.mark.parametrize(
    "files, circle",
    [
        (
            {
                "provider/tally.py": "from .engines import spark",
                "provider/engines/spark.py": "from ..tally import Tally",
            },
            "hushwatt.provider: engines ⇄ tally",
        ),
        (
            {
                "provider/api/app.py": "from hushwatt.provider.dashboard import pages",
                "provider/dashboard/pages.py": "from hushwatt.provider.service import read",
                "provider/service/read.py": "def late():\n    from hushwatt.provider.api import app",
            },
            "hushwatt.provider: api ⇄ dashboard ⇄ service",
        ),
    ],
)
def test_a_planted_circle_of_folders_is_found(planted, files, circle):
    """Folders that import each other are seen, directly or in a round."""

    assert folder_cycles(planted(files)) == [circle]


def test_files_beside_each_other_may_lean_on_each_other(planted):
    """Two files of one folder are no folders: only between folders does a circle count."""
    source = planted({"plan/plan.py": "from .rules import check", "plan/rules.py": "from .plan import Plan"})

    assert folder_cycles(source) == []


@pytest.mark.parametrize(
    "text",
    [
        "import random",
        "from random import choice",
        "import numpy.random",
        "from numpy import random",
        "from numpy.random import default_rng",
        "import numpy as np\ndef draw():\n    return np.random.default_rng()",
        "import numpy\nnumpy.random.seed(1)",
    ],
)
def test_planted_weak_randomness_is_found(planted, text):
    """Every way to reach a generator that could be guessed is seen."""

    assert len(forbidden(planted({"household/fault.py": text}), AT_HOME, WEAK)) >= 1


@pytest.mark.parametrize("text", ["import pyarrow.parquet as pq", "def late():\n    from scipy import stats"])
def test_planted_weight_is_found(planted, text):
    """A heavy package is seen, inside a function too."""

    assert len(forbidden(planted({"privacy/fault.py": text}), AT_HOME, HEAVY)) == 1 + ("from" in text)
