"""A home speaks at its turn and about what is next in its order; honest homes are never refused."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushwatt.privacy.rotation import order_of
from hushwatt.provider.checks import rotation as module
from hushwatt.provider.checks.rotation import IN_PLACE, OUT_OF_ORDER, OUT_OF_TURN, Rotations
from hushwatt.wire.payload import Layout

ONE = np.array([0])
SHAPES = [(3, 1), (3, 2), (4, 2), (4, 3), (5, 2), (5, 3), (6, 4)]


def payloads(plan, members):
    """Answers about these appliances, a row for each home."""
    members = np.sort(np.asarray(members), axis=1)
    return Layout.of(plan).pack(np.zeros(members.shape, dtype=np.uint16), members)


def rotating(plan_of, appliances, asked, **fields):
    return plan_of(*[2] * appliances, oracle="grr", appliances_per_report=asked, **fields)


class TestExact:
    """A report is refused exactly when no order agrees with it and all accepted before."""

    @settings(max_examples=60)
    @given(data=st.data(), shape=st.sampled_from(SHAPES))
    def test_against_every_order(self, plan_of, data, shape):
        """Whatever a home names at whatever turns, by trying all orders; kept and read again in between."""
        appliances, asked = shape
        plan, possible = rotating(plan_of, *shape), list(permutations(range(appliances)))
        known = Rotations(plan, 1)
        for _ in range(12):
            slot = data.draw(st.integers(0, 3 * appliances))
            places = [(slot * asked + step) % appliances for step in range(asked)]
            if data.draw(st.booleans()):
                order = data.draw(st.sampled_from(possible))
                members = {order[place] for place in places}
            else:
                members = set(data.draw(st.permutations(range(appliances)))[:asked])
            left = [order for order in possible if {order[place] for place in places} == members]

            (verdict,) = known.judge(slot, ONE, payloads(plan, [list(members)]))

            assert verdict == (IN_PLACE if left else OUT_OF_ORDER)
            possible = left or possible
            again = Rotations(plan, 1)
            again.unpack(ONE, known.packed(ONE))
            known = again

    @given(slots=st.lists(st.integers(0, 60), max_size=20), window=st.integers(1, 9))
    def test_the_first_turn_stands(self, plan_of, slots, window):
        """Only reports of one phase are in place: that of the first."""
        plan = plan_of(2, method="lpu", window=window, oracle="grr")
        known, bytes_ = Rotations(plan, 1), np.zeros((1, 1), dtype=np.uint8)

        verdicts = [int(known.judge(slot, ONE, bytes_)[0]) for slot in slots]

        expected = [IN_PLACE if slot % window == slots[0] % window else OUT_OF_TURN for slot in slots]
        assert verdicts == expected

    def test_a_refused_report_leaves_no_trace(self, plan_of):
        """Out of turn or out of order, nothing is known that was not known before."""
        plan = rotating(plan_of, 3, 1, method="lpu", window=2)
        known = Rotations(plan, 1)
        known.judge(0, ONE, payloads(plan, [[2]]))
        before = known.packed(ONE).tobytes()

        verdicts = [int(known.judge(slot, ONE, payloads(plan, [[named]]))[0]) for slot, named in [(3, 0), (2, 2)]]

        assert verdicts == [OUT_OF_TURN, OUT_OF_ORDER]
        assert known.packed(ONE).tobytes() == before

    def test_many_appliances(self, plan_of):
        """With more places than a word has bits, and than a byte counts, orders are kept all the same."""
        for appliances, asked in [(70, 3), (300, 7)]:
            plan = rotating(plan_of, appliances, asked)
            order, known = np.random.default_rng(1).permutation(appliances), Rotations(plan, 1)
            for slot in range(2 * appliances):
                members = order[(slot * asked + np.arange(asked)) % appliances]
                assert known.judge(slot, ONE, payloads(plan, [members])) == IN_PLACE
            other = order[((slot + 2) * asked + np.arange(asked)) % appliances]

            assert known.judge(slot + 1, ONE, payloads(plan, [other])) == OUT_OF_ORDER


@pytest.mark.parametrize("method", ["lbu", "lsp", "lpu"])
@pytest.mark.parametrize(("appliances", "asked"), [(15, 1), (15, 2), (15, 5), (7, 3)])
def test_no_honest_home_is_refused(plan_of, method, appliances, asked):
    """A hundred thousand turns of each kind, over a million in all: late starts, missed turns, arrivals in
    any order, state kept and read again, and orders that were known beforehand or not.
    """
    homes, turns, window = 2_000, 50, 4
    plan = rotating(plan_of, appliances, asked, method=method, window=window)
    chance = np.random.default_rng(appliances * asked)
    orders = chance.permuted(np.tile(np.arange(appliances), (homes, 1)), axis=1)
    phases, late = chance.integers(0, window, homes), chance.integers(0, 30, homes)
    offsets = chance.integers(0, appliances, homes)  # where an older home's own count began
    known = Rotations(plan, homes)
    refused = heard = 0
    for turn in chance.permutation(turns):
        step = (offsets[:, None] + turn * asked + np.arange(asked)) % appliances
        members = np.take_along_axis(orders, step, axis=1)
        for phase in range(window) if method == "lpu" else (0,):
            speaks = (late <= turn) & (chance.random(homes) < 0.9) & ((phases == phase) | (method != "lpu"))
            who = np.flatnonzero(speaks)
            slot = int(turn) if method == "lbu" else int(turn) * window + phase
            refused += int((known.judge(slot, who, payloads(plan, members[who])) != IN_PLACE).sum())
            heard += len(who)
        again = Rotations(plan, homes)
        again.unpack(np.arange(homes), known.packed(np.arange(len(known))))
        known = again

    assert heard > 50_000
    assert refused == 0


@pytest.mark.parametrize(("method", "asked"), [("lbu", 2), ("lpu", 2), ("lpu", 5)])
def test_in_parts_as_at_once(plan_of, monkeypatch, method, asked):
    """How many homes are looked at together changes no verdict and nothing that is learnt."""
    plan = rotating(plan_of, 5, asked, method=method)
    chance, found = np.random.default_rng(3), []
    rounds = [
        (
            slot,
            np.sort(chance.permutation(40)[:23]),
            np.array([chance.permutation(5)[:asked] for _ in range(23)]),
        )
        for slot in chance.integers(0, 9, 12).tolist()
    ]
    for together in (1 << 22, 35, 1):
        monkeypatch.setattr(module, "BATCH_CELLS", max(together, 5))
        known = Rotations(plan, 40)
        verdicts = [known.judge(slot, homes, payloads(plan, members)) for slot, homes, members in rounds]
        found.append((np.concatenate(verdicts).tolist(), known.packed(np.arange(40)).tolist()))

    assert {IN_PLACE} < set(found[0][0])
    assert found[0] == found[1] == found[2]


def test_what_was_given_holds(plan_of):
    """A home with a given turn and order is held to them from its first report on."""
    plan = rotating(plan_of, 5, 2, method="lpu", window=3)
    order, known = order_of(plan, bytes(16)), Rotations(plan, 1)
    known.give(0, 1, order)
    asked = [(slot, order[(slot // 3 * 2 + np.arange(2)) % 5]) for slot in (4, 7, 8)]

    first = known.judge(1, ONE, payloads(plan, [order[[1, 2]]]))
    others = [int(known.judge(slot, ONE, payloads(plan, [members]))[0]) for slot, members in asked]

    assert first == OUT_OF_ORDER
    assert others == [IN_PLACE, IN_PLACE, OUT_OF_TURN]
