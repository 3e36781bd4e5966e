"""Claim C2: no window ever spends more than was promised for it, and each strategy keeps its rules."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hushwatt.plan.choices import METHODS
from hushwatt.privacy.strategies import STRATEGIES, Absorb, Distribute, Sample, Uniform

EPSILON = 1_200_000

windows = st.integers(1, 12)
wishes = st.lists(st.booleans(), max_size=80)


def walk(strategy, wished):
    """Each slot's probe, offer, and whether it published."""
    for wish in wished:
        published = wish and strategy.offer() > 0
        yield strategy.probe, strategy.offer(), published
        strategy = strategy.after(published)


def spends(strategy, wished):
    return [probe + offer * published for probe, offer, published in walk(strategy, wished)]


def offers(strategy, wished):
    return [offer for _, offer, _ in walk(strategy, wished)]


class TestAll:
    """What must hold for every strategy merely because it exists."""

    @pytest.mark.parametrize("name", STRATEGIES)
    @given(epsilon=st.integers(24, 10**9) | st.just(EPSILON), window=windows, wished=wishes)
    def test_no_window_overspends(self, name, epsilon, window, wished):
        """Whatever is wished, any w slots in a row cost at most ε."""
        spent = spends(STRATEGIES[name].start(epsilon, window), wished)

        assert all(sum(spent[start : start + window]) <= epsilon for start in range(len(spent)))

    @pytest.mark.parametrize("name", STRATEGIES)
    @given(window=windows, wished=wishes)
    def test_amounts_are_whole_and_never_negative(self, name, window, wished):
        """Every amount is a whole number of millionths, 0 or more."""
        amounts = [
            a for probe, offer, _ in walk(STRATEGIES[name].start(EPSILON, window), wished) for a in (probe, offer)
        ]

        assert all(type(amount) is int and amount >= 0 for amount in amounts)

    @pytest.mark.parametrize("name", STRATEGIES)
    @given(window=windows, more=st.integers(0, 10**7))
    def test_the_first_slot_has_an_offer(self, name, window, more):
        """From two parts for each slot of a window on, a home can publish in its first slot."""
        least = max(4, 2 * window)

        assert STRATEGIES[name].start(least + more, window).offer() > 0

    @pytest.mark.parametrize("name", STRATEGIES)
    def test_equal_pasts_are_equal(self, name):
        """Two homes with the same past are in the same state, so that a fleet can share it."""
        one, other = (STRATEGIES[name].start(EPSILON, 3).after(True).after(False) for _ in range(2))

        assert one == other
        assert hash(one) == hash(other)

    @pytest.mark.parametrize("name", STRATEGIES)
    @given(window=windows, begin=st.integers(0, 40))
    def test_homes_that_begin_later_are_in_step(self, name, window, begin):
        """By the clock, a home that begins in slot s is where one that began in slot 0 has come."""
        strategy = STRATEGIES[name].start(EPSILON, window)
        if METHODS[name].decided_by is None:
            late = strategy.turn(-begin)
            for _ in range(begin):
                strategy = strategy.after(strategy.offer() > 0)

            assert late == strategy

    @pytest.mark.parametrize("name", STRATEGIES)
    @given(window=windows, slots=st.integers(1, 40))
    def test_draws_are_a_stride_apart(self, name, window, slots):
        """By the clock, all draws cost the same, and come in the slots that the method's rules say."""
        kind = STRATEGIES[name]
        if METHODS[name].decided_by is None:
            made = offers(kind.start(EPSILON, window), [True] * slots)
            drawn = [slot for slot, offer in enumerate(made) if offer]

            assert drawn == list(range(0, slots, kind.stride(window)))
            assert set(made) <= {0, kind.start(EPSILON, window).largest}
            assert kind.stride(window) == METHODS[name].step(window) or kind.population

    @pytest.mark.parametrize("name", STRATEGIES)
    @given(window=windows, wished=wishes)
    def test_honest_amounts_fit(self, name, window, wished):
        """What a home that walks the strategy pays in a slot fits; other amounts do not."""
        kind = STRATEGIES[name]
        start, stands = kind.start(EPSILON, window), 0
        wished = [wish or METHODS[name].decided_by is None for wish in wished]  # the clock takes every draw
        for slot, (probe, offer, published) in enumerate(walk(start, wished)):
            stands = offer if published else stands
            if stands and (published or kind.repeats) and not (kind.population and probe):
                spent = probe + offer * published

                assert fits(start, slot, spent, stands)
                assert not fits(start, slot, spent + 1, stands)
                assert not fits(start, slot, spent, EPSILON + 1)

    def test_every_method_of_a_plan_has_a_strategy(self):
        """What a plan may name can be run, and who may decide is known by name."""

        assert set(STRATEGIES) == set(METHODS)
        assert all(METHODS[name].decided_by for name, kind in STRATEGIES.items() if kind.start(60, 2).probe)


def fits(start, slot, spent, drawn):
    return bool(start.amounts_fit(*(np.array([number]) for number in (slot, spent, drawn)))[0])


class TestUniform:
    """LBU: ε/w every slot."""

    @given(epsilon=st.integers(12, 10**9), window=windows, wished=wishes)
    def test_every_slot_offers_the_same(self, epsilon, window, wished):
        """Each slot offers ε/w, rounded down, and nothing is paid for looking."""
        assert set(walk(Uniform.start(epsilon, window), wished)) <= {
            (0, epsilon // window, False),
            (0, epsilon // window, True),
        }


class TestSample:
    """LSP and LPU: the whole of ε in every w-th slot, at a phase that never moves."""

    @given(window=windows, phase=st.integers(-30, 30), wished=wishes)
    def test_the_phase_never_moves(self, window, phase, wished):
        """The turn comes every w slots, published or not."""
        offered = offers(Sample.start(EPSILON, window).turn(phase), wished)

        assert offered == [EPSILON * ((slot - phase) % window == 0) for slot in range(len(wished))]


class TestDistribute:
    """LBD: half of what the last w − 1 slots left of ε/2, and nothing below ε/4w."""

    def test_publishing_in_every_slot(self):
        """Offers halve until they fall below ε/4w = 100000, and come back as old slots leave the window."""
        offered = offers(Distribute.start(EPSILON, 3), [True] * 8)

        assert offered == [300_000, 150_000, 0, 225_000, 187_500, 0, 206_250, 196_875]

    def test_publishing_now_and_then(self):
        """A silent slot spends nothing, and its offer stays as long as the past in the window does."""
        offered = offers(Distribute.start(EPSILON, 4), [False, True, False, False, True, True])

        assert offered == [300_000, 300_000, 150_000, 150_000, 150_000, 225_000]

    @given(epsilon=st.integers(24, 10**9), window=windows, wished=wishes)
    @example(epsilon=1_000_001, window=1, wished=[True, True])
    def test_is_half_of_what_is_left(self, epsilon, window, wished):
        """The offer is (ε/2 − Σ last w − 1 publications)/2 rounded down, or 0 where that is below ε/4w."""
        steps = list(walk(Distribute.start(epsilon, window), wished))
        published = [offer * published for _, offer, published in steps]

        for slot, (probe, offer, _) in enumerate(steps):
            half = (Fraction(epsilon, 2) - sum(published[max(0, slot - window + 1) : slot])) / 2

            assert probe == epsilon // (2 * window)
            if half < Fraction(epsilon, 4 * window):
                assert offer == 0
            else:
                assert half - 1 < offer <= half

    @given(epsilon=st.integers(4, 10**9))
    def test_nothing_is_recent_when_the_window_is_one_slot(self, epsilon):
        """At w = 1 every slot offers a quarter of ε, also where that is no whole number."""
        assert offers(Distribute.start(epsilon, 1), [True] * 3) == [epsilon // 4] * 3


class TestAbsorb:
    """LBA: silent slots leave their shares of ε/2w to a publication, which pays them back in silence."""

    def test_publishing_in_every_slot(self):
        """A home that always publishes has one share each time and owes nothing."""
        assert offers(Absorb.start(EPSILON, 3), [True] * 5) == [200_000] * 5

    def test_saving_and_paying_back(self):
        """Two silent slots make an offer of three shares, and two slots of silence after it."""
        offered = offers(Absorb.start(EPSILON, 4), [False, False, True, True, True, True, False, True])

        assert offered == [150_000, 300_000, 450_000, 0, 0, 150_000, 150_000, 300_000]

    def test_saves_no_more_than_a_window(self):
        """However long a home keeps silent, it has w shares: half of ε."""
        assert offers(Absorb.start(EPSILON, 3), [False] * 6)[-1] == EPSILON // 2

    @given(epsilon=st.integers(24, 10**9), window=windows, wished=wishes)
    def test_is_the_rule_of_the_paper(self, epsilon, window, wished):
        """After a publication with s shares nothing for s − 1 slots, then a share more in each, w at most."""
        share, last, used = epsilon // (2 * window), -1, 1

        for slot, (probe, offer, published) in enumerate(walk(Absorb.start(epsilon, window), wished)):
            silent = slot <= last + used - 1

            assert probe == share
            assert offer == (0 if silent else share * min(slot - last - used + 1, window))
            if published:
                last, used = slot, offer // share

    @given(epsilon=st.integers(2, 10**9))
    def test_nothing_is_recent_when_the_window_is_one_slot(self, epsilon):
        """At w = 1 every slot offers half of ε, and nothing is owed."""
        assert offers(Absorb.start(epsilon, 1), [False, True, True]) == [epsilon // 2] * 3


@pytest.mark.parametrize("name", ["lbu", "lsp", "lbd", "lba"])
@given(window=st.integers(1, 9), epsilon=st.integers(100, 10**7))
def test_largest_offer(name, window, epsilon):
    """The largest offer is the one at once, or the one after saving up for a window."""
    slot = STRATEGIES[name].start(epsilon, window)
    largest, offers = slot.largest, []
    for _ in range(window):
        offers.append(slot.offer())
        slot = slot.after(False)

    assert max(offers) == largest


@pytest.mark.parametrize("name", ["lbu", "lsp", "lbd", "lba"])
@given(window=st.integers(1, 9), epsilon=st.integers(100, 10**7), wished=wishes)
def test_smallest_offer(name, window, epsilon, wished):
    """No offer but none at all is below the smallest, which is close to one."""
    slot = STRATEGIES[name].start(epsilon, window)
    offered = [offer for offer in offers(slot, wished) if offer]

    assert all(offer >= slot.smallest for offer in offered)
    assert slot.smallest <= slot.largest
    assert slot.smallest >= epsilon // (4 * window) - 1
