"""A roll call gives the same devices as asking for each name."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.provider.intake import device_cache
from hushwatt.provider.intake.device_cache import DeviceCache
from hushwatt.provider.intake.device_names import devices_of
from hushwatt.wire.reports import ReportBatch

ROWS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abcde")), max_size=12)


def batch(rows):
    slots = np.array([slot for slot, _ in rows], dtype=np.int32)
    empty = np.zeros(len(rows), dtype=np.int64)
    names = pa.array([name for _, name in rows], pa.string())
    return ReportBatch(names, slots, empty.astype(np.int8), empty, empty, np.zeros((len(rows), 1), np.uint8))


@given(st.lists(ROWS, max_size=6))
def test_any_order_gives_the_right_devices(plan_of, batches):
    """Whatever is called in whatever order, every row gets the device of its own name."""
    plan = plan_of(2)
    called = DeviceCache(plan)
    for rows in batches:
        each = batch(rows)

        assert called.devices(each).tolist() == devices_of(plan, each.households).tolist()


@pytest.mark.parametrize("begin, hashed", [(0, 7), (4, 3 + 7 + 7)])
def test_the_same_order_is_hashed_once(begin, hashed, plan_of, monkeypatch):
    """Slots that repeat a whole one before cost a comparison, wherever batches are cut and reading begins."""
    asked = []
    monkeypatch.setattr(
        device_cache, "devices_of", lambda plan, names: asked.append(len(names)) or devices_of(plan, names)
    )
    rows = [(slot, name) for slot in range(9) for name in "abcdefg"]
    called = DeviceCache(plan_of(2))
    for start in range(begin, len(rows), 5):
        called.devices(batch(rows[start : start + 5]))

    assert sum(asked) == hashed


def test_homes_of_a_slot_are_joined_once(plan_of, monkeypatch):
    """However many batches a slot has, its names are copied once, and only when another slot is compared with it."""
    copied, concatenated = [], pa.concat_arrays
    monkeypatch.setattr(
        pa, "concat_arrays", lambda arrays: copied.append(sum(map(len, arrays))) or concatenated(arrays)
    )
    called = DeviceCache(plan_of(2))
    for slot in range(3):
        for start in range(0, 200, 10):
            called.devices(batch([(slot, f"home {number}") for number in range(start, start + 10)]))

    assert copied == [200]
