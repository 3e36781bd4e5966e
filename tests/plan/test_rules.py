"""A plan whose values contradict each other is refused, however it was made."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from hushwatt.errors import PlanError
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.plan import Plan


@pytest.fixture
def plan(written):
    return Plan.parse(written())


def _refusal(plan, **changes):
    with pytest.raises(PlanError) as refusal:
        replace(plan, **changes)
    return str(refusal.value)


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"name": " "}, "name is empty"),
        ({"name": "a\tb"}, "name is 'a\\tb'; it must be printable"),
        ({"description": ""}, "description is empty; people who are asked to take part will read it"),
        ({"contact": "\n"}, "contact is empty; people who are asked to take part will read it"),
        ({"description": "x" * 10_001}, "description has 10001 characters; at most 10000 are allowed"),
        ({"contact": "\x1b[2J"}, "contact holds control characters; it must be plain text"),
        ({"description": "\ud800"}, "description holds control characters; it must be plain text"),
        ({"window": 0}, "window is 0; it must be at least 1 and at most 2,147,483,647"),
        ({"publish": 0}, "publish is 0; it must be at least 1 and at most 2,147,483,647"),
        ({"minimum_homes": 0}, "minimum_homes is 0; it must be at least 1 and at most 2,147,483,647"),
        (
            {"appliances_per_report": 3},
            "appliances_per_report is 3; it must be at least 1 and at most 2 (all appliances)",
        ),
        (
            {"appliances_per_report": 0},
            "appliances_per_report is 0; it must be at least 1 and at most 2 (all appliances)",
        ),
        ({"appliances": ()}, "has no appliance; write at least one [[appliance]]"),
        (
            {"appliances": (Appliance.of("a", [1]),) * 2},
            "two appliances are called 'a'; each name must be unique",
        ),
        (
            {"appliances": (Appliance("a", None, (1.0, 2.0)), Appliance.of("b", [1]))},
            "a: has no edges, which mapping = 'range' needs",
        ),
        ({"method": "lbx"}, "method is 'lbx'; it must be one of lbu, lsp, lbd, lba, lpu, lpd, lpa"),
        ({"oracle": "rappor"}, "oracle is 'rappor'; it must be one of oue, sue, grr"),
        ({"mapping": "round"}, "mapping is 'round'; it must be one of range, dither"),
        (
            {"expires": datetime(2024, 1, 1, tzinfo=UTC)},
            "expires is 2024-01-01T00:00:00Z; it must be after start, which is 2024-01-01T00:00:00Z",
        ),
        (
            {"start": datetime(1969, 12, 31, tzinfo=UTC)},
            "start is 1969-12-31T00:00:00Z; it must lie between 1970 and 2262",
        ),
        (
            {"expires": datetime(9999, 12, 31, 1, tzinfo=UTC)},
            "expires is 9999-12-31T01:00:00Z; it must be at most 9999-12-31",
        ),
    ],
)
def test_refused(plan, changes, message):
    """Each contradiction is told with the number to change."""

    assert _refusal(plan, **changes) == message


def many(count, levels):
    """So many appliances with so many levels each."""
    edges = [float(edge) for edge in range(1, levels)]
    return tuple(Appliance.of(f"appliance {place}", edges) for place in range(count))


@pytest.mark.parametrize(
    "count, levels, message",
    [
        (1001, 2, "has 1,001 appliances; at most 1,000 are allowed"),
        (1, 10_001, "appliance 0: has 10,001 levels; at most 10,000 are allowed"),
        (
            8,
            10_000,
            "its 8 appliances have 80,000 levels together; at most 16,384 are allowed: give them fewer edges",
        ),
    ],
)
def test_too_many(plan, count, levels, message):
    """More appliances or levels than 16-bit numbers and a sensible report can hold are refused."""

    assert _refusal(plan, appliances=many(count, levels), appliances_per_report=1, method="lbu") == message


def test_as_many_as_are_allowed(plan):
    """A thousand appliances, and ten thousand levels, are a plan."""
    wide = replace(plan, appliances=many(1000, 16), appliances_per_report=1, method="lbu")
    deep = replace(plan, appliances=many(1, 10_000), appliances_per_report=1, method="lbu")

    assert (wide.width, deep.width) == (16_000, 10_000)


def test_start_is_within_64_bit_nanoseconds(plan):
    """A start that no moment could reach is refused."""
    late = {"start": datetime(2262, 1, 1, tzinfo=UTC), "expires": datetime(2263, 1, 1, tzinfo=UTC)}

    assert _refusal(plan, **late) == "start is 2262-01-01T00:00:00Z; it must lie between 1970 and 2262"


def test_too_many_slots(written):
    """A slot must fit 32 bits."""
    with pytest.raises(PlanError, match="2,366,841,600 slots of 1s lie between start and expires; at most 2,147"):
        Plan.parse(written(slot='"1s"', expires="2099-01-01"))


@pytest.mark.parametrize("method, parts", [("lbu", 3), ("lbd", 6), ("lba", 6), ("lsp", 1), ("lpu", 1), ("lpd", 1)])
def test_each_slot_has_a_share(written, method, parts):
    """A budget must leave at least a millionth for each slot; one millionth less is refused."""
    changes = {"method": f'"{method}"', "window": "3"}

    assert Plan.parse(written(**changes, epsilon=f"0.00000{parts}")).epsilon == parts
    if parts > 1:
        with pytest.raises(PlanError, match=f"with window = 3, {method} divides it by {parts}, which leaves less"):
            Plan.parse(written(**changes, epsilon=f"0.00000{parts - 1}"))


@pytest.mark.parametrize("method", ["lbu", "lsp", "lpu"])
@pytest.mark.parametrize("decision", ["household", "provider"])
def test_nothing_to_decide(written, method, decision):
    """Methods that decide nothing refuse to be told who decides."""
    with pytest.raises(PlanError, match=f"decision is '{decision}', but {method} decides nothing; remove it"):
        Plan.parse(written(method=f'"{method}"', decision=f'"{decision}"'))


@pytest.mark.parametrize("method", ["lpd", "lpa"])
def test_population_division_is_decided_by_the_provider(written, method):
    """No home can decide for a population."""
    with pytest.raises(PlanError, match=f"with {method} only the provider can decide"):
        Plan.parse(written(method=f'"{method}"', decision='"household"'))


@pytest.mark.parametrize("method", ["lbd", "lba"])
def test_a_household_decides_by_all_appliances(written, method):
    """A household that decides must look at all appliances; the provider need not."""
    changes = {"method": f'"{method}"', "appliances_per_report": "1"}
    with pytest.raises(PlanError, match="set appliances_per_report = 2, or decision = 'provider', or choose lbu"):
        Plan.parse(written(**changes))

    assert Plan.parse(written(**changes, decision='"provider"')).appliances_per_report == 1


def test_decision_must_be_known(plan):
    """A deciding method without a decider is refused, too."""

    assert _refusal(plan, method="lba") == "decision is None; it must be one of household, provider"


def test_descriptions_may_have_lines(plan):
    """Newlines, tabs and any script are plain text."""

    assert replace(plan, description="Eins\n\tzwei\u00a0drei 👩‍🔬").id != plan.id
