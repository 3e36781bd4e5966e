"""Homes that read or believe too much are found out."""

import json
import re
from contextlib import contextmanager

from hushwatt.chaos.home import foreign_messages
from hushwatt.household.join import resume
from hushwatt.household.results import published
from hushwatt.household.sources import json_path
from hushwatt.household.sources.presets import PRESETS, shelly
from hushwatt.household.upload import http, outbox
from hushwatt.household.upload.provider_client import PlanSession, ProviderClient, VerifiedSession
from hushwatt.household.upload.timed_socket import TimedSocket
from hushwatt.wire.proof import Challenge


def test_every_preset_hears_foreign_messages():
    """A new preset needs a plug in the scenario."""

    assert {plug["preset"] for plug in foreign_messages.PLUGS} == set(PRESETS)


def test_a_preset_that_trusts_types(monkeypatch, found_out):
    """A list where a table should be ends such a home."""
    monkeypatch.setattr(shelly, "step_into", lambda found, step: (found or {}).get(step))

    assert "AttributeError at" in found_out("foreign-messages")


def test_a_reader_without_depth(monkeypatch, found_out):
    """A sum over lists in lists ends a home that reads any depth."""
    monkeypatch.setattr(json_path, "parse_json", json.loads)

    assert re.search("RecursionError|JSONDecodeError", found_out("foreign-messages"))


def test_a_home_that_the_broker_can_wake(monkeypatch, found_out):
    """A switch that also resumes is found."""

    def obey(store, payload, retained, now):
        if payload == b"OFF":
            resume(store, None)
        return True

    monkeypatch.setattr(foreign_messages, "obey", obey)

    assert found_out("foreign-messages") == "the broker ended or moved a pause"


def test_answers_read_without_bounds(monkeypatch, found_out):
    """A provider's brackets end a home that counts on their number."""
    monkeypatch.setattr(http, "parse_json", lambda data, largest=0: json.loads(data))

    assert re.search("RecursionError|JSONDecodeError|UnicodeDecodeError", found_out("foreign-answers"))


def test_results_beyond_all_sense(monkeypatch, found_out):
    """Limits that are no numbers to reckon with are believed by a home that takes them as they are."""
    monkeypatch.setattr(published, "as_finite", lambda value: value)

    assert re.search("beyond all sense was believed|TypeError", found_out("foreign-answers"))


def test_chunks_without_bounds(monkeypatch, found_out):
    """A number that Python cannot hold as a size is more than http.client expects."""
    told = http.HttpSession._told

    def careless(self, step):
        try:
            return step()
        except OverflowError:
            raise
        except Exception:
            return told(self, step)

    monkeypatch.setattr(http.HttpSession, "_told", careless)
    monkeypatch.setattr(TimedSocket, "receive", lambda self, buffer: self.plug.recv_into(buffer))

    assert "OverflowError" in found_out("foreign-answers")


def test_verdicts_in_any_words(monkeypatch, found_out):
    """A reason that is kept as it came is found."""
    monkeypatch.setattr(outbox, "REASON", re.compile(".*", re.DOTALL))

    assert found_out("foreign-answers") == "a verdict that is no word was believed"


def test_any_proof_will_do(monkeypatch, found_out):
    """A home that believes every proof sends to everyone."""
    monkeypatch.setattr(Challenge, "proved_by", lambda *_: True)

    assert re.search("was believed|was sent to", found_out("swapped-server"))


def test_acknowledgements_without_a_proof(monkeypatch, found_out):
    """A home that asks for the key first, and believes whatever comes afterwards."""

    def upload(self, key, device, body, time):
        return self.session.transport.ask(
            "POST", f"/v1/plans/{self.plan_id}/reports", body, {"Hushwatt-Nonce": "00" * 32}
        )

    monkeypatch.setattr(PlanSession, "upload", upload)

    assert "an acknowledgement without the key was believed" in found_out("swapped-server")


def test_a_look_that_is_good_for_an_hour(monkeypatch, found_out):
    """A home that remembers having seen the key sends to whoever answers next."""
    seen, plan_session = {}, ProviderClient.plan_session

    @contextmanager
    def remembering(self, plan_id, pinned=None):
        if plan_id not in seen:
            with plan_session(self, plan_id, pinned) as provider:
                seen[plan_id] = provider.canonical, provider.key
                yield provider
        else:
            session = self.connect(self.address)
            yield PlanSession(VerifiedSession(self.address, session, seen[plan_id][1]), plan_id, *seen[plan_id])

    monkeypatch.setattr(ProviderClient, "plan_session", remembering)

    assert "something was sent to a server without the key" in found_out("swapped-server")
