"""A class name means one thing, and files and functions are short enough to be read in one go."""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

import pytest

import hushwatt

SOURCE = Path(hushwatt.__file__).parent
HALF = "half of all files have at most 100 lines"


class Defined(NamedTuple):
    """What a file defines: its classes with their lines, and how many lines each function has."""

    classes: tuple[tuple[str, int], ...]
    functions: tuple[int, ...]


@cache
def defined(text: str) -> Defined:
    """Classes and functions, private ones and inner ones too; read once however many tests ask."""
    nodes = list(ast.walk(ast.parse(text)))
    return Defined(
        tuple((node.name, node.lineno) for node in nodes if isinstance(node, ast.ClassDef)),
        tuple(
            (node.end_lineno or node.lineno) - node.lineno + 1
            for node in nodes
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ),
    )


def definitions(source: Path) -> dict[str, Defined]:
    """What every file of the package defines."""
    return {file.relative_to(source).as_posix(): defined(file.read_text()) for file in source.rglob("*.py")}


def doubles(source: Path) -> list[str]:
    """Each class name that is defined more than once, and where, private ones and inner ones too."""
    places = defaultdict(list)
    for file, found in sorted(definitions(source).items()):
        for name, line in found.classes:
            places[name].append(f"{file}:{line}")
    return [f"{name}: {', '.join(where)}" for name, where in sorted(places.items()) if len(where) > 1]


def file_lengths(source: Path) -> dict[str, int]:
    """How many lines each file has."""
    return {file.relative_to(source).as_posix(): len(file.read_text().splitlines()) for file in source.rglob("*.py")}


def function_lengths(source: Path) -> list[int]:
    """How many lines each function has, from its `def` to its end."""
    return [lines for found in definitions(source).values() for lines in found.functions]


def too_long(source: Path) -> list[str]:
    """Every figure that is exceeded, and by what."""
    files, functions = file_lengths(source), function_lengths(source)
    figures = {
        HALF: median(files.values()) <= 100,
        "half of all functions have at most 6 lines": median(functions) <= 6,
        "19 of 20 functions have at most 20 lines": quantiles(functions, n=20)[-1] <= 20,
    }
    long = [f"{file} has {lines} lines, more than 320" for file, lines in files.items() if lines > 320]
    return [figure for figure, held in figures.items() if not held] + sorted(long)


def test_no_class_name_is_used_twice():
    """Whoever searches for a class finds one."""
    found = doubles(SOURCE)

    assert not found, "defined more than once:\n" + "\n".join(found)


def test_files_and_functions_are_short():
    """Half of all files are read in a minute, and nearly all functions fit on half a screen."""

    assert too_long(SOURCE) == []


def step(lines: int, name: str = "step") -> str:
    """A function of so many lines."""
    return f"def {name}():\n" + "    pass\n" * (lines - 1)


@pytest.fixture
def planted(tmp_path):
    """A package to plant faults in."""

    def plant(**files: str) -> Path:
        for name, text in files.items():
            (tmp_path / f"{name}.py").write_text(text)
        return tmp_path

    return plant


def test_a_planted_double_is_found(planted):
    """A name that another file has, or the same one, is named with its places, private and inner ones too."""
    source = planted(
        plan="class Plan: ...\nclass _Row: ...",
        store="def read():\n    class _Row: ...\nclass Store:\n    class Plan: ...",
        fine="class Wire: ...\nPlanner = dict",
    )

    assert doubles(source) == ["Plan: plan.py:1, store.py:4", "_Row: plan.py:2, store.py:2"]


@pytest.mark.parametrize(
    "files, found",
    [
        ({"one": step(6) * 4, "other": step(2)}, []),
        (
            {"one": step(6) + "\n" * 314 + step(2)},
            ["half of all files have at most 100 lines", "one.py has 322 lines, more than 320"],
        ),
        ({"one": step(7) * 4}, ["half of all functions have at most 6 lines"]),
        ({"one": "async " + step(9), "other": step(5) * 2}, []),
        ({"one": step(2) * 14 + step(40)}, ["19 of 20 functions have at most 20 lines"]),
    ],
)
def test_planted_length_is_found(planted, files, found):
    """A file or functions a little too long are named."""

    assert too_long(planted(**files)) == found
