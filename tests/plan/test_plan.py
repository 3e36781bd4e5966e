"""A plan has one id, however it is written down."""

import hashlib
import json
import pickle
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.errors import PlanError
from hushwatt.plan.amounts import LARGEST, MICRO
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.choices import MAPPINGS, METHODS, ORACLES
from hushwatt.plan.plan import Plan
from hushwatt.plan.slot import SlotLength
from hushwatt.sanitise import sanitised

WORDS = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=30).filter(str.strip)
NAMES = st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=20)
WATTS = st.floats(0, 1e6).map(lambda watts: round(watts, 3))
RISING = st.lists(WATTS, min_size=3, max_size=6, unique=True).map(sorted)
ZONES = st.sampled_from(["UTC", "Europe/London", "America/Sao_Paulo", "Asia/Kathmandu"])


@st.composite
def appliances(draw, mapping):
    """Some appliances, with every way of giving levels."""

    def one(name):
        watts = draw(RISING)
        edges = draw(st.sampled_from([watts[1:], None]))
        values = watts if edges is None or draw(st.booleans()) or mapping == "dither" else None
        typical = draw(st.sampled_from([(None, None), (1.5, None), (None, 20.0), (3.0, 40.0)]))
        return Appliance.of(name, edges, values, mapping, *typical)

    return tuple(one(name) for name in draw(st.lists(NAMES, min_size=1, max_size=4, unique=True)))


@st.composite
def plans(draw):
    """Any plan."""
    method, mapping = draw(st.sampled_from(list(METHODS))), draw(st.sampled_from(list(MAPPINGS)))
    listed = draw(appliances(mapping))
    decision = METHODS[method].decided_by
    fewest = len(listed) if decision == "household" else 1
    zone = draw(ZONES)
    start = draw(st.datetimes(datetime(1999, 1, 1), datetime(2030, 1, 1), timezones=st.just(ZoneInfo(zone))))
    return Plan(
        name=draw(NAMES),
        description=draw(WORDS),
        contact=draw(WORDS),
        start=draw(st.sampled_from([start, start.replace(hour=0, minute=0, second=0, microsecond=0)])).astimezone(UTC),
        expires=datetime(2031, 5, 6, tzinfo=UTC),
        timezone=zone,
        slot=SlotLength(draw(st.integers(1, 48)), draw(st.sampled_from("smhd"))),
        epsilon=draw(st.integers(100, LARGEST * MICRO)),
        window=draw(st.integers(1, 50)),
        method=method,
        decision=decision,
        oracle=draw(st.sampled_from(list(ORACLES))),
        appliances=listed,
        appliances_per_report=draw(st.integers(fewest, len(listed))),
        mapping=mapping,
        minimum_homes=draw(st.integers(1, 10**6)),
        appliance_epsilon=draw(st.none() | st.integers(1, LARGEST * MICRO)),
    )


@given(plans())
def test_toml_and_canonical_form_read_back(plan):
    """Both forms read back as the same plan with the same id."""

    assert Plan.parse(plan.toml()) == plan
    assert Plan.parse(plan.canonical()) == plan
    assert Plan.parse(plan.toml()).id == Plan.parse(plan.canonical()).id == plan.id


@given(plans())
def test_canonical_form(plan):
    """The canonical form is sorted JSON without spaces, of strings and integers alone; the id is its hash."""
    canonical = plan.canonical()
    table = json.loads(canonical, parse_float=lambda text: pytest.fail(f"{text} is not exact"))

    assert json.dumps(table, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() == canonical
    assert plan.id == hashlib.sha256(canonical).hexdigest()
    assert table["version"] == 1
    assert table["epsilon"] == plan.epsilon


@given(plans(), st.data())
def test_any_change_is_another_plan(plan, data):
    """A changed parameter gives another id."""
    changes = {
        "name": plan.name + "x",
        "description": plan.description + "x",
        "contact": plan.contact + "x",
        "expires": datetime(2032, 1, 1, tzinfo=UTC),
        "epsilon": plan.epsilon - 1,
        "window": plan.window + 1,
        "minimum_homes": plan.minimum_homes + 1,
        "appliance_epsilon": 3,
        "oracle": "grr" if plan.oracle != "grr" else "oue",
        "slot": replace(plan.slot, count=plan.slot.count + 1),
        "appliances": (replace(plan.appliances[0], name="another name"), *plan.appliances[1:]),
    }
    key = data.draw(st.sampled_from(sorted(changes)))
    changed = replace(plan, **{key: changes[key]})

    assert (changed.id == plan.id) == (getattr(plan, key) == changes[key])


def test_the_id_never_changes(written):
    """This id is written down, so that no new version can quietly disown the plans of an old one."""

    assert Plan.parse(written()).canonical().decode() == (
        '{"appliance":[{"edges":["10","40"],"name":"kettle","values":["5","25","55"]},'
        '{"edges":["20","50"],"name":"fridge","values":["10","35","65"]}],"appliances_per_report":2,'
        '"contact":"kettles@example.org","description":"How many kettles boil, and when.","epsilon":1000000,'
        '"expires":"2025-01-01T00:00:00Z","mapping":"range","method":"lpu","minimum_homes":100,'
        '"name":"Kettles of Leeds","oracle":"oue","slot":"1d","start":"2024-01-01T00:00:00Z",'
        '"timezone":"UTC","version":1,"window":3}'
    )
    assert Plan.parse(written()).id == "cd980dfeb22cf5efbfc738b80ea46fd519ee75a5159de81465d03c4a6f64c953"


@pytest.mark.parametrize(
    "changes",
    [
        {"oracle": '"oue"'},
        {"mapping": '"range"'},
        {"appliances_per_report": "2"},
        {"minimum_homes": "100"},
        {"timezone": '"UTC"'},
        {"version": "1"},
        {"epsilon": "1.0"},
        {"epsilon": '"1"'},
        {"epsilon": "1.0000009"},
        {"slot": '"01d"'},
        {"start": '"2024-01-01"'},
        {"start": "2024-01-01T00:00:00"},
        {"start": "2024-01-01T00:00:00Z"},
        {"start": "2024-01-01T01:00:00+01:00"},
    ],
    ids=str,
)
def test_what_means_the_same_is_the_same_plan(written, changes):
    """An explicit default, another spelling of a number or of an instant: all the same id."""

    assert Plan.parse(written(**changes)).id == Plan.parse(written()).id


def test_layout_does_not_matter(written):
    """Comments, the order of keys and 250.0 for 250 leave the id alone; the order of appliances does not."""
    first = '[[appliance]]\nname = "a"\nedges = [250, 500]\n'
    other = '[[appliance]]\nname = "b"\nedges = [1]\n'
    spelt = '[[appliance]] # one\nedges = [250.0, 5e2]\nvalues = [125, 375, 625]\nname = "a"\n'
    top, _, rest = written(spelt, other).partition("[[")
    turned = "\n".join(reversed(top.splitlines()))

    assert Plan.parse(f"# hello\n{turned}\n[[{rest}").id == Plan.parse(written(first, other)).id
    assert Plan.parse(written(other, first)).id != Plan.parse(written(first, other)).id


def test_load(written, tmp_path):
    """A file is read as TOML or as canonical JSON, with the same id."""
    toml, canonical = tmp_path / "plan.toml", tmp_path / "plan.json"
    toml.write_text(written(), encoding="utf-8")
    canonical.write_bytes(Plan.load(toml).canonical() + b"\n")

    assert Plan.load(canonical) == Plan.load(str(toml)) == Plan.parse(written())


@pytest.mark.parametrize(
    "content, message",
    [
        (b"window = ", "line 1, column 10: Invalid value"),
        (b"\xff", "is not UTF-8 text: byte 0 cannot be read"),
        (b"", "'name' is missing"),
        (b'{"name": "x"}', "'description' is missing"),
    ],
)
def test_errors_name_the_file(tmp_path, content, message):
    """Whatever is wrong, the line begins with the file."""
    path = tmp_path / "plan.toml"
    path.write_bytes(content)
    with pytest.raises(PlanError) as refusal:
        Plan.load(path)

    assert str(refusal.value) == f"{path}: {message}"


def test_files_that_cannot_be_read(tmp_path):
    """A missing file, a folder and no file name at all are told in one line."""
    for path, reason in [
        (tmp_path / "none.toml", "no such file or directory"),
        (tmp_path, "is a directory"),
        ("a\0b", "not the name of a file"),
    ]:
        with pytest.raises(PlanError) as refusal:
            Plan.load(path)
        assert str(refusal.value) == sanitised(f"{path}: {reason}")


@pytest.mark.parametrize(
    "change",
    [
        {"version": None},
        {"minimum_homes": None},
        {"start": "2024-01-01"},
        {"slot": "01d"},
        {"epsilon": "1"},
        {"appliance": [{"name": "kettle", "edges": ["10"]}]},
        {"appliance": [{"name": "kettle", "edges": [10], "values": ["5", "15"]}]},
        {"appliance": [{"name": "kettle", "edges": ["10.0"], "values": ["5", "15"]}]},
    ],
    ids=str,
)
def test_json_must_be_canonical(written, change):
    """JSON that leaves something out, or spells it otherwise, is refused: its amounts could be misread."""
    table = json.loads(Plan.parse(written()).canonical()) | change
    text = json.dumps({key: value for key, value in table.items() if value is not None})
    with pytest.raises(PlanError, match=r"is JSON but not a canonical plan|it must be|is not an amount"):
        Plan.parse(text)


def test_json_may_be_laid_out(written):
    """Spaces and the order of keys do not matter, as programs pass JSON through their own writers."""
    plan = Plan.parse(written())
    laid_out = json.dumps(dict(reversed(json.loads(plan.canonical()).items())), indent=2)

    assert Plan.parse(laid_out) == plan


def test_plans_travel(written):
    """A plan can be pickled, hashed and compared, also after its calendar was used."""
    plan = Plan.parse(written())
    plan.calendar.slot_of([1_704_100_000 * 10**9])

    assert pickle.loads(pickle.dumps(plan)) == plan
    assert len({plan, Plan.parse(written())}) == 1


def test_a_file_that_is_no_plan_for_its_size(tmp_path):
    """A file without end is not read to its end."""
    path = tmp_path / "plan.toml"
    path.write_bytes(b"#" * 1_000_001)

    with pytest.raises(PlanError, match="has more than 1,000,000 bytes"):
        Plan.load(path)
