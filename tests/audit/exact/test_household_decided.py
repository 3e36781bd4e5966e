"""Claim C6: decisions by kept probes, enumerated."""

from itertools import product
from math import floor

import pytest

from hushwatt.audit.exact.brute_force import KeptProbes, law_of_stream
from hushwatt.audit.exact.household_decided import EnumeratedHome, answer_table, decision_sequences, distances
from hushwatt.audit.miniature import Mechanism, Shape, small_plan
from hushwatt.audit.planted import true_vector
from hushwatt.wire.payload import Layout

CASES = [(method, oracle) for method in ("lbd", "lba") for oracle in ("oue", "sue", "grr")]


def home(method, oracle, widths=(2,), window=2):
    mechanism = Mechanism(method, "household", oracle, "range", False)
    return EnumeratedHome.of(small_plan(mechanism, Shape(widths, window, 3), 1_500_000, len(widths)))


@pytest.mark.parametrize("method, oracle", CASES)
def test_some_sequence_happens(method, oracle):
    """For every stream of levels the chances of all sequences of decisions add up to one."""
    sequences = decision_sequences(home(method, oracle, (2, 2)), 3)

    assert {sum(s.chance(stream) for s in sequences) for stream in product(range(4), repeat=3)} == {1}


@pytest.mark.parametrize("method, oracle", CASES)
def test_agrees_with_the_step_by_step_walk(method, oracle):
    """Summing hidden probes out gives the same chances as walking every probe and release."""
    subject = home(method, oracle)
    for stream in product(range(2), repeat=3):
        walked = {}
        for transcript, chance in law_of_stream(subject, KeptProbes(), stream).items():
            published = tuple(new for new, _ in transcript)
            walked[published] = walked.get(published, 0) + chance
        summed = {tuple(map(bool, s.published)): s.chance(stream) for s in decision_sequences(subject, 3)}

        assert summed == walked


@pytest.mark.parametrize("method, oracle", CASES)
def test_first_slot_publishes(method, oracle):
    """A home's first slot publishes whatever the probe says."""

    assert all(sequence.published[0] for sequence in decision_sequences(home(method, oracle), 2))


def test_amounts_follow_the_strategy():
    """LBA published, then silent once, then with two shares, has three shares drawn in all."""
    published = {sequence.published for sequence in decision_sequences(home("lba", "grr"), 3)}

    assert (375_000, 0, 750_000) in published
    assert (375_000, 375_000, 375_000) in published


@pytest.mark.parametrize("oracle", ["oue", "sue", "grr"])
@pytest.mark.parametrize("widths", [(2,), (3,), (2, 3)])
@pytest.mark.parametrize("drawn", [200_000, 2_000_000, 9_000_000])
def test_change_threshold_is_the_mean_distance_from_the_truth(oracle, widths, drawn):
    """The public change threshold is how many cells an answer differs from the truth in on average, rounded down."""
    subject = home("lba", oracle, widths)
    chances = answer_table(subject.laws(drawn))[1]
    truth = true_vector(subject, level=0)

    mean = sum(chance * cells for chance, cells in zip(chances[0], distances(subject.layout)[truth], strict=True))

    assert subject.change_threshold(subject.laws(drawn)) == floor(mean)


def test_distances_by_hand():
    """Direct answers of two appliances differ in two cells for each that differs."""

    assert distances(Layout("grr", (2, 2), 2)) == [[0, 2, 2, 4], [2, 0, 4, 2], [2, 4, 0, 2], [4, 2, 2, 0]]
    assert distances(Layout("oue", (2,), 1))[0] == [0, 1, 1, 2]
