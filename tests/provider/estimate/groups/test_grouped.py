"""Kinds of homes in one collection: right on average, as sure as they say, and none given away."""

import numpy as np
import pytest
from tests.provider.estimate.groups.attack import APPLIANCE, collection, given_away, ingredients, product
from tests.provider.simulated import answers, plan_of

from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.groups import grouped, partitions
from hushwatt.provider.estimate.groups.group_rows import even_pools
from hushwatt.provider.tally.labels import Cells
from hushwatt.provider.tally.tally import Tallies, Tally, TallyKey

TARIFFS = Cells(("tariff",), (("A",), ("B",), ("C",)))
PARTS, VALUES, SLOTS = (700, 380, 120), np.array([0.0, 1000.0]), 48


def spoken(rng, plan):
    """Tallies of homes of three tariffs, each with habits of its own and a daily cycle, and their true means."""
    tariff = np.repeat([1, 2, 3], PARTS)
    habit = rng.beta(0.4, 0.6, size=len(tariff)) * np.array([0, 1.0, 0.8, 0.5])[tariff]
    cycle = 0.6 + 0.4 * np.sin(2 * np.pi * np.arange(SLOTS) / 24)
    used = rng.random((SLOTS, len(tariff))) < np.outer(cycle, habit)
    phase, groups = rng.permutation(len(tariff)) % plan.window, {}
    for slot in range(SLOTS):
        for cell in (1, 2, 3):
            held = np.bincount(used[slot, (tariff == cell) & (phase == slot % plan.window)].astype(int), minlength=2)
            counts = answers(rng, plan, plan.epsilon, 0, held, 1)[0]
            groups[TallyKey(slot, 0, slot, plan.epsilon, cell)] = Tally(int(held.sum()), held.sum()[None], counts)
    homes = dict(zip((1, 2, 3), PARTS, strict=True))
    truth = [1000 * used[:, tariff == cell].mean() for cell in (1, 2, 3)]
    return Tallies(len(tariff), groups, cells=TARIFFS, cell_homes=homes), truth


def covered(seed, times, **changes):
    """How often the limits of each tariff hold the truth, and by how much the estimates miss it on average."""
    plan = plan_of([VALUES], **{"method": "lpu", "window": 8, "epsilon": "4", "oracle": "grr"} | changes)
    rng, inside, missed = np.random.default_rng(seed), [], []
    for _ in range(times):
        tallies, truth = spoken(rng, plan)
        found = [each.by_period[APPLIANCE] for each in estimate(plan, tallies, by=("tariff",)).groups]
        inside.append([each.low <= true <= each.high for each, true in zip(found, truth, strict=True)])
        missed.append([(each.watts - true) / each.watts_se for each, true in zip(found, truth, strict=True)])
    return np.mean(inside, axis=0), np.mean(missed, axis=0)


class TestSureness:
    """Groups are answered like a collection of their homes alone."""

    @pytest.mark.parametrize("minimum", [12, 60])
    def test_by_turns(self, minimum):
        """At least 93 % of the intervals hold the truth, in single slots and in pools of several."""
        inside, missed = covered(minimum, 25, minimum_homes=minimum)

        assert (inside >= 0.93).all()
        assert np.abs(missed).max() < 0.5

    def test_every_slot(self):
        """Where all homes always speak nothing is on the safe side: 93 to 98 %."""
        inside, _ = covered(4, 80, method="lbu", window=1, epsilon="0.5", minimum_homes=20)

        assert 0.93 <= inside.mean() <= 0.98

    def test_a_wrong_number_of_reports_shows(self, monkeypatch):
        """Pools that counted as three times as many reports as they hold would be too sure."""
        monkeypatch.setattr(grouped, "even_pools", lambda *asked: [3 * each for each in even_pools(*asked)])
        inside, _ = covered(4, 40, method="lbu", window=1, epsilon="0.5", minimum_homes=20)

        assert inside.mean() < 0.85

    def test_the_same_as_alone(self):
        """A group that fills single slots has the numbers of a collection in which nobody else is."""
        plan = plan_of([VALUES], method="lpu", window=8, epsilon="4", oracle="grr", minimum_homes=10)
        tallies, _ = spoken(np.random.default_rng(5), plan)
        alone = Tallies(PARTS[0], {key._replace(cell=0): each for key, each in tallies.groups.items() if key.cell == 1})
        found = CollectedSlots.of(plan, tallies, where={"tariff": "A"}).series[APPLIANCE]
        wanted = CollectedSlots.of(plan, alone).series[APPLIANCE]

        assert found.period.watts == pytest.approx(wanted.period.watts)
        assert found.limits == pytest.approx(wanted.limits)
        assert found.slots.known.all()


def turns(minimum=3, appliances=1, **changes):
    changes = {"method": "lpu", "window": 2, "epsilon": "2", "oracle": "grr", "minimum_homes": minimum} | changes
    return plan_of([[0.0, 100.0]] * appliances, appliances_per_report=1, **changes)


ATTACKED = {
    "one small tariff": (turns(4), (3,), [[0, 4, 5, 1], [0, 5, 4, 0], [1, 4, 4, 2]]),
    "all pooled": (turns(5, window=3), (2,), [[0, 3, 2], [0, 3, 3], [0, 4, 1], [0, 1, 6]]),
    "one not everywhere": (turns(3), (3,), [[0, 3, 2, 0], [0, 0, 2, 3], [0, 3, 3, 3]]),
    "small slots of the whole": (turns(4, appliances=2), (2,), [[0, 1, 2], [0, 2, 1], [0, 1, 1], [0, 2, 1]]),
    "two labels": (turns(3), (2, 2), [[0, 1, 2, 2, 3], [1, 2, 3, 3, 2], [0, 1, 2, 2, 1]]),
    "some unlabelled": (turns(4, window=1), (2, 2), [[1, 3, 3, 3, 2], [5, 3, 3, 3, 2]]),
    "no such combination": (turns(3, window=1), (2, 2), [[0, 3, 2, 2, 0], [3, 4, 0, 2, 5]]),
    "published by twos": (
        turns(3, publish=2),
        (2, 2),
        [[0, 1, 2, 2, 3], [1, 2, 3, 3, 2], [0, 1, 2, 2, 1], [1, 0, 2, 1, 1]],
    ),
}


def attack(plan, sizes, speakers):
    tallies = collection(plan, np.array(speakers), product(*sizes))
    tallies.closed = len(speakers) - 1
    keys, rows = ingredients(plan, tallies)
    return rows, given_away(keys, rows, tallies, plan.minimum_homes)


class TestAttack:
    """Whoever asks every door everything learns of no fewer homes than the minimum."""

    @pytest.mark.parametrize("name", ATTACKED)
    def test_nobody_is_given_away(self, name):
        """No weighted mean of fewer homes can be worked out from all answers together."""
        rows, found = attack(*ATTACKED[name])

        assert len(rows) > 1
        assert found == []

    @pytest.mark.parametrize("seed", range(4))
    def test_at_random(self, seed):
        """Nor from collections that nobody chose."""
        rng = np.random.default_rng(seed)
        speakers = rng.poisson(rng.choice([1.0, 2.5], size=5), size=(3, 5))
        speakers[:, 1] += 1

        assert attack(turns(int(rng.integers(2, 5)), window=int(rng.integers(1, 4))), (2, 2), speakers)[1] == []

    def test_neighbours_must_be_withheld(self, monkeypatch):
        """Telling every value that is large enough gives the small one away."""
        monkeypatch.setattr(partitions, "_merged", lambda pool, values: values)

        assert attack(*ATTACKED["one small tariff"])[1]

    def test_everybody_must_be_everywhere(self, monkeypatch):
        """Joining slots that a kind of homes was not heard in gives its neighbour away."""
        pool = partitions.PoolSpeakers
        monkeypatch.setattr(pool, "enough", lambda self, cells: self.speakers[cells].sum() >= self.need)
        enough = property(lambda self: bool((self.speakers[self.non_empty] >= self.need).all()))
        monkeypatch.setattr(pool, "full", enough)

        assert attack(*ATTACKED["one not everywhere"])[1]

    def test_pools_must_be_even(self, monkeypatch):
        """Weighing reports in another way than the whole does tells its slots apart."""

        def alike(pools, slot_index, reports, counts, weight):
            return even_pools(pools, slot_index, reports, counts, np.ones_like(weight))

        monkeypatch.setattr(grouped, "even_pools", alike)

        assert attack(*ATTACKED["small slots of the whole"])[1]

    def test_margins_need_all_combinations(self, monkeypatch):
        """Two labels told one by one give away whom they have not in common."""
        whole = partitions._margins

        def loose(pool, codes):
            everywhere = partitions.PoolSpeakers(pool.speakers, np.ones_like(pool.present), pool.need)
            return whole(everywhere, codes)

        monkeypatch.setattr(partitions, "_margins", loose)

        assert attack(*ATTACKED["no such combination"])[1]
