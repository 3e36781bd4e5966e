"""No file, however strange, gets more than one clear line out of hushwatt."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hushwatt.errors import PlanError
from hushwatt.plan.plan import Plan
from hushwatt.plan.reader import APPLIANCE_KEYS, KEYS

STRANGE = [
    *("0", "-1", "1", "1.5", "-0.0", "1e400", "nan", "inf", "-inf", "true", "0x" + "F" * 5000, "9" * 4000),
    *('""', '"x"', '"\\u0000"', '"\\u202e"', '"1e9"', '"NaN"', '"9999-12-31T23:59:59-12:00"', '"0001-01-01"'),
    *(
        "1969-12-31",
        "9999-12-31",
        "0001-01-01T00:00:00+23:59",
        "12:00:00",
        "2262-01-01",
        "2024-12-31T23:59:60",
    ),
    *(
        "[]",
        "[[]]",
        "{}",
        "[{}]",
        "[1, 2, 2]",
        "[1e-400, 1]",
        '["1"]',
        "[0, 1e308, 1.7e308]",
        "[nan, 1]",
        "[true]",
    ),
    *('"99999999999s"', '"36600d"', '"1s"', '"Europe"', '"UTC\\n"', '"lpa"', '"household"', '"dither"'),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["1", "1e999"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(APPLIANCE_KEYS), inner, max_size=3),
    max_leaves=6,
)


def _plan_or_one_line(text):
    plan, line = _answer(text)
    if plan is None:
        assert line.startswith("plan.toml: ")
        assert len(line.splitlines()) == 1
        assert len(line) < 600
    else:
        assert Plan.parse(plan.toml()).id == Plan.parse(plan.canonical()).id == plan.id


def _answer(text):
    try:
        return Plan.parse(text, source="plan.toml"), ""
    except PlanError as refusal:
        return None, str(refusal)


@settings(max_examples=400)
@given(st.dictionaries(st.sampled_from(KEYS), st.sampled_from(STRANGE), min_size=1, max_size=3))
def test_strange_values(written, changes):
    """Whatever the keys say, the answer is a plan that can be written down, or one line."""
    _plan_or_one_line(written("" if "appliance" in changes else "[[appliance]]\nname='a'\nedges=[1]\n", **changes))


@settings(max_examples=300)
@given(
    st.dictionaries(st.sampled_from(APPLIANCE_KEYS), st.sampled_from(STRANGE)),
    st.sampled_from(["range", "dither"]),
)
def test_strange_appliances(written, table, mapping):
    """The same for whatever an appliance says."""
    lines = "".join(f"{key} = {value}\n" for key, value in table.items())
    _plan_or_one_line(written(f"[[appliance]]\n{lines}", mapping=f'"{mapping}"'))


@settings(max_examples=300)
@given(st.dictionaries(st.sampled_from(KEYS), JSON, min_size=1, max_size=2))
def test_strange_json(written, changes):
    """The same for JSON that is almost a canonical plan."""
    table = json.loads(Plan.parse(written()).canonical()) | changes
    _plan_or_one_line(json.dumps(table))


@given(st.binary(max_size=40) | st.text(max_size=40))
@example("{}")
@example("{")
@example("[")
@example("\ud800")
@example("{" + '"a":[' * 20_000)
def test_anything(text):
    """The same for no plan at all."""
    _plan_or_one_line(text)


@pytest.mark.parametrize("cut", range(0, 100, 7))
def test_torn_files(written, cut):
    """A canonical plan that was cut off is refused, wherever the cut."""
    canonical = Plan.parse(written()).canonical()
    with pytest.raises(PlanError):
        Plan.parse(canonical[: len(canonical) * cut // 100])
