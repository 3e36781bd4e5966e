"""Real fleets send what the enumeration says."""

from dataclasses import replace

import numpy as np
import pytest

from hushwatt.audit.laws import streams
from hushwatt.audit.laws.streams import audit_streams, cases, decided_law, fleet, law_of, other_law_of
from hushwatt.audit.planted import AgainstRelease, ReusedSeed
from hushwatt.household.report import report as steps
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.randomise import randomise
from hushwatt.privacy.entropy import Simulation
from hushwatt.wire.payload import Layout

CASES = {str(case): case for case in cases()}
HOMES = 60_000


@pytest.mark.parametrize("name", CASES)
def test_laws_add_up(name):
    """Every stream's law, right or wrong, is a law."""

    assert sum(law_of(CASES[name]).values()) == 1
    assert sum(other_law_of(CASES[name]).values()) == 1


@pytest.mark.parametrize("name", CASES)
def test_fleets_follow_their_law(name):
    """What a fleet sends fits the exact law of whole streams, and refuses another."""
    finding = audit_streams(CASES[name], HOMES)

    assert finding.passed, finding.figure


@pytest.mark.parametrize("name", [name for name in CASES if "lbu" in name or "lba" in name])
def test_a_reused_seed_is_found(name):
    """Noise that comes again in the next slot is found out."""

    assert not audit_streams(CASES[name], 20_000, ReusedSeed).passed


def test_deciding_by_the_release_is_found(monkeypatch):
    """A fleet that compares its probe with the release instead of the kept probe is found out."""
    keep = steps.remember_release

    def keep_release(homes, who, amounts, payloads):
        keep(homes, who, amounts, payloads)
        homes.probes[who] = payloads

    monkeypatch.setattr(steps, "remember_release", keep_release)
    case = CASES["streams of lba, oue, 1 of 1"]

    assert not audit_streams(case, 20_000).passed
    assert decided_law(case, AgainstRelease()) != law_of(case)


def test_a_peek_at_the_truth_is_found(monkeypatch):
    """A fleet whose decision looks at the true levels is found out."""
    case = CASES["streams of lba, grr, 1 of 1"]
    truth = {}

    def note(layout, levels, members, drawn, entropy):
        truth["levels"] = levels
        return randomise(layout, levels, members, drawn, entropy)

    def peek(self, rows, others):
        return 2 * (self.pack(truth["levels"]) != others).any(axis=1)

    def peeking(*some):
        with monkeypatch.context() as patch:  # the fleet alone: the enumeration measures by the same layout
            patch.setattr(Layout, "differences", peek)
            return fleet(*some)

    monkeypatch.setattr(streams, "enrol", lambda *homes: replace(enrol(*homes), randomiser=note))
    monkeypatch.setattr(streams, "fleet", peeking)

    assert not audit_streams(case, 20_000, lambda seed, purpose: Simulation(seed, purpose)).passed


def test_stream_repeats_are_bytes():
    """Under LSP the payload of the turn stands until the next, and only the first is new."""
    law = law_of(CASES["streams of lsp, oue, 1 of 1"])

    assert all(second == first % (1 << 32) for first, second, _ in law)
    assert np.all([first >= 1 << 32 and third >= 1 << 32 for first, _, third in law])
