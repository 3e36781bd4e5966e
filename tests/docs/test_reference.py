"""The reference says what the code does: it is written from it, or held against it."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from hushwatt.plan import Plan
from hushwatt.plan.choices import DECISIONS, MAPPINGS, METHODS, ORACLES, UNMEASURED
from hushwatt.plan.reader import APPLIANCE_KEYS, KEYS
from hushwatt.plan.writer import table
from hushwatt.provider.api.problems import PROBLEMS
from hushwatt.provider.intake.collect import ERASED, REASONS, WRONG_ROUND

ROOT = Path(__file__).parents[2]
PLAN_PAGE = (ROOT / "docs" / "plan.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(?P<key>\w+)` \|(?P<cells>.*)\|$", re.MULTILINE)
FEWEST = {
    "name": "x",
    "description": "x",
    "contact": "x",
    "start": "2024-01-01",
    "expires": "2025-01-01",
    "slot": "1d",
    "epsilon": 1,
    "window": 7,
    "method": "lpu",
}


def test_written_pages_are_current():
    """What is written from the code says what the code says now; `make reference` writes it anew."""
    command = [sys.executable, "-m", "tools.reference.write", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)

    assert done.returncode == 0, done.stderr


def rows(title):
    """The rows of the first table under a heading of the plan's page, by their first cell."""
    part = PLAN_PAGE.split(f"## {title}\n")[1].split("\n## ")[0]
    return {row["key"]: [each.strip() for each in row["cells"].split("|")] for row in ROW.finditer(part)}


def test_every_key_of_a_plan_is_told():
    """The page knows exactly the keys that a plan may have."""
    told = [row["key"] for row in ROW.finditer(PLAN_PAGE.split("## Keys\n")[1].split("## Words\n")[0])]

    assert sorted(told) == sorted([*KEYS, *APPLIANCE_KEYS])


def test_every_word_of_a_plan_is_told():
    """The page says of every word what the code says of it."""
    told = {key: cells[0] for key, cells in rows("Words").items() if key not in KEYS}  # a key heads a table

    methods = {name: method.says for name, method in METHODS.items()}

    assert told == {**methods, **ORACLES, **MAPPINGS, **UNMEASURED, **DECISIONS}


def toml(**keys):
    lines = [
        f"{key} = {value if value in ('true', 'false') else repr(value)}" for key, value in {**FEWEST, **keys}.items()
    ]
    return "\n".join([*lines, "[[appliance]]", "name = 'kettle'", "edges = [10, 40]"])


def test_defaults_are_as_told():
    """A key left out means what the page says; written out, it makes no other plan."""
    plan = Plan.parse(toml())
    told = {key: cells[-1].strip("`") for key, cells in rows("Keys").items() if cells[-1].startswith("`")}
    plain = {key: int(value) if value.isdigit() else value for key, value in told.items() if key != "decision"}

    assert plain == {
        "oracle": "oue",
        "mapping": "range",
        "unmeasured": "zero",
        "minimum_homes": 100,
        "publish": 1,
        "share_results": "false",
        "timezone": "UTC",
        "version": 1,
    }
    assert Plan.parse(toml(**plain)) == plan
    assert plan.appliances_per_report == 1
    assert plan.appliance_epsilon is None
    assert [Plan.parse(toml(method=each)).decision for each in ("lbd", "lba", "lpd", "lpa")] == [
        *["household"] * 2,
        *["provider"] * 2,
    ]


@pytest.mark.parametrize("key", [key for key, cells in rows("Keys").items() if cells[-1] == "required"])
def test_required_keys_are_required(key):
    """A plan without a key that the page calls required is refused, and the line names it."""
    text = toml() if key != "appliance" else toml().split("[[")[0]
    kept = "\n".join(line for line in text.splitlines() if not line.startswith(f"{key} ="))

    with pytest.raises(Exception, match=key):
        Plan.parse(kept)


def test_all_keys_are_in_the_canonical_form():
    """No key of the page is dropped on the way to the id."""
    plan = replace(Plan.parse(toml(method="lba")), appliance_epsilon=1)
    later = replace(plan, unmeasured="answer", replaces=plan.id, publish=7, share_results=True)

    assert set(table(later)) == set(KEYS)
    kept = set(KEYS) - {"unmeasured", "replaces", "publish", "share_results"}
    assert set(table(plan)) == kept  # ids of plans without them stay as they are


def test_files_on_the_page_of_how_it_is_built_exist():
    """Where the page says that something happens, there is a file."""
    page = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`(\w+/[\w/]*(?:\.py|/))`", page)

    assert len(named) > 10
    assert [name for name in named if not (ROOT / "src" / "hushwatt" / name).exists()] == []


def test_every_refusal_is_on_the_wire_page():
    """Whoever writes a program for homes finds every problem and every reason there."""
    page = (ROOT / "docs" / "wire.md").read_text(encoding="utf-8")
    ours = {"failed"}  # a bug of the service: there is nothing to do about it
    uploads = [name for reason, name in REASONS.items() if reason not in (WRONG_ROUND, ERASED)]  # not of files

    assert [name for name in PROBLEMS.keys() - ours if f"`{name}`" not in page] == []
    assert [name for name in uploads if f"`{name}`" not in page] == []
