"""The owner's limits on the page: checked, asked about before more can be told, and heeded by the agent."""

import re

import pytest
from tests.household.page.looking import spoken

from hushwatt.household.ledger.caps import Caps
from hushwatt.household.ledger.caps_file import CapsFile
from hushwatt.household.page.limits import LABELS, LimitChange, raising_words


@pytest.fixture
def file(folder):
    return folder / "caps.toml"


def test_every_limit_has_its_field(owner):
    """Each with a label, and as the file has it."""
    page = owner.get("limits").body
    fields = dict(re.findall(r'<(?:input|select) id="(\w+)" name="(\w+)"', page))

    assert set(fields) == set(LABELS) == set(Caps.__dataclass_fields__) - {"named"}
    for name in LABELS:
        assert page.count(f'<label for="{name}">') == 1
    assert 'name="epsilon_per_year" inputmode="decimal" value="20"' in page


def test_lowering_is_written_at_once(owner, file):
    """Like `--cap` writes it; nothing else is touched."""
    file.write_text("epsilon_per_day = 9\nsmallest_window = 2\n")
    answer = owner.post("limits", epsilon_per_day="3.5", smallest_minimum_homes="20")

    assert (answer.status, answer.headers["Location"]) == (303, "limits")
    assert file.read_text() == "epsilon_per_day = 3.5\nsmallest_window = 2\nsmallest_minimum_homes = 20\n"


def test_raising_is_asked_about_first(owner, file):
    """What it means stands on a page of its own; only a second yes writes it."""
    answer = owner.post("limits", appliance_epsilon_per_year="3", epsilon_per_day="9")
    text = spoken(answer.body)

    assert answer.status == 200
    assert not file.exists()
    assert "from 2 to 3: someone who sees all your reports of that time may be right up to 96 times in 100" in text
    assert "Nothing is changed yet" in text
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="(.*?)"', answer.body))
    assert owner.post("limits", **hidden).status == 303
    assert Caps.load(file).appliance_epsilon_per_year == 3_000_000
    assert Caps.load(file).epsilon_per_day == 9_000_000
    assert Caps.load(file).named == {"appliance_epsilon_per_year", "epsilon_per_day"}


@pytest.mark.parametrize(
    ("name", "looser"),
    [
        ("epsilon_lifetime", "101"),
        ("smallest_window", "1"),
        ("smallest_minimum_homes", "9"),
        ("latest_expiry", "2031-01-01"),
        ("follow_successors", "true"),
    ],
)
def test_whatever_lets_more_be_told_is_asked_about(owner, file, name, looser):
    """Also where a smaller number, or a yes, is the looser one."""
    file.write_text("smallest_window = 2\nlatest_expiry = 2030-01-01\n")

    assert "Let your reports tell more?" in owner.post("limits", **{name: looser}).body
    assert "Let your reports" not in owner.post("limits", latest_expiry="2029-01-01").body


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("epsilon_per_day", "much"),
        ("epsilon_per_day", "-1"),
        ("epsilon_per_day", "1e9"),
        ("epsilon_per_day", "99999999999"),
        ("epsilon_per_day", '1"\nfollow_successors = true'),
        ("epsilon_per_day", "<script>"),
        ("smallest_window", "0"),
        ("smallest_window", "1.5"),
        ("latest_expiry", "soon"),
        ("latest_expiry", "2030-02-31"),
        ("follow_successors", "perhaps"),
    ],
)
def test_what_is_no_limit_is_refused_beside_its_field(owner, file, name, value):
    """What was filled in stays filled in, the fault stands beside it, and nothing is written."""
    answer = owner.post("limits", **{name: value}, epsilon_per_year="19", sure="yes")

    assert answer.status == 422
    assert f'id="{name}-wrong"' in answer.body
    assert f'aria-describedby="{name}-wrong"' in answer.body
    assert 'value="19"' in answer.body
    assert "<script>" not in answer.body
    assert not file.exists()


def test_the_running_agent_heeds_them(owner, file):
    """What is lowered holds at the next look, what is raised at the one after."""
    file.write_text("")
    caps = CapsFile(file, lambda line: None)
    owner.post("limits", epsilon_per_day="3")
    lowered = caps.read().epsilon_per_day
    owner.post("limits", epsilon_per_day="8", sure="yes")

    assert lowered == 3_000_000
    assert [caps.read().epsilon_per_day, caps.read().epsilon_per_day] == [3_000_000, 8_000_000]


def test_nothing_changed_writes_nothing(owner, file):
    """Saving the form as it is makes no file."""
    page = owner.get("limits").body
    fields = dict(re.findall(r'<input id="\w+" name="(\w+)"[^>]* value="(.*?)"', page))

    assert owner.post("limits", **fields, follow_successors="false").status == 303
    assert not file.exists()


def test_what_they_say_to_the_plans(owner):
    """Each plan that the home takes part in, held against them."""

    assert "“Kettles”: The limits you set for this home" in owner.text("limits")


def test_raising_what_is_certain_already_is_said_so():
    """Where both are nearly certain, no number pretends otherwise."""

    assert "may be nearly certain about your home either way" in raising_words(
        LimitChange("epsilon_per_year", "20", "30", True)
    )
