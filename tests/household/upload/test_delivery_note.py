"""The note on deliveries: since when, in which words, and gone when all is well again."""

import pytest
from tests.household.living import fresh_store, join

from hushwatt.household.upload.delivery_note import (
    IMPOSTOR,
    MAX_WORDS,
    REFUSED,
    UNREACHABLE,
    DeliveryNote,
    note_answers,
    note_failure,
    read_note,
)
from hushwatt.household.upload.http import Unreachable
from hushwatt.household.upload.provider_client import ProviderRefused, WrongProvider


@pytest.fixture
def store(plan_of):
    with fresh_store() as opened:
        join(opened, plan_of(3))
        yield opened


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [(Unreachable("gone"), UNREACHABLE), (WrongProvider("other"), IMPOSTOR), (ProviderRefused("no"), REFUSED)],
)
def test_each_kind(store, wrong, kind):
    """What went wrong is told apart, and kept with the time at which it began."""
    note_failure(store, 1, wrong, 7)
    note_failure(store, 1, wrong, 8)

    assert read_note(store, 1) == DeliveryNote(kind, 7, str(wrong))
    assert read_note(store, 2) is None


def test_the_same_trouble_is_written_once(store):
    """A provider that is away for long costs no writes."""
    note_failure(store, 1, Unreachable("gone"), 7)
    before = store.disk.total_changes()
    for now in range(8, 20):
        note_failure(store, 1, Unreachable("gone"), now)

    assert store.disk.total_changes() == before


def test_other_words_do_not_begin_it_anew(store):
    """Out of reach for another reason is still out of reach since then; another kind begins now."""
    note_failure(store, 1, Unreachable("gone"), 7)
    note_failure(store, 1, Unreachable("too slow"), 8)
    assert read_note(store, 1) == DeliveryNote(UNREACHABLE, 7, "too slow")
    note_answers(store, 1, ["too_early", "too_late"], 9)
    assert read_note(store, 1) == DeliveryNote(REFUSED, 9, "too_early, too_late")


def test_an_acceptance_ends_it(store):
    """And where there is nothing to end, nothing is written."""
    note_failure(store, 1, Unreachable("gone"), 7)
    note_answers(store, 1, [], 8)
    assert read_note(store, 1) is None
    before = store.disk.total_changes()
    note_answers(store, 1, [], 9)
    assert store.disk.total_changes() == before


def test_words_of_strangers_are_short_and_one_line(store):
    """A provider's words are kept as they may be shown."""
    note_failure(store, 1, ProviderRefused("no\n" + "x" * 5_000), 7)

    words = read_note(store, 1).words
    assert len(words) <= MAX_WORDS
    assert "\n" not in words
