"""The service over HTTP: plans, joining, leaving, refusals, and who may look."""

import hashlib
import json
import re
from datetime import timedelta

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tests.provider.collecting import STORES, histories, records

from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.provider.api.problems import PREFIX, PROBLEMS
from hushwatt.provider.dashboard.assets import plotly
from hushwatt.provider.service.config import Config
from hushwatt.provider.service.keys import rotate_keys
from hushwatt.provider.service.service import load_plans
from hushwatt.provider.store.access_tokens import add_token
from hushwatt.wire.record import pack_many
from hushwatt.wire.signature import SIGNATURE_HEADER, sign_request, verify_plan, verify_successor

both_stores = pytest.mark.parametrize("store_address", STORES, indirect=True)


def problem(answer):
    """The name of the problem that a request was refused with."""
    told = answer.json()

    assert answer.headers["content-type"] == "application/problem+json"
    assert told["status"] == answer.status_code
    assert told["type"].startswith(PREFIX)
    assert (answer.status_code, told["title"]) == PROBLEMS[told["type"].removeprefix(PREFIX)]
    return told["type"].removeprefix(PREFIX)


@pytest.fixture
def talk(collecting, plan_of):
    return collecting(plan_of(3, 4, 2, oracle="oue"), days=0.5)


def first_reports(talk, homes=3):
    """A gateway, its devices, and what they send in slot 0."""
    key, name, devices = talk.gateway(homes)
    (sent,) = histories(talk.plan, homes, 1)
    return key, name, records(devices, sent)


def test_a_plan_comes_signed(talk):
    """The body hashes to the id that was asked for, and the provider vouches for it."""
    answer = talk.get()
    key, signature = (bytes.fromhex(answer.headers[f"Hushwatt-{name}"]) for name in ("Key", "Signature"))

    assert hashlib.sha256(answer.content).hexdigest() == talk.plan.id
    assert Plan.parse(answer.content) == talk.plan
    assert verify_plan(key, signature, answer.content)
    (listed,) = talk.client.get("/v1/plans").json()["plans"]
    assert listed["id"] == talk.plan.id
    assert listed["enrolment"] == "open"


def test_a_rotated_key_is_vouched_for(collecting, plan_of, tmp_path):
    """After a rotation, plans are signed by the new key, and the old one says that it follows."""
    plan = plan_of(3, 4, 2)
    talk = collecting(plan)
    before = talk.client.get("/v1/keys").json()
    talk.stop()
    rotate_keys(tmp_path)
    talk = collecting(plan)

    after = talk.client.get("/v1/keys").json()
    (step,) = after["history"]

    assert before["history"] == []
    assert (step["key"], step["successor"]) == (before["key"], after["key"])
    assert verify_successor(*(bytes.fromhex(step[name]) for name in ("key", "signature", "successor")))
    assert talk.get().headers["Hushwatt-Key"] == after["key"]


@both_stores
def test_a_code_is_good_for_one_key(collecting, plan_of):
    """A code joins one home; asking again with its key gives the same device, another key is refused."""
    talk = collecting(plan_of(3, 4, 2), enrolment="codes")
    (code,) = talk.codes()

    key, first = talk.join(code=code)
    _, again = talk.join(key, code=code.lower().replace("-", " "))
    _, other = talk.join(code=code)

    assert first.status_code == again.status_code == 201
    assert first.json() == again.json()
    assert problem(other) == "code-refused"
    assert talk.service.read.state(talk.plan).homes == 1


@pytest.mark.parametrize("wish", [{}, {"code": "AAAAA-BBBBB-CCCCC-DDDDD"}, {"code": ""}])
def test_without_a_good_code_nobody_joins(collecting, plan_of, wish):
    """Where codes are needed, none, an empty one and an invented one are refused alike."""
    talk = collecting(plan_of(3, 4, 2), enrolment="codes")

    assert problem(talk.join(**wish)[1]) == "code-refused"
    assert talk.service.read.state(talk.plan).homes == 0


def test_codes_expire_and_have_a_size(collecting, plan_of):
    """An expired code, and more homes than a code is for, are refused."""
    talk = collecting(plan_of(3, 4, 2), enrolment="codes")
    (small,) = talk.codes(homes=5)
    (old,) = talk.codes(days=1)
    many = talk.join(code=small, homes=6)[1]
    talk.clock.forward(days=1)

    assert problem(many) == "code-refused"
    assert problem(talk.join(code=old)[1]) == "code-refused"
    assert talk.join(code=small, homes=5)[1].status_code == 201


def test_joining_twice_with_one_key_is_joining_once(talk):
    """In open enrolment, too, a lost answer can be asked for again."""
    key, first = talk.join()

    assert talk.join(key)[1].json() == first.json()
    assert talk.service.read.state(talk.plan).homes == 1


@both_stores
def test_a_gateway_speaks_for_its_homes_only(collecting, plan_of):
    """Records of another's device are refused as not enrolled, one by one."""
    talk = collecting(plan_of(3, 4, 2, oracle="oue"), days=0.5)
    key, name, body = first_reports(talk)
    other_key, other_name, other_body = first_reports(talk)

    answer = talk.send(key, name, body + other_body).json()

    assert answer["accepted"] == 3
    assert answer["rejected"] == [{"index": place, "reason": "not_enrolled"} for place in (3, 4, 5)]
    assert talk.send(other_key, other_name, other_body).json()["accepted"] == 3


def test_forged_altered_and_replayed_uploads_change_nothing(talk):
    """Another's key, other bytes, another home's name, an old time: refused; the same again: repeated."""
    key, name, body = first_reports(talk)
    stranger = Ed25519PrivateKey.generate()
    other_key, other_name, _ = talk.gateway(1)
    path = f"{talk.path}/reports"
    genuine = talk.send(key, name, body).request.headers

    assert problem(talk.send(stranger, name, body)) == "signature-refused"
    assert problem(talk.send(other_key, name, body)) == "signature-refused"
    assert problem(talk.send(stranger, bytes(16), body)) == "signature-refused"
    assert problem(talk.client.post(path, content=body[:-1] + b"\0", headers=genuine)) == "signature-refused"
    assert problem(talk.client.post(path, content=body, headers={})) == "signature-missing"
    assert talk.client.post(path, content=body, headers=genuine).json()["repeated"] == 3
    assert problem(talk.send(other_key, other_name, body)) == "nothing-accepted"
    talk.clock.forward(seconds=301)
    late = talk.client.post(path, content=body, headers=genuine)
    assert problem(late) == "clock-off"
    assert late.json()["now"] == talk.now


def test_uploads_that_are_no_uploads(talk):
    """A part of a record, a body too large, a compressed one: each has its own problem."""
    key, name, body = first_reports(talk)
    limit = talk.config.largest_upload

    assert problem(talk.send(key, name, body[:-1])) == "wrong-size"
    assert problem(talk.send(key, name, bytes(limit + 1))) == "too-large"
    assert problem(talk.send(key, name, body, **{"Content-Encoding": "gzip"})) == "compressed"
    pieces = (bytes(1 << 20) for _ in range(5))  # no length is told beforehand
    assert problem(talk.client.post(f"{talk.path}/reports", content=pieces)) == "too-large"
    assert talk.send(key, name, b"").json() == {"accepted": 0, "repeated": 0, "rejected": []}
    assert talk.service.read.slots(talk.plan)[0].reports == 0


@pytest.mark.parametrize("told", [True, False], ids=["length told", "in chunks"])
@pytest.mark.parametrize("path", ["devices", "publish"])
def test_wishes_are_short(talk, path, told):
    """What is no upload has a small body; more is refused."""
    body = b" " * 819_200 if told else (b" " * 8192 for _ in range(100))
    answer = talk.client.post(f"{talk.path}/{path}", content=body, headers={"Content-Type": "application/json"})

    assert problem(answer) == "too-large"


def test_large_answers_come_whole(talk):
    """What is sent piece by piece is what was asked for, to the last byte."""
    page = talk.client.get("/")
    address = re.search(r'src="(/static/plotly[^"]+)"', page.text)[1]

    script = talk.client.get(address, headers={"Accept-Encoding": "identity"})

    assert len(script.content) > 1_000_000
    assert script.content == plotly().file.read_bytes()


def test_unknown_and_ended_plans(talk):
    """An id that is not collected, and a plan whose last slot is closed."""
    key, name, body = first_reports(talk)
    nowhere = f"/v1/plans/{'0' * 64}"

    assert problem(talk.client.get(nowhere)) == "unknown-plan"
    assert problem(talk.send(key, name, body, path=f"{nowhere}/reports")) == "unknown-plan"
    talk.clock.set(talk.plan.expires + timedelta(days=2))
    assert problem(talk.send(key, name, body)) == "plan-over"
    assert problem(talk.join()[1]) == "plan-over"
    assert talk.get().status_code == 200


def test_reports_come_at_their_time(talk):
    """Too early before the slot begins, too late once it is closed; late ones are counted, not merged."""
    key, name, devices = talk.gateway(3)
    first, second, third = (records(devices, each) for each in histories(talk.plan, 3, 3))

    early = talk.send(key, name, second)
    talk.send(key, name, first[: len(first) // 3])
    talk.at_slot(0, late=timedelta(days=1))
    late = talk.send(key, name, first)
    in_time = talk.send(key, name, second + third)

    assert {each["reason"] for each in early.json()["rejected"]} == {"too_early"}
    assert problem(early) == "nothing-accepted"
    assert late.json() == {
        "accepted": 0,
        "repeated": 1,
        "rejected": [{"index": place, "reason": "too_late"} for place in (1, 2)],
    }
    assert in_time.json()["accepted"] == 6
    health = talk.get("/health").json()
    assert health["late"] == {"0": 2}
    assert health["rejected"] == {"too_early": 3, "too_late": 2}
    assert talk.get("/estimates").json()["slots"][0]["reports"] == 1


def test_amounts_and_bits_that_no_home_sends(talk):
    """A budget that the method never draws with, and a payload of ones only, are refused."""
    key, name, devices = talk.gateway(4)
    (sent,) = histories(talk.plan, 4, 1)

    rows = np.frombuffer(b"".join(devices), np.uint8).reshape(-1, 16)
    payloads, drawn, spent = sent.payloads.copy(), sent.drawn.copy(), sent.spent.copy()
    drawn[0], spent[1], payloads[2, -1] = 1, 0, 255

    answer = talk.send(key, name, pack_many(rows, 0, spent, drawn, payloads)).json()

    assert [each["reason"] for each in answer["rejected"]] == [
        "wrong_amount",
        "wrong_amount",
        "wrong_payload",
    ]
    assert answer["accepted"] == 1


@pytest.mark.parametrize("path", ["/estimates", "/top", "/slots", "/health", "/export.csv", "/metrics"])
def test_only_analysts_look(collecting, plan_of, path):
    """Where a token is needed, none, a wrong one and an expired one are refused; a good one, not."""
    talk = collecting(plan_of(3, 4, 2), access="token")
    with talk.service.database.writing() as session:
        token = add_token(session, "ada", talk.now, talk.now + 3600)
    path = f"/v1{path}" if path == "/metrics" else talk.path + path

    def look(**headers):
        return talk.client.get(path, headers=headers)

    assert problem(look()) == "token-needed"
    assert problem(look(Authorization="Bearer hushwatt_wrong")) == "token-needed"
    assert problem(look(Authorization=f"Basic {token}")) == "token-needed"
    assert look(Authorization=f"Bearer {token}").status_code == 200
    assert problem(look(Cookie=f"hushwatt_login={token}")) == "token-needed"  # a login is no token
    talk.clock.forward(hours=1)
    assert problem(look(Authorization=f"Bearer {token}")) == "token-needed"


@pytest.mark.parametrize(
    "headers", [{"X-Forwarded-For": "203.0.113.5"}, {"Forwarded": "for=203.0.113.5"}, {"Host": "example.org"}]
)
def test_nobody_from_elsewhere_passes_for_local(talk, headers):
    """What came through a proxy, or was meant for another host, needs a token even on loopback."""

    assert talk.get("/slots").status_code == 200
    assert problem(talk.get("/slots", headers=headers)) == "token-needed"


def test_strangers_are_slowed_down(collecting, plan_of):
    """From one address elsewhere, only so many requests of unknown people are looked at."""
    talk = collecting(plan_of(3, 4, 2), strangers_per_second=1)

    answers = [problem(talk.get("/slots", headers={"X-Forwarded-For": "203.0.113.5"})) for _ in range(12)]

    assert answers[:10] == ["token-needed"] * 10
    assert "too-many" in answers[10:]


def test_one_signer_cannot_flood(collecting, plan_of):
    """A signer who asks too often is told to wait."""
    talk = collecting(plan_of(3, 4, 2, oracle="oue"), days=0.5, requests_per_second=1)
    key, name, body = first_reports(talk)

    answers = [talk.send(key, name, body) for _ in range(12)]

    assert answers[0].status_code == 200
    assert problem(answers[-1]) == "too-many"
    assert answers[-1].headers["Retry-After"] == "1"


@pytest.mark.parametrize(
    "wish",
    [
        {"public_key": "00"},
        {"public_key": "zz" * 32},
        {"public_key": 5},
        {},
        {"public_key": "00" * 32, "extra": 1},
        {"public_key": "00" * 32, "homes": 0},
        {"public_key": "00" * 32, "code": "secret" * 20},
    ],
)
def test_wishes_that_cannot_be_understood(talk, wish):
    """The place and the reason are told, what was sent is not repeated."""
    answer = talk.client.post(f"{talk.path}/devices", json=wish)

    assert problem(answer) == "wrong-request"
    assert "secret" not in answer.text


@pytest.mark.parametrize(
    "query", [{"from": "yesterday"}, {"from": "2024-02-01", "to": "2024-01-01"}, {"consistency": "x"}]
)
def test_questions_that_cannot_be_understood(talk, query):
    """A time that is none, a stretch that ends before it begins, an unknown choice."""

    assert problem(talk.get("/estimates", params=query)) == "wrong-request"


def test_other_addresses(talk):
    """An unknown address and a method that it does not have are problems too."""

    assert problem(talk.client.get("/v2/plans")) == "not-found"
    assert problem(talk.client.put("/v1/plans")) == "wrong-method"
    assert problem(talk.client.delete(f"{talk.path}/devices/xyz")) == "signature-missing"


@pytest.mark.parametrize("word", ["xyz", "00", "00" * 17])
def test_devices_are_named_by_16_bytes(talk, word):
    """Another word names no device, whoever signs."""
    key, device = talk.home()
    answer = talk.send(key, device, b"", path=f"{talk.path}/devices/{word}", method="DELETE")

    assert problem(answer) == "not-found"
    assert answer.json()["detail"] == "a device is named by 16 bytes in hex"


def test_exports_hold_what_estimates_say(talk):
    """CSV, Parquet and JSON come as files with a name."""
    key, name, body = first_reports(talk)
    talk.send(key, name, body)
    talk.clock.forward(days=3)

    csv, parquet, plain = (talk.get(f"/export.{form}") for form in ("csv", "parquet", "json"))

    assert csv.text.count("\n") == 1 + talk.plan.width
    assert parquet.content[:4] == b"PAR1"
    assert plain.json() == talk.get("/estimates").json()
    assert "attachment" in csv.headers["Content-Disposition"]


def test_grace_can_be_ended_by_hand(collecting, plan_of):
    """An analyst publishes slots that are over; one that is not over stays open."""
    talk = collecting(plan_of(3, 4, 2, oracle="oue"), days=0.5, grace="300d")
    key, name, devices = talk.gateway(3)
    sent = [records(devices, each) for each in histories(talk.plan, 3, 3)]
    talk.clock.set(talk.plan.start + timedelta(days=2.5))
    talk.send(key, name, sent[0] + sent[1] + sent[2])
    before = talk.get("/estimates").json()

    answer = talk.client.post(f"{talk.path}/publish", json={"until": 9}).json()

    assert before["slots"] == []
    assert before["not_yet"]["have"] == 3
    assert answer == {"published": 1, "slots": [0, 1]}
    assert [slot["slot"] for slot in talk.get("/estimates").json()["slots"]] == [0, 1]
    again = talk.client.post(f"{talk.path}/publish", json={"until": 0}).json()
    assert again == {"published": 1, "slots": []}  # nothing is taken back
    assert talk.send(key, name, sent[0]).json()["repeated"] == 3


def test_what_was_published_by_hand_takes_nothing_more(collecting, plan_of):
    """A report that would have been in time is late once its slot is published, and changes nothing."""
    talk = collecting(plan_of(3, 4, 2, oracle="oue"), days=0.5, grace="300d")
    key, name, devices = talk.gateway(3)
    sent = [records(devices, each) for each in histories(talk.plan, 3, 2)]
    size = len(sent[0]) // 3
    talk.clock.set(talk.plan.start + timedelta(days=1.5))
    talk.send(key, name, sent[0][size:])
    talk.client.post(f"{talk.path}/publish", json={"until": 0})
    before = talk.get("/estimates").json()

    late = talk.send(key, name, sent[0][:size] + sent[1]).json()

    assert late["rejected"] == [{"index": 0, "reason": "too_late"}]
    assert late["accepted"] == 3
    assert before["slots"][0]["reports"] == 2
    assert talk.get("/estimates").json() == before


def test_plans_that_the_provider_decides_are_refused(plan_of, tmp_path):
    """A clear word names the file, what the service cannot do, and what to choose instead."""
    (tmp_path / "lpd.toml").write_text(plan_of(3, 4, method="lpd", decision="provider").toml())

    with pytest.raises(UsageError, match=r"lpd\.toml.*two rounds.*choose lpu"):
        load_plans([str(tmp_path / "lpd.toml")])


def test_plans_with_amounts_that_no_record_holds_are_refused(plan_of, tmp_path):
    """A record's amounts are 32 bits of millionths; the last ε that fits is fine, the next is not."""
    for name, epsilon in [("fits", 2**32 - 1), ("large", 2**32)]:
        (tmp_path / f"{name}.toml").write_text(plan_of(3, 4, epsilon=epsilon).toml())

    assert load_plans([str(tmp_path / "fits.toml")])[0].epsilon == 2**32 - 1
    with pytest.raises(UsageError, match=r"large\.toml: epsilon is 4294\.967296; .* up to 4294\.967295"):
        load_plans([str(tmp_path / "large.toml")])


def test_erasing_does_not_wait_for_readers(talk, tmp_path):
    """While a reader holds the old log a home is erased all the same; its bytes go once the reader has."""
    with talk.service.database.reading() as session:
        session.all("SELECT 1 FROM devices")
        key, device = talk.home()
        left = talk.leave(key, device, device)
        during = device in (tmp_path / "store.sqlite-wal").read_bytes()
    talk.client.portal.call(talk.service.purge_due)

    assert left.status_code == 200
    assert during
    assert not any(device in file.read_bytes() for file in tmp_path.glob("store.sqlite*"))


def test_alive_ready_and_measured(talk):
    """Operators see that it runs, that the store can be written, and what was counted; never a device."""
    key, name, body = first_reports(talk)
    talk.send(key, name, body)
    talk.send(Ed25519PrivateKey.generate(), name, body)

    metrics = talk.client.get("/metrics").text

    assert talk.client.get("/healthz").json()["status"] == "ok"
    assert talk.client.get("/readyz").json() == {"status": "ready"}
    assert f'hushwatt_reports_total{{plan="{talk.plan.id}",result="accepted"}} 3.0' in metrics
    assert 'hushwatt_problems_total{problem="signature-refused"} 1.0' in metrics
    assert f'hushwatt_homes{{plan="{talk.plan.id}"}} 3.0' in metrics
    assert name.hex() not in metrics


def test_the_description_names_every_address(talk):
    """OpenAPI knows uploads too."""
    paths = talk.client.get("/v1/openapi.json").json()["paths"]

    assert {"/v1/plans/{plan_id}/reports", "/v1/plans/{plan_id}/estimates", "/v1/readyz"} <= paths.keys()
    assert json.dumps(paths).count("Hushwatt-Signature") >= 1
    assert Config().largest_upload == 4 * 1024 * 1024


@pytest.mark.parametrize("store_address", STORES, indirect=True)
def test_a_key_that_anybody_signs_for_does_not_enrol(collecting, plan_of):
    """Neither a home nor a gateway joins with a key of small order, and one that did is worth nothing."""
    talk = collecting(plan_of(2), days=0.5)
    neutral = b"\x01" + bytes(31)
    (code,) = talk.codes(homes=3)
    wish = {"public_key": neutral.hex()}

    alone = talk.client.post(f"{talk.path}/devices", json=wish)
    gateway = talk.client.post(f"{talk.path}/devices", json={**wish, "code": code, "homes": 3})
    key, device = talk.home()
    with talk.service.database.writing() as session:
        session.run("UPDATE signers SET key = ? WHERE name = ?", neutral, device)
    headers = sign_request(key, device, "DELETE", f"{talk.path}/devices/{device.hex()}", talk.now, b"")
    headers[SIGNATURE_HEADER] = (neutral + bytes(32)).hex()
    forged = talk.client.delete(f"{talk.path}/devices/{device.hex()}", headers=headers)

    assert (alone.status_code, gateway.status_code) == (422, 422)
    assert "anybody can sign" in alone.json()["detail"]
    assert forged.status_code == 401
    with talk.service.database.reading() as session:
        assert session.all("SELECT count(*) FROM signers") == [(1,)]
