"""The attacker is as strong as he can be, and no stronger."""

from math import log

import numpy as np
import pytest
from scipy.stats import binomtest

from hushwatt.audit.attacks.attack import StreamAttacker, attack, bound
from hushwatt.audit.miniature import Mechanism, Shape, small_plan
from hushwatt.household.report.report import SlotReports
from hushwatt.privacy.laws import law_for


def attacker(oracle="grr", asked=2, widths=(2, 3), suspects=(0, 1)):
    mechanism = Mechanism("lbu", None, oracle, "range", asked < len(widths))
    plan = small_plan(mechanism, Shape(widths, 1, 1), 1_000_000, asked)
    return StreamAttacker.of(plan, list(suspects), homes=4)


def sent(payloads, homes, drawn=1_000_000, spent=1_000_000):
    rows = np.array(payloads, dtype=np.uint8).reshape(len(homes), -1)
    amounts = np.full(len(homes), drawn)
    return SlotReports(0, 0, np.array(homes), np.full(len(homes), spent), amounts, rows)


def test_scores_by_hand():
    """Two direct answers at level 0 speak for one life, at level 1 for the other, at 2 for neither."""
    subject = attacker()
    ratio = log(law_for("grr", 1_000_000, 2, 2).hold / law_for("grr", 1_000_000, 2, 2).rise)

    subject.see(sent([0b000, 0b011, 0b101], homes=[0, 1, 3]), differs=True)

    wide = log(law_for("grr", 1_000_000, 2, 3).hold / law_for("grr", 1_000_000, 2, 3).rise)
    assert subject.scores == pytest.approx([ratio + wide, -ratio - wide, 0, -ratio])


@pytest.mark.parametrize("tells", ["one", "other"])
def test_he_looks_from_both_sides(tells):
    """What only the one life does shows as much as what only the other does."""
    subject = attacker()
    subject.scores = np.zeros(4_000)
    subject.patterns = np.ones(4_000, dtype=np.int64)
    if tells == "one":
        subject.scores[:1_000] = 1.0
    else:
        subject.scores[2_000:3_000] = -1.0

    assert subject.shown(0.01) > 4


def test_only_suspects_count():
    """An appliance that is known not to differ adds nothing, nor does a slot in which nothing may."""
    subject = attacker(suspects=(1,))

    subject.see(sent([0b001], homes=[0]), differs=True)
    subject.see(sent([0b000], homes=[1]), differs=False)

    assert subject.scores[0] > 0
    assert subject.scores[1] == 0


def test_partial_reports_are_read():
    """A report about some appliances is read with their numbers."""
    subject = attacker(oracle="oue", asked=1, suspects=(1,))

    subject.see(sent([0b0010, 0b0011, 0b0101], homes=[0, 1, 2]), differs=True)

    assert subject.scores[0] == 0
    assert subject.scores[1] == pytest.approx(log(law_for("oue", 1_000_000, 1, 3).likelihood_ratio))
    assert subject.scores[2] == -subject.scores[1]


def test_repeats_say_nothing_new():
    """A payload that was not paid for in this slot is the old one, but that it was sent is seen."""
    subject = attacker()

    subject.see(sent([0, 0], homes=[0, 1], spent=0), differs=True)

    assert subject.scores.tolist() == [0, 0, 0, 0]
    assert subject.patterns.tolist() == [4, 4, 3, 3]


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_shows_most_and_never_more(epsilon):
    """Of randomised response the attack shows nearly ε and never more, in fifty tries."""
    generator, homes, chance = np.random.default_rng(3), 20_000, np.exp(epsilon) / (1 + np.exp(epsilon))

    shown = []
    for _ in range(50):
        one, other = (generator.random((2, homes)) < p for p in (chance, 1 - chance))
        shown.append(attack(one[0] * 1.0, other[0] * 1.0, one[1] * 1.0, other[1] * 1.0, 0.01))

    assert max(shown) <= epsilon
    assert np.mean(shown) > 0.85 * epsilon


def test_bound_is_clopper_pearson():
    """Bounds are where a count as extreme has half the doubt's chance."""
    one, other = np.array([1.0] * 30 + [0.0] * 70), np.array([1.0] * 10 + [0.0] * 90)

    shown = bound(one, other, threshold=0.5, doubt=0.1)

    low = binomtest(30, 100).proportion_ci(0.9, method="exact").low
    high = binomtest(10, 100).proportion_ci(0.9, method="exact").high
    assert shown == pytest.approx(log(low / high))


def test_nothing_seen_shows_nothing():
    """An event that never happened in the one life proves nothing."""

    assert bound(np.zeros(10), np.ones(10), threshold=0.5, doubt=0.1) == -np.inf
