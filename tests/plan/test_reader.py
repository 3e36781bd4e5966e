"""The keys of a plan file become the plan, with the documented defaults."""

from datetime import UTC, datetime

import pytest

from hushwatt.errors import PlanError
from hushwatt.plan.plan import Plan
from hushwatt.plan.reader import KEYS
from hushwatt.plan.slot import SlotLength

KETTLE = '[[appliance]]\nname = "kettle"\n'


def _refusal(text):
    with pytest.raises(PlanError) as refusal:
        Plan.parse(text)
    return str(refusal.value)


def test_defaults(written):
    """What a plan leaves out is what the documentation says."""
    plan = Plan.parse(written())

    assert plan.oracle == "oue"
    assert plan.appliances_per_report == len(plan.appliances) == 2
    assert plan.mapping == "range"
    assert plan.minimum_homes == 100
    assert plan.timezone == "UTC"
    assert plan.decision is None
    assert plan.appliance_epsilon is None
    assert plan.publish == 1
    assert plan.share_results is False


def test_everything_said(written):
    """Every key reaches its field."""
    text = written(
        KETTLE + "values = [0, 9.5]\ntypical_mean = 1\ntypical_high = 8\n",
        KETTLE.replace("kettle", "fridge") + "edges = [5]\n",
        version="1",
        start="2024-07-01T12:00:00",
        timezone='"Europe/London"',
        slot='"15m"',
        epsilon='"2.5"',
        appliance_epsilon="0.25",
        window="96",
        method='"lba"',
        decision='"provider"',
        oracle='"grr"',
        mapping='"dither"',
        appliances_per_report="1",
        minimum_homes="7",
    )
    plan = Plan.parse(text)

    assert (plan.start, plan.expires) == (
        datetime(2024, 7, 1, 11, tzinfo=UTC),
        datetime(2025, 1, 1, tzinfo=UTC),
    )
    assert (plan.slot, plan.timezone) == (SlotLength(15, "m"), "Europe/London")
    assert (plan.epsilon, plan.appliance_epsilon, plan.window) == (2_500_000, 250_000, 96)
    assert (plan.method, plan.decision, plan.oracle, plan.mapping) == ("lba", "provider", "grr", "dither")
    assert (plan.appliances_per_report, plan.minimum_homes) == (1, 7)
    assert (plan.appliances[0].typical_mean, plan.appliances[0].typical_high) == (1.0, 8.0)
    assert (plan.names, plan.widths, plan.width) == (("kettle", "fridge"), (2, 2), 4)


@pytest.mark.parametrize(
    "method, decision",
    [("lbd", "household"), ("lba", "household"), ("lpd", "provider"), ("lpa", "provider"), ("lsp", None)],
)
def test_who_decides_unless_said(written, method, decision):
    """The household decides for budget division, the provider for population division."""

    assert Plan.parse(written(method=f'"{method}"')).decision == decision


@pytest.mark.parametrize("key", ["name", "description", "contact", "start", "expires", "slot", "epsilon", "window"])
def test_required_keys(written, key):
    """Each required key is asked for by name."""

    assert _refusal(written(**{key: None})) == f"'{key}' is missing"


def test_method_and_appliances_are_required(written):
    """So are the method and the appliances."""

    assert _refusal(written(method=None)) == "'method' is missing"
    assert _refusal(written().partition("[[")[0]) == "'appliance' is missing"


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"epsilom": "1"}, "unknown key 'epsilom'; did you mean 'epsilon'?"),
        ({"colour": "1"}, f"unknown key 'colour'; the keys are {', '.join(KEYS)}"),
        ({"version": "2"}, "version is 2; this hushwatt reads version 1"),
        ({"version": "true"}, "version is true; it must be a whole number"),
        ({"name": "3"}, "name is 3; it must be text in quotes"),
        ({"window": "3.0"}, "window is 3.0; it must be a whole number"),
        ({"window": "true"}, "window is true; it must be a whole number"),
        ({"minimum_homes": '"5"'}, "minimum_homes is '5'; it must be a whole number"),
        ({"epsilon": "0"}, "epsilon: 0 is not an amount of ε: it must be at least 0.000001"),
        ({"epsilon": "true"}, "epsilon: true is not an amount of ε; write a number such as 0.5"),
        ({"epsilon": "nan"}, "epsilon: NaN is not an amount of ε; write a number such as 0.5"),
        ({"epsilon": "-1"}, "epsilon: -1 is not an amount of ε between 0 and 1000000"),
        (
            {"appliance_epsilon": "[1]"},
            "appliance_epsilon: a list is not an amount of ε; write a number such as 0.5",
        ),
        ({"slot": '"1w"'}, "slot is '1w'; write a whole number and s, m, h or d, such as '15m'"),
        ({"slot": "1"}, "slot is 1; it must be text in quotes"),
        ({"start": "12:00:00"}, "start is 12:00:00; write a date such as 2024-01-31 or 2024-01-31T12:00:00Z"),
        ({"timezone": '"Leeds"'}, "timezone is 'Leeds'; write a name such as 'Europe/London' or 'UTC'"),
        (
            {"method": '"lbx"'},
            "method is 'lbx'; it must be one of lbu, lsp, lbd, lba, lpu, lpd, lpa; did you mean 'lbu'?",
        ),
        ({"oracle": '"OUE"'}, "oracle is 'OUE'; it must be one of oue, sue, grr"),
        ({"mapping": "[]"}, "mapping is a list; it must be one of range, dither"),
        (
            {"method": '"lba"', "decision": '"homes"'},
            "decision is 'homes'; it must be one of household, provider",
        ),
    ],
)
def test_wrong_values(written, changes, message):
    """Each wrong value is told by its key, with what it must be."""

    assert _refusal(written(**changes)) == message


@pytest.mark.parametrize(
    "appliance, message",
    [
        (
            "[appliance]\nname = 'kettle'\n",
            "appliance is a table; write one [[appliance]] for each appliance, in double brackets",
        ),
        ("[[appliance]]\nedges = [1]\n", "appliance[0]: 'name' is missing"),
        ("[[appliance]]\nname = 5\n", "appliance[0]: name is 5; it must be text in quotes"),
        (KETTLE + "edge = [1]\n", "kettle: unknown key 'edge'; did you mean 'edges'?"),
        (KETTLE + "edges = 5\n", "kettle: edges is 5; it must be a list of watts such as [100, 300]"),
        (KETTLE + "edges = [1, 'x']\n", "kettle: edges[1] is 'x'; it must be a number of watts"),
        (KETTLE + "edges = [1, 1]\n", "kettle: edges[1] is 1 W; it must be above edges[0], which is 1 W"),
        (
            KETTLE + "edges = [1]\ntypical_mean = true\n",
            "kettle: typical_mean is true; it must be a number of watts",
        ),
        ('[[appliance]]\nname = "a\\nb"\nedge = 1\n', "'a\\nb': unknown key 'edge'; did you mean 'edges'?"),
    ],
)
def test_wrong_appliances(written, appliance, message):
    """Each wrong appliance is told by its name, or its place when it has none."""

    assert _refusal(written(appliance)) == message


def test_appliances_must_be_tables(written):
    """A list of anything else is refused by place."""

    assert _refusal(written("", appliance="['kettle']")) == "appliance[0] is 'kettle'; it must be a table"


class TestWindow:
    """`window` is a number of slots, a length of time, or "plan": as long as the plan runs."""

    @pytest.mark.parametrize(
        "slot, window, slots",
        [
            ("1d", '"365d"', 365),
            ("15m", '"365d"', 35_040),
            ("1h", '"90m"', 2),
            ("1d", '"plan"', 366),
            ("15m", '"plan"', 366 * 96),
            ("5d", '"plan"', 74),
            ("1d", "7", 7),
        ],
    )
    def test_forms(self, written, slot, window, slots):
        """Whichever way it is written, the plan has it in slots."""

        assert Plan.parse(written(slot=f'"{slot}"', window=window)).window == slots

    def test_one_agreement(self, written):
        """A plan that says the same in another way is the same plan."""
        plans = [Plan.parse(written(slot='"12h"', window=window)) for window in ("732", '"366d"', '"plan"')]

        assert len({plan.id for plan in plans}) == 1
        assert plans[0].canonical() == plans[1].canonical()
        assert Plan.parse(plans[1].toml()) == plans[0]

    @pytest.mark.parametrize("window", ['"7"', '"365 days"', '"0d"', '"Plan"', '""', '"99999d"', '"1w"'])
    def test_no_window(self, written, window):
        """Other words are refused in one line that names the three forms."""
        refusal = _refusal(written(window=window))

        assert refusal.startswith(f"window is '{window[1:-1]}'; it must be a number of slots")
        assert refusal.endswith("a length from '1s' to '36600d', or 'plan'")

    @pytest.mark.parametrize("window", ["7.5", "true", "[7]"])
    def test_no_number(self, written, window):
        """A window that is no text must be a whole number."""

        assert "it must be a whole number" in _refusal(written(window=window))

    @pytest.mark.parametrize(
        "times", [{"expires": "2023-01-01"}, {"start": "1960-01-01"}, {"expires": "9999-12-31T23:00:00"}]
    )
    def test_a_plan_without_slots(self, written, times):
        """Where the dates are wrong, they are named, not the window that follows from them."""
        refusal = _refusal(written(window='"plan"', **times))

        assert refusal.startswith(f"{next(iter(times))} is ")

    def test_not_in_the_canonical_form(self, written):
        """The canonical form has the window in slots alone."""
        text = Plan.parse(written(window="7")).canonical().decode()

        assert "is JSON but not a canonical plan" in _refusal(text.replace('"window":7', '"window":"7d"'))


@pytest.mark.parametrize(
    "slot, publish, slots",
    [("1d", '"7d"', 7), ("15m", '"7d"', 672), ("1d", '"168h"', 7), ("2d", '"1d"', None), ("1d", '"36h"', None)],
)
def test_publish_as_a_time(written, slot, publish, slots):
    """A time that whole slots make up is their number; another one is refused."""
    text = written(slot=f'"{slot}"', publish=publish)
    if slots is None:
        wanted = f"write a number of slots, or a time that whole slots of {slot} make up, as in '7d'"
        assert _refusal(text) == f"publish is '{publish[1:-1]}'; {wanted}"
    else:
        assert Plan.parse(text).publish == slots


@pytest.mark.parametrize("share", ["1", '"yes"', "0", "[true]"])
def test_sharing_is_true_or_false(written, share):
    """Nothing else stands for either."""
    assert Plan.parse(written(share_results="true")).share_results is True
    assert _refusal(written(share_results=share)).endswith("; it must be true or false")


@pytest.mark.parametrize("publish", ["true", "1.5", "[7]", '"weekly"'])
def test_publish_that_is_no_number_of_slots(written, publish):
    """Whatever else stands there is refused by name."""
    assert _refusal(written(publish=publish)).startswith("publish is ")
