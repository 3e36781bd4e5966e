"""Logs: one JSON line an event, nothing of a home in it."""

import json

import pytest
from tests.provider.collecting import histories, records

from hushwatt.provider.service.logs import log, silence, start_logs


@pytest.fixture(autouse=True)
def quiet_afterwards():
    yield
    start_logs("warning")


def test_a_line_is_json_without_homes(capsys):
    """Whatever is given, what could tell of one home is dropped."""
    start_logs("info")

    log().info("upload", reports=3, device="5f", payload=b"x", token="t", address="203.0.113.5")
    log().debug("too quiet")

    (line,) = capsys.readouterr().err.splitlines()
    told = json.loads(line)
    assert told.pop("timestamp").endswith("Z")
    assert told == {"event": "upload", "reports": 3, "level": "info"}


def test_a_whole_day_leaves_no_trace_of_a_home(collecting, plan_of, capsys):
    """Joining, reporting, being refused, leaving, at the most talkative level: no device, key or bits."""
    start_logs("debug")
    talk = collecting(plan_of(*[8] * 20, oracle="oue"), days=0.5)
    key, name, devices = talk.gateway(3)
    (sent,) = histories(talk.plan, 3, 1)
    body = records(devices, sent)

    talk.send(key, name, body)
    talk.send(key, devices[0], body)
    talk.send(key, name, body[:-1])
    talk.leave(key, name, devices[0])
    talk.clock.forward(days=3)
    talk.get("/estimates")

    written = capsys.readouterr().err
    assert written.count('"event": "request"') >= 6
    assert '"event": "published"' in written
    for secret in (name.hex(), *(device.hex() for device in devices), sent.payloads[0].tobytes().hex()):
        assert secret not in written
    assert str(sent.payloads[0].tobytes())[2:-1] not in written


def test_silence_ends(capsys):
    """Inside the block nothing is told, and afterwards all is as before."""
    start_logs("warning")
    with silence():
        log().error("unheard")
    log().error("heard")

    told = capsys.readouterr().err
    assert "unheard" not in told
    assert "heard" in told
