"""Labels are plain words, few and short, whoever wrote them; the same ones are the same text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.errors import UsageError
from hushwatt.wire.labels import MAX_LABELS, NO_LABELS, Labels

WORDS = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=10).filter(
    lambda word: word[0].isalpha() and word.lower() not in {"dates", "hours", "weekdays", "household", "customers"}
)


@given(st.dictionaries(WORDS, WORDS, max_size=MAX_LABELS))
def test_the_order_changes_no_text(values):
    """Written, received and turned round they are the same labels, in the order in which they came."""
    labels, turned = Labels.of(values), Labels.of(dict(reversed(values.items())))

    assert labels.canonical() == turned.canonical()
    assert Labels.written(f"{name}={value}" for name, value in values.items()) == labels
    assert Labels.received(labels.document()) == labels
    assert list(labels.document()) == list(values)
    assert bool(labels) == (labels != NO_LABELS)


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["tariff"], "“tariff” is no label: write a name, an equals sign and a value, as tariff=A"),
        (["tariff=A", "tariff=B"], "the label “tariff” is given twice"),
        (["tariff="], "value “”: write 1 to 60 plain characters"),
        (["hours=night"], "label “hours”: begin it with a letter, and not as"),
        (["tariff=A,B"], "it must not hold = or ,"),
        (["tariff=(none)"], "(none) stands for no value; leave it out"),
        ([f"name {number}=x" for number in range(9)], "9 labels; there may be 8 at most"),
    ],
)
def test_what_cannot_be_meant_is_refused(texts, said):
    """In one line that says what to write."""
    with pytest.raises(UsageError) as refused:
        Labels.written(texts)

    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "wrong", [{"tariff": "A\x1b[2J"}, {"tariff": 3}, {"tariff": "a=b"}, ["tariff"], {"tariff": "\u202eA"}, None]
)
def test_what_cannot_be_shown_is_refused(wrong):
    """Control characters, letters that turn text around, and what is no text."""
    with pytest.raises(UsageError, match=r"label|value"):
        Labels.received(wrong)
