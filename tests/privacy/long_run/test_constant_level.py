"""A level that never changes, named from many answers: against every count written out."""

from itertools import pairwise, product
from math import comb, factorial, prod

import pytest

from hushwatt.privacy.laws import law_for
from hushwatt.privacy.long_run import constant_level
from hushwatt.privacy.long_run.constant_level import best_name, named_by_alike_counts, named_directly

CLOSE = 0.002


def written_out(law, levels, answers):
    """The chance that the true level has the most answers, shared where others have as many."""
    hold, rise, told = float(law.hold), float(law.rise), 0.0
    for counts in product(range(answers + 1), repeat=law.levels):
        most = max(counts[:levels])
        if counts[0] < most or (law.direct and sum(counts) != answers):
            continue
        if law.direct:
            ways = factorial(answers) // prod(map(factorial, counts))
            chance = ways * hold ** counts[0] * rise ** (answers - counts[0])
        else:
            ones = [hold, *[rise] * (law.levels - 1)]
            chance = prod(
                comb(answers, n) * one**n * (1 - one) ** (answers - n) for n, one in zip(counts, ones, strict=True)
            )
        told += chance / counts[:levels].count(most)
    return told


@pytest.mark.parametrize("oracle", ["grr", "oue", "sue"])
@pytest.mark.parametrize(("levels", "width"), [(2, 2), (3, 3), (2, 3), (3, 4)])
@pytest.mark.parametrize("epsilon", [0.1, 1, 8])
def test_as_written_out(oracle, levels, width, epsilon):
    """Every count of a few answers, with an answer that is no level and without."""
    law = law_for(oracle, int(epsilon * 1e6), 1, width)
    for answers in (1, 2, 5):
        assert best_name(law, levels, answers) == pytest.approx(written_out(law, levels, answers))


@pytest.mark.parametrize("levels", [2, 3, 10, 40])
@pytest.mark.parametrize("epsilon", [0.03, 0.1, 0.3, 1])
def test_alike_counts_are_close(levels, epsilon):
    """Where the transform ends, counts with alike differences go on."""
    law = law_for("grr", int(epsilon * 1e6), 1, levels)
    for answers in (constant_level.MOST_ANSWERS, 2 * constant_level.MOST_ANSWERS):
        exact = named_directly(float(law.hold), float(law.rise), levels, answers)
        assert named_by_alike_counts(float(law.hold), float(law.rise), levels, answers) == pytest.approx(
            exact, abs=CLOSE
        )


def test_a_wrong_variance_is_found():
    """Planted: Poisson counts for the true level too, as if the sum were not known, are told from the real ones."""
    law = law_for("grr", 1_000_000, 1, 2)
    exact = named_directly(float(law.hold), float(law.rise), 2, 9)
    counts = constant_level._window(9 * float(law.rise), 9 * float(law.hold), 10**6)
    true, other = (constant_level._poisson(9 * float(chance), counts) for chance in (law.hold, law.rise))
    assert abs(constant_level._summed(true, other, 2) - exact) > CLOSE


@pytest.mark.parametrize("oracle", ["grr", "oue", "sue"])
def test_more_answers_tell_more(oracle):
    """From guessing to certainty; a year of quarter hours is no trouble."""
    law = law_for(oracle, 100_000, 1, 6)
    told = [best_name(law, 5, answers) for answers in (0, 1, 10, 100, 1_000, 20_000, 175_200)]

    assert told[0] == 1 / 5
    assert all(later > earlier - 1e-12 for earlier, later in pairwise(told))
    assert told[-1] == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("oracle", ["grr", "sue", "oue"])
def test_certain_answers(oracle):
    """A budget so large that noise vanishes in a float is named for certain, not a crash."""
    law = law_for(oracle, 90_000_000, 1, 3)
    assert [best_name(law, 3, answers) for answers in (60, 500)] == pytest.approx([1, 1])


@pytest.mark.parametrize("levels", [2, 4, 50])
@pytest.mark.parametrize("amount", [1, 40, 3_000])
def test_next_to_no_budget(levels, amount):
    """Millionths of ε, and a million answers: close to guessing, never below it, not a crash."""
    law = law_for("grr", amount, 1, levels)
    hold, rise = float(law.hold), float(law.rise)
    told = [best_name(law, levels, answers) for answers in (301, 10**5, 10**6)]

    assert all(later > earlier - 1e-9 for earlier, later in pairwise([1 / levels, *told]))
    assert told[-1] < 1 / levels + (hold - rise) * 10**3
    assert named_by_alike_counts(rise, rise, levels, 10**6) == pytest.approx(1 / levels)


def test_the_limit_of_many_trials(monkeypatch):
    """Where the true level's count is taken for a Poisson one, the binomial one says the same."""
    law = law_for("grr", 30_000, 1, 5)
    binomial = named_by_alike_counts(float(law.hold), float(law.rise), 5, 10**5)
    monkeypatch.setattr(constant_level, "MOST_TRIALS", 1)

    assert named_by_alike_counts(float(law.hold), float(law.rise), 5, 10**5) == pytest.approx(binomial, abs=CLOSE)
