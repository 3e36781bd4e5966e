"""What a method or an oracle does differently is said by its strategy or law, and asked nowhere by name.

A comparison with a name, a table by name, a set of names or a `match` elsewhere is a rule to which a new
method or oracle would have to be added.
"""

import ast
from collections.abc import Sequence
from pathlib import Path

import pytest

import hushwatt
from hushwatt.plan.choices import METHODS, ORACLES

SOURCE = Path(hushwatt.__file__).parent
ROOMS = ("plan", "privacy", "wire", "household", "provider", "fleet")
OWNERS = ("plan/choices.py", "privacy/strategies/", "privacy/laws/")
NAMES = {*METHODS, *ORACLES}


def asked_by_name(source):
    """Where the files below `source` decide by the name of a method or of an oracle."""
    files = [file for room in ROOMS for file in sorted((source / room).rglob("*.py"))]
    for file in files:
        path = file.relative_to(source).as_posix()
        if not path.startswith(OWNERS):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            yield from (f"{path}:{node.lineno}" for node in ast.walk(tree) if names_in(node))  # type: ignore[attr-defined]


def names_in(node):
    """The names of methods and oracles that a comparison, a dictionary's keys, a set or a case holds."""
    parts: Sequence[ast.AST]
    if isinstance(node, ast.Compare | ast.Set | ast.MatchValue):
        parts = [node]
    elif isinstance(node, ast.Dict):
        parts = [key for key in node.keys if key is not None]
    elif isinstance(node, ast.Call) and getattr(node.func, "id", None) in ("set", "frozenset"):
        parts = node.args
    else:
        parts = []
    words = {each.value for part in parts for each in ast.walk(part) if isinstance(each, ast.Constant)}
    return words & NAMES


def test_no_rule_goes_by_name():
    """Plan, privacy, wire, household, provider and fleet ask the strategy or the law."""
    assert list(asked_by_name(SOURCE)) == []


@pytest.mark.parametrize(
    "line",
    [
        'turns = plan.method == "lpu"',
        'turns = "grr" != oracle',
        'turns = plan.method in ("lsp", "lba")',
        'turns = {"lbu": 1}.get(plan.method, 0)',
        'TURNS = {"lpu", "lpd"}',
        'TURNS = frozenset(["lpu"])',
        'match plan.method:\n    case "lsp":\n        turns = 1',
    ],
)
def test_a_planted_rule_is_found(tmp_path, line):
    """Any way to go by a name is found, in its line; in the tables it is at home."""
    for path in ("provider/tally/planted.py", "privacy/strategies/planted.py", "evaluate/planted.py"):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(f'"""Planted: lpu and grr."""\n{line}\n')
    found = list(asked_by_name(tmp_path))

    assert found in (["provider/tally/planted.py:2"], ["provider/tally/planted.py:3"])


def test_a_word_is_not_a_rule(tmp_path):
    """A name in a sentence, an argument or a default decides nothing."""
    (tmp_path / "wire").mkdir()
    (tmp_path / "wire/planted.py").write_text('Case("lbu", oracle="oue")\nraise ValueError(f"{method}: lpu or lbu")\n')

    assert list(asked_by_name(tmp_path)) == []
