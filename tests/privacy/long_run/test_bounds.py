"""What no guess exceeds where homes decide: against every way to share out what is published."""

from dataclasses import replace
from itertools import combinations_with_replacement, product
from time import process_time

import numpy as np
import pytest

from hushwatt.plan.slot import SlotLength
from hushwatt.privacy.laws import law_for
from hushwatt.privacy.long_run.bounds import SLACK, EqualCuts, constant_bound, owned_bound
from hushwatt.privacy.long_run.constant_level import best_name
from hushwatt.privacy.long_run.two_pasts import best_guess, best_guess_from
from hushwatt.privacy.strategies import strategy_for

NOTHING = ((0, 1.0),)
CLOSE = 1e-3


def parts(window):
    """Every way to share a window's slots out among publications: 3, 2+1, 1+1+1."""
    sizes = (
        each for count in range(1, window + 1) for each in combinations_with_replacement(range(1, window + 1), count)
    )
    return [each for each in sizes if sum(each) == window]


def cut(plan, width, slots):
    """The law and the number of answers of every cut."""
    cuts = EqualCuts(plan, width, slots)
    return [(cuts.law(parts), cuts.answers(parts)) for parts in range(1, cuts.most + 1)]


def chances(law, past):
    return np.array([sum(part * float(law.chance(said, level)) for level, part in past) for said in law.answers()])


def joint(laws, past):
    """The chance of every sequence of answers."""
    found = np.ones(1)
    for law in laws:
        found = np.outer(found, chances(law, past)).ravel()
    return found


@pytest.mark.parametrize("oracle", ["grr", "oue", "sue"])
@pytest.mark.parametrize("width", [2, 3])
@pytest.mark.parametrize("epsilon", [0.4, 3, 12])
def test_no_history_tells_more(plan_of, oracle, width, epsilon):
    """However the two windows of six slots share out what they publish, no guess is right more often."""
    plan = plan_of(width, method="lba", oracle=oracle, epsilon=int(epsilon * 1e6))
    share = strategy_for(plan).share  # type: ignore[attr-defined]
    one = ((width - 1, 1.0),)
    for first, second in product(parts(3), repeat=2):
        if width == 3 and oracle != "grr" and len(first + second) > 4:
            continue  # over eight to the fifth sequences
        laws = [law_for(oracle, share * shares, 1, width) for shares in first + second]
        told = 1 - np.minimum(joint(laws, one), joint(laws, NOTHING)).sum() / 2
        assert told <= owned_bound(plan, width, one, NOTHING, 6) + CLOSE
        named = np.max([joint(laws, ((level, 1.0),)) for level in range(width)], axis=0).sum() / width
        assert named <= constant_bound(plan, width, width, 6) + CLOSE


def test_one_answer_of_little_and_several_of_much(plan_of):
    """A small budget tells most at once; bits of a large one, true every other time, in several answers."""
    best = {}
    for epsilon in (0.4, 60):
        ways = cut(plan_of(3, method="lba", epsilon=int(epsilon * 1e6)), 3, 3)
        assert [answers for _, answers in ways] == [1, 2, 3]
        best[epsilon] = max(ways, key=lambda way: best_name(way[0], 3, way[1]))[1]
    assert best == {0.4: 1, 60: 3}


def test_probes_count_where_levels_are_drawn_anew(plan_of):
    """A mean between two levels moves from slot to slot, so when a home publishes may tell of it."""
    plan = plan_of(3, method="lba", mapping="dither", epsilon=1_000_000)
    between = ((0, 0.4), (1, 0.6))
    published = max(best_guess(law, between, NOTHING, answers) for law, answers in cut(plan, 3, 60))

    assert owned_bound(plan, 3, between, NOTHING, 60) > published + 0.005


@pytest.mark.parametrize("method", ["lba", "lbd"])
def test_never_more_than_is_on_offer(plan_of, method):
    """No answer of a bound is drawn with more than the largest offer, nor a window with more than its part."""
    plan = plan_of(3, method=method, window=9)
    strategy = strategy_for(plan)
    for law, answers in cut(plan, 3, 18):
        assert law.likelihood_ratio <= law_for("oue", strategy.largest, 1, 3).likelihood_ratio
        assert answers % 2 == 0


@pytest.mark.parametrize("oracle", ["grr", "oue", "sue"])
@pytest.mark.parametrize("method", ["lba", "lbd"])
@pytest.mark.parametrize("epsilon", [0.5, 6])
def test_probes_that_are_sent_count(plan_of, oracle, method, epsilon):
    """Where the provider decides, all probes and publications together tell no more than the bound."""
    plan = plan_of(3, method=method, decision="provider", oracle=oracle, epsilon=int(epsilon * 1e6))
    strategy = strategy_for(plan)
    probe, publication = (law_for(oracle, drawn, 1, 3) for drawn in (strategy.probe, strategy.largest))
    for owner in (((1, 1.0),), ((0, 0.5), (1, 0.5))):
        told = best_guess_from([(probe, 30), (publication, 10)], owner, NOTHING)
        assert told <= owned_bound(plan, 3, owner, NOTHING, 30) + CLOSE
    assert best_name(probe, 3, 30) < constant_bound(plan, 3, 3, 30)
    assert best_name(publication, 3, 10) < constant_bound(plan, 3, 3, 30)
    assert constant_bound(replace(plan, decision="household"), 3, 3, 30) < constant_bound(plan, 3, 3, 30)


def every_cut(plan, width, slots):
    """The law and the number of answers of each way to publish a window's part in equal answers."""
    strategy, windows = strategy_for(plan), -(-slots // plan.window)
    part = strategy.ceiling(plan.window) - plan.window * strategy.probe
    for answers in range(1, plan.window + 1):
        law = law_for(plan.oracle, min(part // answers, strategy.largest), plan.appliances_per_report, width)
        yield law, answers * windows


@pytest.mark.parametrize("oracle", ["grr", "oue", "sue"])
@pytest.mark.parametrize("method", ["lba", "lbd"])
@pytest.mark.parametrize("window", [4, 12, 30])
@pytest.mark.parametrize("epsilon", [1, 10, 20, 100])
def test_no_equal_cut_tells_more(plan_of, oracle, method, window, epsilon):
    """Not one of all the ways to cut, however many answers it has; and none is far below the bound."""
    one = ((1, 1.0),)
    for width in (2, 4, 10):
        plan = plan_of(width, method=method, oracle=oracle, window=window, epsilon=epsilon * 1_000_000)
        for slots in (window, 5 * window):
            cuts = list(every_cut(plan, width, slots))
            told = max(best_guess(law, one, NOTHING, answers) for law, answers in cuts)
            named = max(best_name(law, width, answers) for law, answers in cuts)
            assert -CLOSE / 2 <= owned_bound(plan, width, one, NOTHING, slots) - told <= SLACK + CLOSE
            assert -1e-9 <= constant_bound(plan, width, width, slots) - named <= SLACK + CLOSE


def test_a_cut_between_is_found(plan_of):
    """Four or six answers may tell most, and are not left out."""
    plan = plan_of(2, method="lbd", window=12, epsilon=20_000_000)
    best = max(best_name(law, 2, answers) for law, answers in every_cut(plan, 2, 12))
    assert best == pytest.approx(0.9162, abs=1e-4)
    assert constant_bound(plan, 2, 2, 12) >= best - 1e-9


def test_long_windows_are_cut_fast(plan_of):
    """Half a million slots have as many cuts, and few of them are tried."""
    plan = plan_of(4, method="lba", window=525_600, epsilon=40_000_000, slot=SlotLength(1, "m"))
    began = process_time()
    assert 0.5 < constant_bound(plan, 4, 4, 525_600) <= 1
    assert process_time() - began < 1
