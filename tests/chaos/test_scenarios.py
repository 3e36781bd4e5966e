"""Every scenario holds in a few cases of a fixed seed; `make chaos` goes through many of a fresh one."""

from pathlib import Path

import pytest

from hushwatt import chaos
from hushwatt.chaos.run import run
from hushwatt.chaos.scenarios import MODULES, SCENARIOS

SEED = 1


@pytest.mark.parametrize("name", SCENARIOS)
def test_holds(name):
    """What the scenario says is so."""
    scenario = SCENARIOS[name]
    outcome = run(scenario, scenario.quick, SEED)

    assert outcome.failures == ()
    assert outcome.done >= scenario.quick


def test_every_file_with_a_scenario_is_listed():
    """A scenario lies where its name says, and none is forgotten."""
    folder = Path(chaos.__file__).parent
    files = {
        ".".join(file.relative_to(folder).with_suffix("").parts)
        for file in folder.rglob("*.py")
        if "\nSCENARIO = " in file.read_text()
    }

    assert files == set(MODULES.values())
    assert [scenario.name for scenario in SCENARIOS.values()] == list(SCENARIOS)


def test_every_scenario_is_on_the_page():
    """The page tells of every scenario what it says of itself, in the same order."""
    page = (Path(__file__).parents[2] / "docs" / "howto" / "chaos.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ") and "`" in line and "--" not in line]

    assert rows == [
        f"| {each.promise} | `{each.name}` | {each.says} | {each.full:,} {each.unit} |" for each in SCENARIOS.values()
    ]
