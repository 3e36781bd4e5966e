"""Turns and orders: even, complete, the same on both sides."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from hushwatt.plan.presets import preset
from hushwatt.privacy.rotation import assigned_turn, first_place, order_of

VECTOR = (
    "1d7a3ce125940eb9",
    [12, 11, 13, 10, 2, 0, 5, 9, 7, 6, 3, 1, 4, 14, 8],
)  # the preset `paper`, device 000102…0f


@given(window=st.integers(1, 30), block=st.integers(0, 99))
def test_turns_offered_are_even(plan_of, window, block):
    """Any w homes in a row, counted from a multiple of w, have one turn each."""
    plan = plan_of(2, method="lpu", window=window)

    turns = [assigned_turn(plan, block * window + home) for home in range(window)]

    assert sorted(turns) == list(range(window))


def test_turns_offered_look_like_chance(plan_of):
    """The first home of a block has each turn equally often, and the order of enrolment tells nothing."""
    plan = plan_of(2, method="lpu", window=5)
    firsts = np.bincount([assigned_turn(plan, 5 * block) for block in range(2_000)])

    assert chisquare(firsts).pvalue > 1e-6
    assert chisquare(firsts + np.array([100, 0, 0, 0, -100])).pvalue < 1e-6


def test_only_plans_with_turns_offer_them(plan_of):
    """Where everyone speaks in every slot there is no turn."""
    assert assigned_turn(plan_of(2, method="lbu"), 3) is None
    assert assigned_turn(plan_of(2, method="lsp"), 3) is None


def test_orders_are_all_orders_alike(plan_of):
    """Devices have every order of three appliances equally often."""
    plan = plan_of(2, 2, 2, appliances_per_report=1)
    orders = [tuple(order_of(plan, device.to_bytes(16, "big")).tolist()) for device in range(6_000)]

    kinds, counts = np.unique(orders, axis=0, return_counts=True)

    assert len(kinds) == 6
    assert chisquare(counts).pvalue > 1e-6


def test_the_order_of_a_device_is_for_ever():
    """A program in another language can check itself against this one."""
    plan = preset("paper")

    order = order_of(plan, bytes(range(16)))

    assert sorted(order.tolist()) == list(range(15))
    assert plan.id.startswith(VECTOR[0])
    assert order.tolist() == VECTOR[1]


def test_a_turn_is_a_slot_or_a_window(plan_of):
    """LBU walks on in every slot, LSP and LPU in every window."""
    places = [
        [first_place(plan_of(2, 2, 2, method=method, appliances_per_report=2), slot) for slot in range(7)]
        for method in ("lbu", "lsp", "lpu")
    ]

    assert places == [[0, 2, 1, 0, 2, 1, 0], [0, 0, 0, 2, 2, 2, 1], [0, 0, 0, 2, 2, 2, 1]]
