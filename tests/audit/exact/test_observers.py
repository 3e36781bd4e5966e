"""What the two observers see."""

from itertools import product

import pytest

from hushwatt.audit.exact.brute_force import KeptProbes, law_of_stream, vectors_only
from hushwatt.audit.exact.observers import OBSERVERS, Observed, Transcript, fits
from hushwatt.audit.miniature import Mechanism, Shape, small_plan

SLOTS = 3


def observed(oracle="grr", mapping="range", method="lba"):
    mechanism = Mechanism(method, "household", oracle, mapping, False)
    return Observed.of(small_plan(mechanism, Shape((2,), 2, SLOTS), 1_000_000, 1), SLOTS)


@pytest.mark.parametrize("observer", OBSERVERS)
@pytest.mark.parametrize("oracle", ["oue", "grr"])
def test_something_is_seen(observer, oracle):
    """For every stream of levels the chances of all transcripts add up to one."""
    seen = observed(oracle)

    total = sum(
        table.sum(axis=tuple(range(SLOTS - 1)))
        for first in range(seen.vectors)
        for _, table in OBSERVERS[observer](seen, first)
    )

    assert total == pytest.approx(1)


@pytest.mark.parametrize("method", ["lbd", "lba"])
def test_exact_chances_by_another_road(method):
    """The chance of a transcript is that of the step-by-step walk, for both observers."""
    seen = observed("grr", method=method)
    law = law_of_stream(seen.home, KeptProbes(), (0, 1, 1))

    for transcript, chance in vectors_only(law).items():
        assert seen.chance(Transcript(transcript, None), (0, 1, 1)) == chance
    for transcript, chance in law.items():
        vectors = tuple(vector for _, vector in transcript)
        told = [s.published for s in seen.sequences if [d > 0 for d in s.published] == [n for n, _ in transcript]]
        assert seen.chance(Transcript(vectors, told[0]), (0, 1, 1)) == chance


def test_dithered_chance_is_a_mixture():
    """A reading between two levels leads to a transcript with the mixture of their chances."""
    seen, third = observed(mapping="dither"), 2
    transcript = Transcript((0, 0, 1), None)

    mixed = sum(seen.chance(transcript, (0, level, 0)) * weight for level, weight in enumerate(seen.inputs[third][0]))

    assert seen.chance(transcript, (0, third, 0)) == mixed


@pytest.mark.parametrize("sent", list(product((0, 1), repeat=3)))
def test_repeat_is_the_same_vector(sent):
    """Decisions fit what was seen only when every repeat shows the vector before it."""

    assert fits((5, 0, 5), Transcript(sent, None)) == (sent[0] == sent[1])
    assert fits((5, 0, 5), Transcript(sent, (5, 0, 5)))
    assert not fits((5, 0, 5), Transcript(sent, (5, 5, 5)))
