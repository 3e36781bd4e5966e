"""Tests lie where their modules lie: `plan/calendar.py` is tested by `tests/plan/test_calendar.py`.

What is tested together with others, or across modules, stands in one list, `tests/grouped.py`, and nothing
stands there that need not.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import hushwatt
from tests.grouped import ACROSS, GROUPED, covering_test

SOURCE, TESTS = Path(hushwatt.__file__).parent, Path(__file__).parent


def modules(source: Path) -> set[str]:
    """Every module that defines a function or a class, as `plan/calendar`; a package is its folder."""
    return {
        name
        for file in source.rglob("*.py")
        if (name := file.relative_to(source).with_suffix("").as_posix().removesuffix("__init__").rstrip("/"))
        and any(isinstance(each, ast.FunctionDef | ast.ClassDef) for each in ast.parse(file.read_text()).body)
    }


def mirror(module: str) -> str:
    """The test file of a module's own name."""
    folder, _, name = module.rpartition("/")
    return f"{folder}/test_{name}.py".lstrip("/")


def faults(
    source: Path, tests: Path, grouped: dict[str, str], across: set[str], free: tuple[str, ...] = ()
) -> Iterator[str]:
    """Every module without a test, every test without a module, every line of the list that is not needed."""
    there = {file.relative_to(tests).as_posix() for file in tests.rglob("test_*.py")}
    here = modules(source)
    listed = {module: test for test, names in grouped.items() for module in names.split()}
    mirrors = {mirror(module) for module in here}
    for module in sorted(here):
        if mirror(module) not in there and module not in listed:
            yield f"{module} has no {mirror(module)}, and is not in the list"
    for test in sorted(there - mirrors - grouped.keys() - across):
        if not test.startswith(free):
            yield f"{test} mirrors no module, and is not in the list"
    for test in sorted((grouped.keys() | across) - there):
        yield f"{test} is in the list, and not there"
    for module in sorted(listed):
        if module not in here:
            yield f"{module} is in the list, and not there"
        elif mirror(module) in there:
            yield f"{module} is in the list, and has {mirror(module)}"


def test_every_module_has_its_test():
    """Each module with code has a test of its name or a line in the list, and each test has a module."""

    assert (
        list(
            faults(
                SOURCE,
                TESTS,
                GROUPED,
                ACROSS,
                free=("custom_component/", "docs/", "home_assistant/", "packaging/", "test_"),
            )
        )
        == []
    )


def test_the_covering_test_a_module_are_found():
    """Its mirror, or the one in the list."""

    assert covering_test("plan/calendar") == "plan/test_calendar.py"
    assert all(covering_test(module) == test for test, names in GROUPED.items() for module in names.split())


@pytest.fixture
def house(tmp_path):
    """A small package and its tests, in step with each other."""
    for path, text in {
        "src/plan/__init__.py": '"""Plans."""',
        "src/plan/calendar.py": "def days(): ...",
        "src/plan/choices.py": "METHODS = ()",
        "src/plan/zones.py": "class Zone: ...",
        "tests/plan/test_calendar.py": "",
        "tests/plan/test_hostile.py": "",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    def told(grouped: dict[str, str], across: tuple[str, ...] = ("plan/test_hostile.py",)) -> list[str]:
        return list(faults(tmp_path / "src", tmp_path / "tests", grouped, set(across)))

    told.folder = tmp_path  # type: ignore[attr-defined]
    return told


LISTED = {"plan/test_calendar.py": "plan/zones"}


def test_a_house_in_step_has_no_faults(house):
    """A module without code needs no test, a grouped one its line."""

    assert house(LISTED) == []


@pytest.mark.parametrize(
    "planted, found",
    [
        ("src/plan/rules.py", "plan/rules has no plan/test_rules.py, and is not in the list"),
        ("src/plan/slots/__init__.py", "plan/slots has no plan/test_slots.py, and is not in the list"),
        ("tests/plan/test_gone.py", "plan/test_gone.py mirrors no module, and is not in the list"),
        ("tests/plan/test_zones.py", "plan/zones is in the list, and has plan/test_zones.py"),
    ],
)
def test_a_planted_file_is_found(house, planted, found):
    """A module or a test that the other side does not know is named."""
    (house.folder / planted).parent.mkdir(exist_ok=True)
    (house.folder / planted).write_text("def step(): ...")

    assert house(LISTED) == [found]


@pytest.mark.parametrize(
    "grouped, across, found",
    [
        ({}, (), ["plan/zones has no plan/test_zones.py, and is not in the list"]),
        (LISTED | {"plan/test_gone.py": ""}, (), ["plan/test_gone.py is in the list, and not there"]),
        (LISTED, ("plan/test_gone.py",), ["plan/test_gone.py is in the list, and not there"]),
        (
            {"plan/test_calendar.py": "plan/zones plan/gone"},
            (),
            ["plan/gone is in the list, and not there"],
        ),
    ],
)
def test_a_planted_line_is_found(house, grouped, across, found):
    """A line of the list that is missing, or names what is not there, is named."""

    assert house(grouped, ("plan/test_hostile.py", *across)) == found
