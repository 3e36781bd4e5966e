"""Random words come through one door, and no two streams share any."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import binomtest

from hushwatt.privacy.entropy import (
    ZEROS,
    FreshKeys,
    Keystream,
    OperatingSystem,
    Simulation,
    permutations,
    shuffled,
    source_for,
)

DOUBT = 1e-9
FORKED = """
import os
from hushwatt.privacy.entropy import FreshKeys

stream = FreshKeys().stream()
stream.words(1)
if os.fork():
    os._exit(os.waitstatus_to_exitcode(os.wait()[1]))
try:
    stream.words(1)
except RuntimeError as refused:
    print(refused, flush=True)
    os._exit(3)
os._exit(0)
"""

LABELS = [
    (),
    ("a",),
    ("a", "b"),
    ("a\x1fb",),
    ("a\x1fstr:b",),
    ('a", "b',),
    ("ab",),
    ("", "ab"),
    ("b", "a"),
    (1,),
    ("1",),
    (1, 1),
    (11,),
    (-1,),
    ("probe", 3, 1, 0),
    ("probe", 3, 10),
]


def test_different_labels_name_different_streams():
    """No two lists of labels spell the same stream, whatever signs they contain."""
    words = {Simulation(7, "plan").stream(*labels).words(1)[0]: labels for labels in LABELS}

    assert list(words.values()) == LABELS


def test_seed_and_purpose_name_streams_too():
    """Another seed or purpose gives other words, also where their texts run together."""
    sources = [Simulation(7, "plan"), Simulation(8, "plan"), Simulation(7, "plan 2"), Simulation(72, "plan")]

    words = {source.stream("slot", 1).words(1)[0] for source in sources}

    assert len(words) == len(sources)
    assert Simulation(1, "a").stream("b").words(1) != Simulation(1, "a, b").stream().words(1)


def test_same_labels_give_the_same_words():
    """A seeded stream can be drawn again, also with a label that comes from an array."""
    source = Simulation(7, "plan")

    assert (source.stream("slot", 3).words(100) == source.stream("slot", np.int64(3)).words(100)).all()  # type: ignore[arg-type]


def test_streams_never_share_words():
    """A hundred streams of a thousand words hold a hundred thousand different words."""
    source = Simulation(7, "plan")

    words = np.concatenate([source.stream("probe", slot).words(1_000) for slot in range(100)])

    assert len(np.unique(words)) == 100_000


def test_a_stream_goes_on_where_it_stopped():
    """Drawing in parts gives the same words as drawing at once, beyond the size of one pass."""
    count = 2 * len(ZEROS) // 8 + 5

    at_once = Keystream(bytes(16)).words(count)
    stream = Keystream(bytes(16))
    in_parts = np.concatenate([stream.words(part) for part in (0, 1, 7, count - 8)])

    assert (at_once == in_parts).all()
    assert len(np.unique(at_once)) == count


@pytest.mark.parametrize("source", [OperatingSystem(), FreshKeys()])
def test_system_randomness_never_repeats(source):
    """Without a seed the same labels give other words every time."""
    words = np.concatenate([source.stream("probe", 1).words(1_000) for _ in range(3)])

    assert len(np.unique(words)) == 3_000


@pytest.mark.parametrize("source", [OperatingSystem(), FreshKeys(), Simulation(7, "plan")])
def test_words_are_the_caller_s(source):
    """Whoever draws words may write over them, and what comes next is not touched by that."""
    words = source.stream("probe").words(3)
    words[:] = 0

    assert source.stream("probe").words(3).all()


def test_a_forked_keystream_refuses():
    """A child process cannot draw its parent's words a second time."""
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=60)

    assert done.returncode == 3
    assert "forked" in done.stdout


def test_a_seed_makes_a_simulation():
    """Only a seed gives words that can be drawn again."""

    assert isinstance(source_for(None, "plan"), FreshKeys)
    assert source_for(0, "plan") == Simulation(0, "plan")


def test_every_order_is_as_likely_as_any_other():
    """All six orders of three things come equally often, and 2 % off would be noticed."""
    rows = 1_500_000

    orders = permutations(rows, 3, Simulation(7, "orders").stream())
    names, times = np.unique(orders @ [100, 10, 1], return_counts=True)

    assert names.tolist() == [12, 21, 102, 120, 201, 210]
    assert all(binomtest(int(seen), rows, 1 / 6).pvalue > DOUBT for seen in times)
    assert all(binomtest(int(seen), rows, 0.98 / 6).pvalue < DOUBT for seen in times)


@pytest.mark.parametrize("count", [0, 1, 1_000])
def test_shuffling_loses_nothing(count):
    """A shuffle holds everything once."""
    order = shuffled(count, OperatingSystem())

    assert sorted(order.tolist()) == list(range(count))
