"""Any rule, step by step; and the paper's printed rule convicted."""

from dataclasses import dataclass
from fractions import Fraction

import pytest

from hushwatt.audit.exact.brute_force import (
    KeptProbes,
    Memory,
    law_of_stream,
    vectors_only,
    within_a_window,
    worst_ratio,
)
from hushwatt.audit.exact.household_decided import EnumeratedHome
from hushwatt.audit.miniature import Mechanism, Shape, small_plan
from hushwatt.audit.planted import AgainstRelease, PeekingError, true_vector
from hushwatt.privacy.laws import BitLaw


def home(oracle="sue"):
    mechanism = Mechanism("lba", "household", oracle, "range", False)
    return EnumeratedHome.of(small_plan(mechanism, Shape((2,), 1, 2), 1_000_000, 1))


@pytest.mark.parametrize("rule", [KeptProbes(), AgainstRelease(), PeekingError()])
@pytest.mark.parametrize("oracle", ["oue", "grr"])
def test_something_happens(rule, oracle):
    """Under any rule the chances of all transcripts add up to one, with decisions seen or not."""
    law = law_of_stream(home(oracle), rule, (0, 1, 1))

    assert sum(law.values()) == 1
    assert sum(vectors_only(law).values()) == 1
    assert len(vectors_only(law)) < len(law)


@dataclass(frozen=True)
class FourFifths(EnumeratedHome):
    """A home whose bits are told truly four times out of five."""

    def laws(self, drawn):
        return (BitLaw(Fraction(4, 5), Fraction(1, 5), levels=2),)


class TestPeeking:
    """The paper's `err` compares the candidate with the true bits."""

    def test_never_against_sometimes(self):
        """The complement of the truth is never published, but 144 times in 625 by another home."""
        shipped = home()
        subject = FourFifths(shipped.layout, shipped.first)
        complement = true_vector(subject, level=1)
        memory = Memory(subject.first, release=complement, probe=complement)

        chances = [
            sum(o.chance for o in PeekingError().outcomes(subject, memory, level) if o.release == complement)
            for level in (0, 1)
        ]

        assert chances == [0, Fraction(144, 625)]

    def test_is_not_private_for_any_epsilon(self):
        """Its likelihood ratio is infinite."""

        assert worst_ratio(home(), PeekingError(), window=1, slots=2) is None

    def test_the_shipped_rule_is(self):
        """The shipped rule's is finite at the same shape."""

        assert worst_ratio(home(), KeptProbes(), window=1, slots=2) < 2


@pytest.mark.parametrize(
    "other, window, answer",
    [
        ((0, 0, 0), 1, True),
        ((0, 1, 0), 1, True),
        ((1, 1, 0), 1, False),
        ((1, 0, 1), 2, False),
        ((1, 0, 1), 3, True),
    ],
)
def test_within_a_window(other, window, answer):
    """Two streams are compared when all their differences lie in one window."""

    assert within_a_window((0, 0, 0), other, window) is answer
