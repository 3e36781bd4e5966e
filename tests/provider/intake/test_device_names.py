"""Homes that files name: one device each, found again however many there are."""

from hashlib import sha256

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.provider.intake.device_names import DeviceIndex, device_of, devices_of, names_of, unique_devices

DEVICES = st.lists(st.binary(min_size=1, max_size=3).map(lambda word: word.ljust(16, b"\0")), max_size=60)


def rows(devices):
    return np.frombuffer(b"".join(devices), dtype=np.uint8).reshape(-1, 16)


def test_a_name_is_a_device_of_its_plan(plan_of):
    """SHA-256 over the plan's id and the name: the same everywhere, another one under another plan."""
    plan, other = plan_of(2, 3), plan_of(3, 2)

    expected = sha256(bytes.fromhex(plan.id) + "Åsgård 7".encode()).digest()[:16]

    assert device_of(plan, "Åsgård 7") == expected
    assert device_of(other, "Åsgård 7") != expected
    assert devices_of(plan, pa.array(["a", "Åsgård 7"]))[1].tobytes() == expected


def test_devices_keep_their_names(plan_of):
    """What an archive calls a device is that device; what only looks alike is a name."""
    plan, device = plan_of(2, 3), bytes(range(16))
    (name,) = names_of(rows([device]))

    assert device_of(plan, name) == device
    for alike in (name.upper(), name + "0", name[:-1], device.hex()):
        assert device_of(plan, alike) == sha256(bytes.fromhex(plan.id) + alike.encode()).digest()[:16]


@given(DEVICES)
def test_distinct_devices_come_in_order(devices):
    """Each is there once, where it came first, and every row knows its own."""
    found, places = unique_devices(rows(devices))

    assert [device.tobytes() for device in found] == list(dict.fromkeys(devices))
    assert [found[place].tobytes() for place in places] == devices


@given(st.lists(DEVICES, max_size=5), DEVICES)
def test_known_homes_are_a_dictionary(batches, asked):
    """Whatever was added is found, and nothing else, also when half of two devices is the same."""
    known, model = DeviceIndex(), {}
    for devices in batches:
        found, _ = unique_devices(rows(devices))
        new = [device for device in dict.fromkeys(devices) if device not in model]
        numbers = np.arange(len(model), len(model) + len(new))
        assert known.find(found)[0].tolist() == [model.get(device.tobytes(), -1) for device in found]
        known.add(rows(new), numbers, 2 * numbers)
        model |= dict(zip(new, numbers.tolist(), strict=True))

    homes, cells = known.find(rows(asked))
    assert homes.tolist() == [model.get(device, -1) for device in asked]
    assert cells.tolist() == [2 * home if home >= 0 else -1 for home in homes.tolist()]
