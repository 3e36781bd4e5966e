"""Claim C16: no true reading leaves, and none stays."""

import logging

import pytest

from hushwatt.audit.leaks import canary
from hushwatt.audit.leaks.canary import TROUBLES, CanaryRun, audit_canary, canary_audits
from hushwatt.errors import StateError
from hushwatt.household.agent import Agent
from hushwatt.household.membership import Membership
from hushwatt.household.sources.hub import Hub
from hushwatt.household.upload.outbox import Outbox

RUNS = 9


@pytest.mark.parametrize("trouble", TROUBLES)
def test_no_reading_is_found(trouble):
    """Whatever goes wrong, no reading is in a file, a line, an error, a repr or a request."""
    finding = audit_canary(trouble, RUNS)

    assert finding.passed, finding


def test_a_hundred_thousand_runs():
    """The full audit goes through a hundred thousand homes."""

    assert sum(audit.args[1] for audit in canary_audits()) >= 100_000  # type: ignore[attr-defined]


def leaking(close, leak):
    """The shipped end of a slot, with a slip in it."""

    def slip(self, watts, due):
        close(self, watts, due)
        leak(self, watts)

    return slip


def log_it(member, watts):
    logging.getLogger("hushwatt.household").debug("means %s", watts)


def note_it(member, watts):
    member.store.write_value("last", float(watts[0]))


def note_text(member, watts):
    member.store.write_value("last", f"{watts[0]:.1f}")


def complain(member, watts):
    raise StateError(f"cannot go on after {watts}")


@pytest.mark.parametrize("leak", [log_it, note_it, note_text, complain])
def test_a_slip_is_found(monkeypatch, leak):
    """A reading in a debug line, in a column of the ledger or in an error is seen."""
    monkeypatch.setattr(Membership, "report_slot", leaking(Membership.report_slot, leak))

    assert not audit_canary("none", 3).passed


@pytest.mark.parametrize("place", range(4))
def test_one_home_that_leaks_is_enough(monkeypatch, place):
    """Whichever home it is, and whichever process it lived in, its leak is counted and named."""
    runs = [CanaryRun(["ledger holds 12.5"] if home == place else [], said=home == place) for home in range(4)]
    monkeypatch.setattr(canary, "map_on_all_cores", lambda work, sizes: [runs[:2], runs[2:]])
    finding = audit_canary("disk", 4)

    assert not finding.passed
    assert finding.figure.startswith("1 readings seen in 4 homes")
    assert finding.numbers["leaks"] == "ledger holds 12.5"


def test_a_repr_that_tells_is_found(monkeypatch):
    """The agent's memory of the last means must not be in its repr."""
    monkeypatch.setattr(Agent, "__repr__", lambda self: f"Agent({self.latest})")

    assert not audit_canary("none", 3).passed


def test_a_header_that_tells_is_found(monkeypatch):
    """A reading that rides along with an upload is seen."""
    send, seen = Outbox.send, []
    close = Membership.report_slot

    def note(self, watts, due):
        seen.append(float(watts[0]))
        close(self, watts, due)

    def tell(self, now):
        told = {"Watts": f"{seen[-1]:.2f}", "Hushwatt-Nonce": "00" * 32}
        self.client("").connect("").ask("POST", "/v1/plans/x/reports", b"", told)
        send(self, now)

    monkeypatch.setattr(Membership, "report_slot", note)
    monkeypatch.setattr(Outbox, "send", tell)

    assert not audit_canary("none", 3).passed


def test_a_plug_that_tells_is_found(monkeypatch):
    """A line about a broken plug must not carry what the plug said."""
    hear = Hub.on_message

    def slip(self, time, topic, payload, retained):
        hear(self, time, topic, payload, retained)
        self.say(f"heard {payload!r}")

    monkeypatch.setattr(Hub, "on_message", slip)

    assert not audit_canary("plugs", 3).passed


def test_trouble_that_does_not_come_is_noticed(monkeypatch):
    """An audit whose trouble never came to pass says so."""
    monkeypatch.setitem(TROUBLES, "disk", TROUBLES["none"])

    assert not audit_canary("disk", 3).passed
