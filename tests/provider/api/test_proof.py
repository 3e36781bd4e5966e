"""The service proves who it is to whoever asks with a nonce, in every answer to a home."""

import json
from datetime import timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.audit.harness.in_process_client import JSON, InProcessClient
from hushwatt.audit.harness.plans import plan_for
from hushwatt.plan import Appliance
from hushwatt.wire.proof import NONCE_HEADER, PROOF_HEADER, Challenge
from hushwatt.wire.signature import public_bytes, sign_request

KEYS = [Ed25519PrivateKey.from_private_bytes(bytes([seed] * 32)) for seed in (1, 2)]
JOIN, OTHER = (json.dumps({"public_key": public_bytes(key).hex()}).encode() for key in KEYS)


@pytest.fixture
def client(tmp_path):
    import random

    many = tuple(Appliance.of(f"appliance {place}", [100, 200, 300]) for place in range(900))
    chance = random.Random(1)
    plan = plan_for(chance, "lbu", appliances=many, appliances_per_report=900, minimum_homes=10, oracle="oue")
    with InProcessClient(tmp_path, plan, now=plan.start + timedelta(hours=1), grace="1d") as opened:
        yield opened


def proved(client, method, path, body=b"", headers=()):
    """The answer to a question, and whether the provider's key proves it."""
    question = Challenge.fresh(method, path, body)
    said = client.ask(method, path, body, [*headers, *question.headers.items()])
    return said, question.proved_by(client.service.keys.public, said.headers, said.status, said.body)


@pytest.mark.parametrize(
    "method, path, body, status",
    [
        ("GET", "/v1/plans", b"", 200),
        ("GET", "/v1/keys", b"", 200),
        ("GET", "PLAN", b"", 200),
        ("GET", "/v1/plans/5f", b"", 404),
        ("GET", "/v1/nothing", b"", 404),
        ("PUT", "/v1/plans", b"", 405),
        ("POST", "PLAN/devices", JOIN, 201),
        ("POST", "PLAN/devices", b"nonsense", 422),
        ("POST", "PLAN/reports", b"records", 401),
        ("POST", "/v1/plans/5f/reports", b"records", 404),
        ("DELETE", "PLAN/devices/00", b"", 401),
    ],
)
def test_every_answer_to_a_home_is_proved(client, method, path, body, status):
    """Plans, keys, joining, refusals before and after the body was read; a plan of any size."""
    headers = JSON if path.endswith("devices") else ()
    said, holds = proved(client, method, path.replace("PLAN", client.path), body, headers)

    assert said.status == status
    assert holds


def test_an_upload_is_acknowledged_with_a_proof(client):
    """What is accepted, and that nothing is."""
    member = client.join()
    path = f"{client.path}/reports"
    signed = sign_request(member.key, member.name, "POST", path, client.now, b"")
    said, holds = proved(client, "POST", path, b"", signed.items())

    assert (said.status, json.loads(said.body)["accepted"]) == (200, 0)
    assert holds


def test_the_plan_was_a_large_one(client):
    """Larger than what is sent in one piece."""

    assert len(client.plan.canonical()) > 1 << 15


@pytest.mark.parametrize("nonces", [[], ["00" * 31], ["zz" * 32], ["00" * 32, "00" * 32], ["00" * 5_000]], ids=range(5))
def test_others_get_no_proof(client, nonces):
    """Without a nonce, or with something that is none, the answer is as before."""
    said = client.ask("GET", client.path, b"", [(NONCE_HEADER, nonce) for nonce in nonces])

    assert said.status == 200
    assert PROOF_HEADER.lower() not in said.headers
    assert "hushwatt-signature" in said.headers


def test_a_body_changed_on_the_way_is_not_proved(client):
    """Who takes another key than the home sent says so by its proof."""
    path, body = f"{client.path}/devices", JOIN
    question = Challenge.fresh("POST", path, body)
    said = client.ask("POST", path, OTHER, [*JSON, *question.headers.items()])

    assert said.status == 201
    assert not question.proved_by(client.service.keys.public, said.headers, said.status, said.body)
