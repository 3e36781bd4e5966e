"""Two pasts told apart by many answers: against every answer written out, and between two ways of adding up."""

from itertools import pairwise, product
from math import prod

import numpy as np
import pytest

from hushwatt.privacy.laws import law_for
from hushwatt.privacy.long_run import two_pasts
from hushwatt.privacy.long_run.two_pasts import (
    AnswerKinds,
    best_guess,
    best_guess_from,
    enumerated_overlap,
    integrated_overlap,
)

NOTHING = ((0, 1.0),)
OWNERS = [((0, 0.7), (1, 0.3)), ((1, 1.0),), ((1, 0.25), (2, 0.75))]
CLOSE = 0.0005


def written_out(law, one, other, answers):
    """½ + ½·TV over every sequence of answers."""
    each = [[sum(part * float(law.chance(said, level)) for level, part in past) for said in law.answers()]
            for past in (one, other)]  # fmt: skip
    sequences = list(product(range(len(each[0])), repeat=answers))
    overlap = sum(min(*(prod(past[said] for said in sequence) for past in each)) for sequence in sequences)
    return 1 - overlap / 2


@pytest.mark.parametrize("oracle", ["grr", "oue", "sue"])
@pytest.mark.parametrize("owner", OWNERS)
@pytest.mark.parametrize("epsilon", [0.05, 1, 6])
def test_as_written_out(oracle, owner, epsilon):
    """Every sequence of up to three answers, of every oracle."""
    law = law_for(oracle, int(epsilon * 1e6), 1, 3)
    for answers in (1, 2, 3):
        assert best_guess(law, owner, NOTHING, answers) == pytest.approx(written_out(law, owner, NOTHING, answers))


@pytest.mark.parametrize("oracle", ["grr", "oue", "sue"])
@pytest.mark.parametrize("owner", OWNERS)
@pytest.mark.parametrize("epsilon", [0.03, 0.3, 2])
def test_integrated_as_enumerated(oracle, owner, epsilon, monkeypatch):
    """The integral is as good as the lattice of counts, for few answers and for many."""
    law, many = law_for(oracle, int(epsilon * 1e6), 1, 4), {2: 400, 3: 200, 4: 40}
    for answers in (1, 3, 5, *[many[len(owner) + 1]] * (oracle == "grr")):
        monkeypatch.setattr(two_pasts, "MOST_CELLS", 10**7)
        exact = best_guess(law, owner, NOTHING, answers)
        monkeypatch.setattr(two_pasts, "MOST_CELLS", 0)
        assert best_guess(law, owner, NOTHING, answers) == pytest.approx(exact, abs=CLOSE)


def test_a_step_too_wide_is_found(monkeypatch):
    """Planted: with nodes twelve times as far apart the integral is wrong, and is seen to be."""
    kinds = AnswerKinds(np.array([0.8, 0.2]), np.array([0.2, 0.8]))
    exact = enumerated_overlap(kinds.one, kinds.other, 9)
    assert integrated_overlap([(kinds, 9)]) == pytest.approx(exact, abs=2 * CLOSE)
    monkeypatch.setattr(two_pasts, "STEP", 12 * two_pasts.STEP)
    wide = AnswerKinds(kinds.one, kinds.other)
    assert abs(integrated_overlap([(wide, 9)]) - exact) > 2 * CLOSE


@pytest.mark.parametrize("oracle", ["grr", "oue", "sue"])
def test_more_answers_tell_more(oracle):
    """From a half to certainty, and never back."""
    law = law_for(oracle, 300_000, 1, 3)
    told = [best_guess(law, OWNERS[0], NOTHING, answers) for answers in (0, 1, 4, 30, 300, 3_000, 30_000, 10**6)]

    assert told[0] == 0.5
    assert all(later >= earlier for earlier, later in pairwise(told))
    assert 0.999 < told[-1] <= 1


@pytest.mark.parametrize("oracle", ["grr", "oue", "sue"])
def test_the_same_past_tells_nothing(oracle):
    """However many answers there are."""
    law = law_for(oracle, 1_000_000, 1, 3)
    assert [best_guess(law, NOTHING, NOTHING, answers) for answers in (1, 10, 10**6)] == pytest.approx([0.5] * 3)


@pytest.mark.parametrize("oracle", ["grr", "sue", "oue"])
def test_certain_answers(oracle):
    """A budget so large that noise vanishes in a float is told for certain, not a crash."""
    law = law_for(oracle, 90_000_000, 1, 3)
    assert best_guess(law, ((1, 1.0),), NOTHING, 90) == pytest.approx(1)


def test_answers_of_several_laws():
    """As if they were of one law where they are, and more telling than either alone."""
    weak, strong = (law_for("grr", amount, 1, 3) for amount in (200_000, 600_000))
    both = best_guess_from([(weak, 30), (weak, 50)], OWNERS[0], NOTHING)
    assert both == pytest.approx(best_guess(weak, OWNERS[0], NOTHING, 80), abs=CLOSE)
    mixed = best_guess_from([(weak, 30), (strong, 9)], OWNERS[0], NOTHING)
    assert mixed > max(best_guess(weak, OWNERS[0], NOTHING, 30), best_guess(strong, OWNERS[0], NOTHING, 9))
    assert best_guess_from([(weak, 30)], NOTHING, NOTHING) == 0.5
