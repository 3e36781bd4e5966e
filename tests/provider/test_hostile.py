"""Bytes thrown at the service: refused, never a failure of ours, never stored."""

import numpy as np
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from tests.provider.collecting import histories, records

from hushwatt.wire.signature import sign_request


@pytest.fixture
def talk(collecting, plan_of):
    return collecting(plan_of(3, 4, 2, oracle="oue"), days=0.5, requests_per_second=10**6, strangers_per_second=10**6)


def test_broken_uploads_are_refused(talk):
    """Bodies and headers broken in every way: no 5xx, and only what was really signed is kept."""
    key, name, devices = talk.gateway(4)
    (sent,) = histories(talk.plan, 4, 1)
    body, path, chance = records(devices, sent), f"{talk.path}/reports", np.random.default_rng(7)

    statuses = []
    for turn in range(400):
        bytes_, headers = bytearray(body), {}
        for _ in range(chance.integers(1, 6)):
            bytes_[chance.integers(len(bytes_))] = chance.integers(256)
        broken = bytes(bytes_[: chance.integers(len(body) + 1)]) * int(chance.integers(1, 4))
        if turn % 2:
            headers = sign_request(key, name, "POST", path, talk.now, broken)
        if turn % 5 == 0:
            headers = {word: chance.bytes(20).hex() for word in headers or ["Hushwatt-Device"]}
        statuses.append(talk.client.post(path, content=broken, headers=headers).status_code)

    assert set(statuses) <= {200, 400, 401, 422}
    assert {400, 401} <= set(statuses)
    whole = talk.send(key, name, body).json()
    assert whole["accepted"] + whole["repeated"] == 4
    assert talk.service.read.slots(talk.plan)[0].reports == 4


def test_signed_nonsense_is_refused(talk):
    """An enrolled signer who sends random records gets an answer for each, and the tallies stay sound."""
    key, name, devices = talk.gateway(4)
    rows = np.random.default_rng(8).integers(0, 256, (500, 28 + 2), dtype=np.uint8)
    rows[::2, :16] = np.frombuffer(devices[0], np.uint8)
    rows[::4, 16:20] = 0

    answer = talk.send(key, name, rows.tobytes()).json()

    assert len(answer["rejected"]) == 500
    assert {each["reason"] for each in answer["rejected"]} <= {
        "not_enrolled", "too_early", "wrong_amount", "wrong_payload", "too_late"
    }  # fmt: skip
    assert talk.service.read.slots(talk.plan)[0].reports == 0


def test_whatever_the_description_allows_is_answered(talk):
    """Requests made up from the OpenAPI description, right ones and wrong ones: no 5xx."""
    schema = schemathesis.openapi.from_asgi("/v1/openapi.json", talk.app)
    statuses = set()
    for operation in schema.get_all_operations():

        @given(case=operation.ok().as_strategy())  # type: ignore[union-attr]
        @settings(max_examples=15, suppress_health_check=list(HealthCheck), database=None)
        def check(case):
            if "plan_id" in (case.path_parameters or {}):
                case.path_parameters["plan_id"] = talk.plan.id
            answer = case.call(base_url="http://127.0.0.1")
            statuses.add(answer.status_code)
            assert answer.status_code < 500, case.as_curl_command()

        check()

    assert {200, 401, 422} <= statuses
