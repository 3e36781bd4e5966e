"""Claim C17: whether and when a home sends never depends on its readings."""

import logging

import pytest

from hushwatt.audit.harness.lives import plan_at_home
from hushwatt.audit.leaks import twins
from hushwatt.audit.leaks.twins import PLANS, READINGS, UNMEASURED, audit_twins
from hushwatt.household import membership
from hushwatt.household.membership import Membership
from hushwatt.household.report import report as steps
from hushwatt.household.report.serialise import dump_home

SLOTS = 6


@pytest.mark.parametrize("chosen", PLANS, ids=lambda chosen: f"{chosen[0]} {chosen[2]} {chosen[3]}")
def test_twins_are_alike(chosen):
    """Homes with other readings leave the same traces, but for what was randomised."""
    finding = audit_twins(plan_at_home(*chosen), SLOTS)

    assert finding.passed, finding


@pytest.mark.parametrize("kind", UNMEASURED)
def test_a_home_without_a_plug_is_no_exception(monkeypatch, kind):
    """Where "not measured" is an answer, homes without plugs are compared too."""
    monkeypatch.setattr(twins, "traces", lambda plan, readings, slots: {"lines": [readings is UNMEASURED[kind]]})

    assert audit_twins(plan_at_home(*PLANS[-1]), SLOTS).numbers["differ"] == f"{kind}: lines"
    assert audit_twins(plan_at_home(*PLANS[0]), SLOTS).passed


@pytest.mark.parametrize("part", ["times", "ledger", "requests", "lines"])
@pytest.mark.parametrize("kind", list(READINGS)[1:])
def test_one_trace_that_differs_is_enough(monkeypatch, kind, part):
    """Whichever readings leave it, and in whichever place."""

    def traces(plan, readings, slots):
        alike = {"times": [1], "ledger": {"plans": []}, "requests": [], "lines": ["x"]}
        return alike | ({part: "other"} if readings is READINGS[kind] else {})

    monkeypatch.setattr(twins, "traces", traces)
    finding = audit_twins(plan_at_home(*PLANS[0]), SLOTS)

    assert not finding.passed
    assert finding.numbers["differ"] == f"{kind}: {part}"


def silent_when_off(close):
    def slip(self, watts, due):
        if watts.any():
            close(self, watts, due)
        else:
            self.skip_slots(self.slot, "nothing was on")

    return slip


def sooner_when_on(close):
    return lambda self, watts, due: close(self, watts, due - int(watts.sum() > 0))


def twice_when_on(close):
    def slip(self, watts, due):
        close(self, watts, due)
        if watts.any():
            self.store.write_value("seen", self.slot)

    return slip


def says_when_high(close):
    def slip(self, watts, due):
        close(self, watts, due)
        if watts.max() > 1e8:
            logging.getLogger("hushwatt.household").debug("a reading beyond the last level")

    return slip


@pytest.mark.parametrize("slip", [silent_when_off, sooner_when_on, twice_when_on, says_when_high])
def test_a_slip_is_found(monkeypatch, slip):
    """Silence, a time, a row or a line that depends on the readings is seen."""
    monkeypatch.setattr(Membership, "report_slot", slip(Membership.report_slot))

    assert not audit_twins(plan_at_home(*PLANS[0]), SLOTS).passed


def test_levels_kept_at_home_are_found(monkeypatch):
    """True levels in the home's memory are seen, however small the numbers are."""
    seen = {}
    report = steps.report

    def note(homes, slot, levels, source):
        seen["levels"] = levels[0].tolist()
        return report(homes, slot, levels, source)

    monkeypatch.setattr(membership, "report", note)
    monkeypatch.setattr(
        membership, "dump_home", lambda homes: dump_home(homes)[:-1] + f', "seen": {seen.get("levels", [])}}}'
    )

    assert not audit_twins(plan_at_home(*PLANS[0]), SLOTS).passed
