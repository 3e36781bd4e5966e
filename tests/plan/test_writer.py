"""A plan file made by hushwatt is one a person can read and change."""

import pytest

from hushwatt.errors import PlanError
from hushwatt.plan.plan import Plan
from hushwatt.plan.writer import table


@pytest.mark.parametrize(
    "changes, line",
    [
        ({}, "start = 2024-01-01"),
        ({"timezone": '"America/Sao_Paulo"', "start": "2017-10-15"}, "start = 2017-10-15"),
        ({"start": "2024-01-01T06:30:00Z"}, "start = 2024-01-01T06:30:00Z"),
        ({"start": "2024-01-01T00:00:00.5"}, "start = 2024-01-01T00:00:00.500000Z"),
        ({"epsilon": "0.60"}, "epsilon = 0.6"),
        ({"appliance_epsilon": "0.3"}, "appliance_epsilon = 0.3  # the same for any one appliance"),
        ({"publish": '"7d"'}, "publish = 7  # slots that results are published for together"),
        ({"method": '"lbd"'}, 'decision = "household"  # who decides between publishing and repeating'),
        (
            {"description": r'"two\nlines, \"quoted\" ε \\ \t"'},
            r'description = "two\nlines, \"quoted\" ε \\ \t"',
        ),
    ],
)
def test_lines(written, changes, line):
    """Numbers, dates and words are written as one would write them."""

    assert line in Plan.parse(written(**changes)).toml().splitlines()


@pytest.mark.parametrize(
    "levels, mapping, expected",
    [
        ("edges = [10, 40]", "range", ["edges = [10, 40]"]),
        ("edges = [10]\nvalues = [5, 15]", "range", ["edges = [10]"]),
        ("edges = [10, 40.5]\nvalues = [1, 20, 60]", "range", ["edges = [10, 40.5]", "values = [1, 20, 60]"]),
        ("values = [0, 3, 5]", "range", ["values = [0, 3, 5]"]),
        ("edges = [0]\nvalues = [0, 5]", "range", ["edges = [0]", "values = [0, 5]"]),
        ("edges = [10, 40]", "dither", ["edges = [10, 40]"]),
        ("values = [0, 40]", "dither", ["values = [0, 40]"]),
        ("edges = [2]\nvalues = [0, 40]", "dither", ["edges = [2]", "values = [0, 40]"]),
    ],
)
def test_levels_are_written_once(written, levels, mapping, expected):
    """What follows from the edges or the values is not written beside them."""
    plan = Plan.parse(written(f'[[appliance]]\nname = "kettle"\n{levels}\n', mapping=f'"{mapping}"'))
    lines = [line for line in plan.toml().splitlines() if line.startswith(("edges", "values"))]

    assert lines == expected
    assert Plan.parse(plan.toml()).id == plan.id


def test_typical_watts(written):
    """Prior knowledge is written and part of the id."""
    plain = '[[appliance]]\nname = "kettle"\nedges = [10]\n'
    plan = Plan.parse(written(plain + "typical_mean = 2.5\ntypical_high = 30\n"))

    assert plan.toml().endswith("edges = [10]\ntypical_mean = 2.5\ntypical_high = 30\n")
    assert table(plan)["appliance"][0]["typical_mean"] == "2.5"
    assert plan.id != Plan.parse(written(plain)).id


def test_what_a_plan_has_not_is_left_out(written):
    """The canonical table has no nulls."""
    canonical = table(Plan.parse(written()))

    assert None not in canonical.values()
    assert not {"decision", "appliance_epsilon"} & set(canonical)


def test_publish_is_written_where_it_is_not_one(written):
    """A plan that publishes every slot is the plan it always was."""
    plain, weekly = Plan.parse(written()), Plan.parse(written(publish="7"))

    assert "publish" not in table(plain)
    assert table(weekly)["publish"] == 7
    assert plain.id == Plan.parse(written(publish="1")).id == Plan.parse(written(publish='"1d"')).id != weekly.id
    assert Plan.parse(weekly.toml()) == Plan.parse(weekly.canonical()) == weekly


def test_sharing_is_written_where_results_are_shared(written):
    """A plan that keeps its results to the provider is the plan it always was."""
    plain, shared = Plan.parse(written()), Plan.parse(written(share_results="true"))

    assert "share_results" not in table(plain)
    assert table(shared)["share_results"] is True
    assert plain.id == Plan.parse(written(share_results="false")).id != shared.id
    assert Plan.parse(shared.toml()) == Plan.parse(shared.canonical()) == shared
    with pytest.raises(PlanError, match="must be true or false"):
        Plan.parse(shared.canonical().replace(b"true", b"1"))
