"""Schedules are what clocks, orders and providers can ask for."""

from itertools import product

import pytest

from hushwatt.audit.exact.schedules import schedules
from hushwatt.audit.miniature import Mechanism, Shape, small_plan


def made(method, decision, window, slots, widths=(2, 2, 2), asked=3):
    """All schedules of a small plan."""
    mechanism = Mechanism(method, decision, "oue", "range", asked < len(widths))
    plan = small_plan(mechanism, Shape(widths, window, slots), 1_200_000, asked)
    return list(schedules(plan, slots))


def amounts(schedule):
    return [tuple(draw.amount for draw in slot) for slot in schedule]


def test_lbu_draws_every_slot():
    """LBU gives every slot its share."""

    assert [amounts(one) for one in made("lbu", None, 3, 4)] == [[(400_000,)] * 4]


def test_lsp_keeps_its_phase():
    """LSP draws in slots 0, w, 2w."""

    assert [amounts(one) for one in made("lsp", None, 2, 5)] == [[(1_200_000,), (), (1_200_000,), (), (1_200_000,)]]


def test_lpu_has_every_turn():
    """LPU speaks once in every w slots, from each of the w turns."""
    speaking = {tuple(len(slot) for slot in one) for one in made("lpu", None, 3, 5)}

    assert speaking == {(1, 0, 0, 1, 0), (0, 1, 0, 0, 1), (0, 0, 1, 0, 0)}


@pytest.mark.parametrize("method", ["lpd", "lpa"])
def test_picked_once_in_a_window(method):
    """However the provider wishes, a home speaks in any pattern that leaves w − 1 slots between."""
    speaking = {tuple(len(slot) for slot in one) for one in made(method, "provider", 3, 5)}

    allowed = {
        pattern
        for pattern in product((0, 1), repeat=5)
        if all(sum(pattern[start : start + 3]) <= 1 for start in range(5))
    }
    assert speaking == allowed


def test_provider_decides_freely():
    """Under LBA every sequence of decisions that the strategy allows is tried, probes included."""
    found = {tuple(amounts(one)) for one in made("lba", "provider", 2, 2)}

    share = 300_000
    assert found == {
        ((share,), (share,)),
        ((share, share), (share,)),
        ((share,), (share, 2 * share)),
        ((share, share), (share, share)),
    }


def test_rotation_comes_round():
    """In every order, s appliances at a time, n draws ask each appliance s times."""
    found = made("lbu", None, 1, 3, asked=2)

    assert len(found) == 6
    for schedule in found:
        asked = [member for slot in schedule for draw in slot for member in draw.members]
        assert sorted(asked) == [0, 0, 1, 1, 2, 2]
