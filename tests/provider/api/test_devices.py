"""A home of a plan that is replaced gets a place in its successor without a new code; nobody else does."""

import json
import random
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.audit.harness.in_process_client import JSON, EnrolledSigner, InProcessClient
from hushwatt.audit.harness.plans import plan_for
from hushwatt.wire.signature import public_bytes, sign_request

OLD = plan_for(random.Random(1), "lbu")
NEW = replace(OLD, name="new", replaces=OLD.id)
OTHER = replace(OLD, name="other")


@pytest.fixture
def client(tmp_path):
    with InProcessClient(tmp_path, OLD, NEW, OTHER, now=OLD.calendar.start_of(1), enrolment="codes") as client:
        yield client


def enrolled(client) -> EnrolledSigner:
    key = Ed25519PrivateKey.generate()
    wish = {"public_key": public_bytes(key).hex(), "code": client.codes(plan=OLD)[0]}
    place = client.ask("POST", f"/v1/plans/{OLD.id}/devices", json.dumps(wish).encode(), JSON).json()
    return EnrolledSigner(key, bytes.fromhex(place["device"]), None)


def asked(client, plan, home, key=None, signer=None):
    path, key = f"/v1/plans/{plan.id}/devices", key or home.key
    body = json.dumps({"public_key": public_bytes(key).hex()}).encode()
    signed = sign_request(signer or home.key, home.name, "POST", path, client.now, body)
    return client.ask("POST", path, body, [*JSON, *signed.items()])


def test_the_list_says_what_replaces_what(client):
    listed = {each["id"]: each.get("replaces") for each in client.ask("GET", "/v1/plans").json()["plans"]}
    assert listed == {OLD.id: None, NEW.id: OLD.id, OTHER.id: None}


def test_a_home_of_the_old_plan_needs_no_new_code(client):
    """One place for each, however often it asks, and the old one stays."""
    home = enrolled(client)
    first, again = (asked(client, NEW, home) for _ in range(2))
    assert first.status == again.status == 201
    assert first.json()["device"] == again.json()["device"] != home.name.hex()


def test_nobody_else_gets_a_place(client):
    """Not in another plan, not under another key, not by another's signature, not unsigned."""
    home, stranger = enrolled(client), Ed25519PrivateKey.generate()
    assert asked(client, OTHER, home).problem == "code-refused"
    assert asked(client, NEW, home, key=stranger).problem == "code-refused"
    assert asked(client, NEW, home, signer=stranger).problem == "signature-refused"
    assert asked(client, NEW, EnrolledSigner(stranger, bytes(16), None)).problem == "signature-refused"
    body = json.dumps({"public_key": public_bytes(home.key).hex()}).encode()
    assert client.ask("POST", f"/v1/plans/{NEW.id}/devices", body, JSON).problem == "code-refused"
