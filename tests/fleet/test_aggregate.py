"""Tallies drawn all at once have the law of tallies added up home by home."""

from collections import Counter, defaultdict
from itertools import permutations, product

import numpy as np
import pytest
from scipy.stats import chisquare, ks_2samp

from hushwatt.errors import UsageError
from hushwatt.fleet import aggregate as module
from hushwatt.fleet.aggregate import aggregate, homes_per_row
from hushwatt.fleet.aggregate_draws import aggregate_draws
from hushwatt.fleet.aggregate_turns import TurnCounts
from hushwatt.fleet.simulate import simulate
from hushwatt.household.report.levels import between, ranged
from hushwatt.privacy.entropy import FreshKeys, Simulation
from hushwatt.privacy.laws import law_for
from hushwatt.privacy.strategies import strategy_for
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.wire.payload import Layout

DOUBT = 1e-6
DRAWS = 1_200
BOTH, ONE = (0, 1), (0,)  # appliances whose tallies are looked at together
CASES = {
    "lbu, oue": ("lbu", {}, 1, BOTH),
    "lbu, sue, dither": ("lbu", {"oracle": "sue", "mapping": "dither"}, 1, BOTH),
    "lsp, grr, dither": ("lsp", {"oracle": "grr", "mapping": "dither"}, 3, BOTH),
    "lpu, oue": ("lpu", {}, 3, ONE),
    "lpu, grr": ("lpu", {"oracle": "grr"}, 2, BOTH),
    "lpu, grr, dither": ("lpu", {"oracle": "grr", "mapping": "dither"}, 4, ONE),
    "lbu, grr, one of two": ("lbu", {"oracle": "grr", "appliances_per_report": 1}, 3, ONE),
    "lpu, grr, one of two": ("lpu", {"oracle": "grr", "appliances_per_report": 1}, 5, ONE),
    "lpu, oue, one of two, dither": ("lpu", {"appliances_per_report": 1, "mapping": "dither"}, 3, ONE),
}


def watts_of(slots):
    """Three homes that read different watts in every slot."""
    return np.random.default_rng(3).uniform(0, 200, (slots, 3, 2))


def home_laws(plan, watts, appliances):
    """The law of what one home adds to the tallies of these appliances, for each turn and order it may have.

    Written from the rules, home by home, and not from the code that draws.
    """
    slots, window = len(watts), plan.window
    drawn = strategy_for(plan).largest
    asked, count = plan.appliances_per_report, len(plan.appliances)
    for turn, order in product(range(window), permutations(range(count))):
        mine = [slot for slot in range(slots) if plan.method == "lbu" or slot % window == turn]
        law = {(): 1.0}
        for slot in range(slots):
            number = mine.index(slot) if slot in mine else None
            for place in appliances:
                names = [order[(number * asked + k) % count] for k in range(asked)] if slot in mine else []
                cell = cell_law(plan, watts[slot], place, drawn) if place in names else {(0, 0, 0): 1.0}
                law = {so_far + more: law[so_far] * chance for so_far in law for more, chance in cell.items()}
        yield turn, law


def cell_law(plan, watts, place, drawn):
    """The law of one appliance's report and its two answers."""
    appliance = plan.appliances[place]
    if plan.mapping == "range":
        levels = {int(ranged(appliance, watts[[place]])[0]): 1.0}
    else:
        (lower,), (way,) = between(appliance, watts[[place]])
        levels = {int(lower): 1 - way, int(lower) + 1: way}
    law, found = law_for(plan.oracle, drawn, plan.appliances_per_report, 2), defaultdict(float)
    for level, chance in levels.items():
        for answer in law.answers():
            bits = tuple(int(answer == k) for k in range(2)) if plan.oracle == "grr" else answer
            found[1, *bits] += chance * float(law.chance(answer, level))
    return found


def exact_law(plan, watts, appliances):
    """The law of the tallies of all homes: every turn and order they may have, every answer."""
    homes, window = watts.shape[1], plan.window
    by_home = [list(home_laws(plan, watts[:, home], appliances)) for home in range(homes)]
    total, ways = defaultdict(float), list(turns_of(plan, homes, window))
    for turns in ways:
        law = {(0,) * (3 * len(appliances) * len(watts)): 1.0}
        for home, turn in enumerate(turns):
            mixed = defaultdict(float)
            mine = [each for at, each in by_home[home] if at == turn]
            for each in mine:
                for so_far, chance in law.items():
                    for more, other in each.items():
                        mixed[tuple(map(sum, zip(so_far, more, strict=True)))] += chance * other / len(mine)
            law = mixed
        for outcome, chance in law.items():
            total[outcome] += chance / len(ways)
    return total


def turns_of(plan, homes, window):
    """All ways to give homes their turns, as even as can be; each is as likely as the others."""
    if plan.method != "lpu":
        return [(0,) * homes]
    even = sorted([homes // window] * (window - homes % window) + [homes // window + 1] * (homes % window))
    every = product(range(window), repeat=homes)
    return [turns for turns in every if sorted(turns.count(turn) for turn in range(window)) == even]


def flat(plan, tallies, slots, appliances):
    """The reports and answers of these appliances, drawn in each slot."""
    starts, found = Layout.of(plan).starts, []
    fresh = {key.slot: tally for key, tally in tallies.groups.items() if key.as_of == key.slot}
    for slot, place in product(range(slots), appliances):
        cells = slice(starts[place], starts[place + 1])
        tally = fresh.get(slot)
        found += [0, 0, 0] if tally is None else [tally.reports[place], *tally.counts[cells]]
    return tuple(int(number) for number in found)


def fit(law, seen):
    """The p-value of what was seen under a law; rare outcomes are taken together."""
    draws = sum(seen.values())
    assert set(seen) <= set(law)
    common = [outcome for outcome in law if law[outcome] * draws >= 5]
    expected = [law[outcome] * draws for outcome in common]
    found = [seen[outcome] for outcome in common]
    rest = draws - sum(expected)
    if rest > 1e-6 * draws:
        expected, found = [*expected, rest], [*found, draws - sum(found)]
    return chisquare(found, np.array(expected) * (draws / sum(expected))).pvalue


def small_plan(plan_for, method, more):
    return plan_for(method, appliances=2, edges="[100]", **({"window": 2, "epsilon": 2} | more))


@pytest.mark.parametrize("case", CASES)
def test_law_is_that_of_every_home(plan_for, case):
    """1,200 draws for three homes fit the law enumerated over all turns, orders and answers."""
    method, more, slots, together = CASES[case]
    plan, watts = small_plan(plan_for, method, more), watts_of(slots)
    law = exact_law(plan, watts, together)

    seen = Counter(
        flat(plan, aggregate(plan, watts, 3, Simulation(run, case)), slots, together) for run in range(DRAWS)
    )

    assert abs(sum(law.values()) - 1) < 1e-9
    assert fit(law, seen) > DOUBT


class Forgetful(TurnCounts):
    """Homes that draw their turn and order anew in every slot."""

    def draw_of(self, slot):
        fresh = TurnCounts.of(self.plan, self.turns.sum(axis=0), self.first, self.random)
        self.turns, self.placed = fresh.turns, {}
        return super().draw_of(slot)


@pytest.mark.parametrize("case", ["lpu, grr, one of two", "lpu, grr, dither"])
def test_law_in_which_homes_forget_is_noticed(plan_for, monkeypatch, case):
    """The same test rejects homes that forget their turns, although every single slot looks right."""
    method, more, _, _ = CASES[case]
    plan = small_plan(plan_for, method, more)
    watts = np.stack([[[10.0] * 2, [90.0] * 2, [190.0] * 2]] * 4)
    law = exact_law(plan, watts, (0,))
    monkeypatch.setattr(module, "TurnCounts", Forgetful)

    seen = Counter(flat(plan, aggregate(plan, watts, 3, Simulation(run, "")), 4, (0,)) for run in range(DRAWS))

    assert not set(seen) <= set(law) or fit(law, seen) < DOUBT


@pytest.mark.parametrize("oracle", ["oue", "sue", "grr"])
@pytest.mark.parametrize("wrong", [1.0, 0.98, 1.02])
def test_answers_follow_their_law(oracle, wrong):
    """A million homes' answers fit the declared chances and are rejected when these are 2 % off."""
    at, law = np.array([700_000, 250_000, 50_000]), law_for(oracle, 1_000_000, 1, 3)
    hold, rise = float(law.hold) * wrong, float(law.rise)
    drawn = np.array([aggregate_draws(at, law, np.random.default_rng(run)) for run in range(200)])

    expected = at * hold + (at.sum() - at) * rise
    variance = at * hold * (1 - hold) + (at.sum() - at) * rise * (1 - rise)

    away = (drawn.mean(axis=0) - expected) / np.sqrt(variance / len(drawn))
    assert (np.abs(away).max() < 5) == (wrong == 1.0)
    assert np.all(np.abs(drawn.var(axis=0, ddof=1) / variance - 1) < 0.5) or wrong != 1.0


@pytest.mark.parametrize(
    "method, asked, mapping",
    [("lbu", 1, "range"), ("lsp", 3, "dither"), ("lpu", 3, "range"), ("lpu", 1, "dither")],
)
def test_same_as_home_by_home(plan_for, method, asked, mapping):
    """What the provider estimates from 50 homes has the same distribution as home by home."""
    plan = plan_for(method, oracle="grr", mapping=mapping, epsilon=9, appliances_per_report=asked)
    watts = np.random.default_rng(7).uniform(0, 300, (7, 50, 3))

    alone = [estimate(plan, simulate(plan, watts, 50, FreshKeys())) for _ in range(60)]
    together = [estimate(plan, aggregate(plan, watts, 50, FreshKeys())) for _ in range(60)]

    for name in plan.names:
        periods = [[one.by_period[name].watts for one in many] for many in (alone, together)]
        assert ks_2samp(*periods).pvalue > DOUBT
    assert [(s.slot, s.as_of) for s in alone[0].slots] == [(s.slot, s.as_of) for s in together[0].slots]


@pytest.mark.parametrize("mapping", ["range", "dither"])
@pytest.mark.parametrize("draw", [simulate, aggregate])
def test_not_measured_is_an_answer(plan_for, mapping, draw):
    """Homes that do not measure an appliance are counted under its last answer, home by home and all at once."""
    plan = plan_for(oracle="grr", mapping=mapping, unmeasured="answer", epsilon=900)
    watts = np.tile([[0.0, np.nan, 100.0], [np.nan, np.nan, 200.0], [200.0, 0.0, np.nan]], (7, 10, 1))

    tallies = draw(plan, watts, 30, FreshKeys())

    first = min(tallies.groups.items(), key=lambda item: item[0].slot)[1]
    assert first.counts.reshape(3, 4)[:, -1].tolist() == [10, 20, 10]
    assert first.counts.reshape(3, 4).sum(axis=1).tolist() == [30, 30, 30]


@pytest.mark.parametrize("method, first", [("lbu", 4), ("lsp", 4), ("lpu", 4), ("lsp", 6)])
def test_collection_that_begins_later(plan_for, method, first):
    """With a later first slot the same homes draw, repeat themselves or keep silent as home by home."""
    plan, watts = plan_for(method), np.zeros((7, 42, 3))

    alone, together = (way(plan, watts, 42, FreshKeys(), first) for way in (simulate, aggregate))

    assert {key: tally.rows for key, tally in alone.groups.items()} == {
        key: tally.rows for key, tally in together.groups.items()
    }


def test_a_hundred_million_homes_take_turns(plan_for):
    """Two of three appliances of 100,000,001 homes: each speaks once in a window, and the truth comes out."""
    plan = plan_for("lpu", oracle="grr", appliances_per_report=2, epsilon=9, mapping="dither")
    homes, watts = 100_000_001, np.random.default_rng(1).uniform(0, 200, (3, 500, 3))

    tallies = aggregate(plan, watts, homes, Simulation(1, "turns"))

    assert sum(tally.rows for tally in tallies.groups.values()) == homes
    reports = np.array([tally.reports for tally in tallies.groups.values()])
    assert np.abs(reports / (2 / 3 * homes / 3) - 1).max() < 1e-3
    found = estimate(plan, tallies)
    for place, name in enumerate(plan.names):
        assert abs(found.by_period[name].watts - watts[:, :, place].mean()) < 5 * found.by_period[name].watts_se


def test_repeats_with_the_same_seed(plan_for):
    """A seed repeats the tallies; another one does not."""
    plan, watts = plan_for("lpu"), np.zeros((3, 5, 3))

    one, again, other = (aggregate(plan, watts, 999, Simulation(seed, "")) for seed in (1, 1, 2))

    counts = [np.concatenate([t.counts for t in found.groups.values()]) for found in (one, again, other)]
    assert (counts[0] == counts[1]).all()
    assert (counts[0] != counts[2]).any()


def test_every_row_stands_for_as_many_homes(plan_for):
    """Rows stand for equally many homes, give or take one, and all homes are somebody's."""

    assert set(homes_per_row(1_000_003, 7).tolist()) == {142_857, 142_858}
    assert homes_per_row(1_000_003, 7).sum() == 1_000_003


@pytest.mark.parametrize("method", ["lbd", "lba", "lpd", "lpa"])
def test_methods_that_decide_are_refused(plan_for, method):
    """What depends on each home's own past cannot be drawn for all at once, and says what to do instead."""
    with pytest.raises(UsageError, match=f"{method} decides.*simulate and randomise fewer"):
        aggregate(plan_for(method), np.zeros((1, 2, 3)), 10, FreshKeys())


@pytest.mark.parametrize("homes, problem", [(1, "at least the 2"), (10**10, "at most 1,000,000,000")])
def test_numbers_of_homes_that_cannot_be(plan_for, homes, problem):
    """Fewer homes than there are rows, or more than can be drawn, are refused."""
    with pytest.raises(UsageError, match=problem):
        aggregate(plan_for("lpu"), np.zeros((1, 2, 3)), homes, FreshKeys())
