"""Tables fit the terminal: drawings go first, then whole groups of columns; long lines are wrapped."""

import pytest
from rich.console import Console

from hushwatt.cli import estimate_tables, terminal
from hushwatt.cli.estimate_tables import (
    PERIOD_SPARE,
    TOP_SPARE,
    headed_table,
    period_table,
    print_tables,
    top_table,
)
from hushwatt.evaluate.simulate import simulate
from hushwatt.fleet.dataframes import estimate, randomise
from hushwatt.plan.presets import preset


@pytest.fixture(scope="module")
def found():
    plan = preset("advised")
    return estimate(plan, randomise(plan, simulate("ideal", plan, homes=600, slots=9, seed=1), seed=2)).estimates


@pytest.fixture
def printed(found, capsys, monkeypatch):
    """What is printed on a terminal of so many columns."""

    def lines(table, spare, width):
        monkeypatch.setattr(estimate_tables, "terminal_width", lambda otherwise: width)
        print_tables(found, [table], ["A remark."], spare)
        return capsys.readouterr().out.splitlines()

    return lines


@pytest.mark.parametrize("make, spare", [(period_table, PERIOD_SPARE), (lambda one: top_table(one, 10), TOP_SPARE)])
@pytest.mark.parametrize("width", [80, 100, 120])
def test_tables_fit(printed, found, make, spare, width):
    """No line is longer than the terminal, and no number is cut short."""
    lines = printed(make(found), spare, width)

    assert max(map(len, lines)) <= width
    assert "…" not in "".join(lines)
    assert sum("fridge_freezer" in line for line in lines) == 1


def test_a_share_stands_beside_its_limits(printed, found):
    """The drawing is left out first; then the share is, with its interval."""
    headings = [
        next(line for line in printed(period_table(found), PERIOD_SPARE, width) if "watts ± se" in line)
        for width in (120, 100, 70)
    ]

    assert [("over time" in line, "share" in line, line.count("95 %")) for line in headings] == [
        (True, True, 2),
        (False, True, 2),
        (False, False, 1),
    ]


def test_without_a_terminal(monkeypatch):
    """What goes to a file or a program is as wide as it is."""
    table = headed_table("appliance", "watts")

    assert terminal.terminal_width(otherwise=118) == 118
    assert len(terminal.fitted(table, 40, [(1,)]).columns) == 2


def test_on_a_terminal(monkeypatch):
    """A terminal says how wide it is."""
    monkeypatch.setattr(Console, "is_terminal", True)
    monkeypatch.setenv("COLUMNS", "77")

    assert terminal.terminal_width(otherwise=118) == 77
