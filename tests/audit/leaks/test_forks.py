"""Claim C18: no weak randomness at home."""

import os

import numpy as np
import pytest

from hushwatt.audit.leaks.forks import audit_forks, audit_imports, fork_audits
from hushwatt.privacy.entropy import FreshKeys, Keystream, OperatingSystem

FORKS = 25


class Pool(OperatingSystem):
    """A source that draws in advance, as many do to save calls."""

    def __init__(self):
        self.left = np.frombuffer(os.urandom(1 << 16), dtype=np.uint64)

    def words(self, count):
        words, self.left = self.left[:count].copy(), self.left[count:]
        return words


@pytest.mark.parametrize("source", [OperatingSystem(), FreshKeys()], ids=["home", "fleet"])
def test_forks_never_agree(source):
    """Copies of one process never make the same report."""

    assert audit_forks("a home", source, FORKS).passed


def test_words_drawn_in_advance_are_found():
    """A pool of random words is copied by fork, and the copies make equal reports."""
    finding = audit_forks("a pool", Pool(), FORKS)

    assert finding.numbers["equal"] == FORKS - 1


def test_a_keystream_is_not_shared():
    """A copy that holds its parent's keystream makes no report at all, which is noticed too."""

    class Kept:
        def __init__(self):
            self.kept = Keystream(os.urandom(16))

        def stream(self, *labels):
            return self.kept

    assert not audit_forks("a keystream", Kept(), 3).passed


def test_words_are_the_operating_system_s(monkeypatch):
    """At home every word, and in a fleet every key, is what the operating system gave."""
    given = []

    def urandom(count):
        given.append(bytes(range(7, 7 + count)))
        return given[-1]

    monkeypatch.setattr("hushwatt.privacy.entropy.os.urandom", urandom)
    words, fleet = OperatingSystem().stream("x").words(3), FreshKeys().stream("x").words(3)

    assert words.tobytes() == given[0]
    assert (fleet == Keystream(given[1]).words(3)).all()
    assert [len(each) for each in given] == [24, 16]


def test_imports():
    """Nothing that runs at home names a generator that can be guessed."""
    finding = audit_imports()

    assert finding.passed, finding.numbers


@pytest.mark.parametrize(
    "text",
    [
        "import random",
        "from random import choice",
        "from numpy import random",
        "import numpy as np\nnp.random.rand()",
    ],
)
def test_a_weak_import_is_found(tmp_path, text):
    """Every usual way to a weak generator is seen."""
    (tmp_path / "wire").mkdir()
    (tmp_path / "wire" / "fault.py").write_text(text)

    assert not audit_imports(tmp_path).passed


def test_a_thousand_forks():
    """The full audit makes a thousand copies of each, the agent's own source among them."""
    _, agents, fleets = fork_audits()

    assert agents.args[2] == fleets.args[2] == 1_000  # type: ignore[attr-defined]
    assert isinstance(agents.args[1], OperatingSystem)  # type: ignore[attr-defined]
