"""A marked reading is found in every shape, and nothing else is."""

import base64
import struct

import numpy as np
import pytest

from hushwatt.audit.harness.marked import STEP, found, middle_watts, secret_watts, shapes_of

WATTS = 3729.183746551
SHAPES: dict[str, str | bytes] = {
    "plain": f"{WATTS}",
    "one digit": f"{WATTS:.1f} W",
    "three digits": f"{WATTS:.3f}",
    "scientific": f"{WATTS:.8e}",
    "kilowatts": f"{WATTS / 1000:.6f} kW",
    "milliwatts": f"{WATTS * 1000:.0f} mW",
    "numpy": str(np.array([WATTS, 1.0])),
    "little": struct.pack("<d", WATTS),
    "big": struct.pack(">d", WATTS),
    "hex": struct.pack("<d", WATTS).hex(),
    "base64": base64.b64encode(struct.pack("<d", WATTS)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_found_in_every_shape(name):
    """However a reading is written down, the search finds it, and says where but not what."""
    text = SHAPES[name]
    places = {
        "log": b"slot 3: " + (text if isinstance(text, bytes) else text.encode()) + b" end",
        "wire": b"",
    }

    leaks = found([1.5, WATTS], places)

    assert leaks
    assert all(leak.endswith("in the log") and "3729" not in leak for leak in leaks)


def test_nothing_else_is_found():
    """Other numbers, and random bytes by the megabyte, are not taken for a reading."""
    other = {"log": b"3728.9 3730.0 372.91 slot 3729", "wire": np.random.default_rng(1).bytes(1 << 20)}

    assert found([WATTS], other) == []


def test_secrets_lie_inside_their_levels():
    """A level's secret is one of that level, never the same twice."""
    many = np.array([secret_watts(4) for _ in range(200)])

    assert (many // STEP == np.arange(4)).all()
    assert len(np.unique(many)) == many.size
    assert all(len(set(shapes_of(watts).values())) >= 9 for watts in many[0])
    assert (middle_watts([0, 2]) == [0.5 * STEP, 2.5 * STEP]).all()
