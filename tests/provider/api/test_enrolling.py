"""What hangs on a code is told before it is used, and stays with the home; nobody else learns it."""

import json
import random
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.audit.harness.in_process_client import JSON, InProcessClient
from hushwatt.audit.harness.plans import plan_for
from hushwatt.wire.labels import NO_LABELS, Labels
from hushwatt.wire.signature import public_bytes, sign_request

OLD = plan_for(random.Random(1), "lbu")
NEW = replace(OLD, name="new", replaces=OLD.id)
NORTH = Labels.of({"tariff": "A", "region": "north"})


@pytest.fixture
def client(tmp_path):
    with InProcessClient(tmp_path, OLD, NEW, now=OLD.calendar.start_of(1), enrolment="codes") as client:
        yield client


@pytest.fixture
def key():
    return Ed25519PrivateKey.generate()


def posted(client, where, **wish):
    return client.ask("POST", f"/v1/plans/{OLD.id}/{where}", json.dumps(wish).encode(), JSON)


def joined(client, key, code, **wish):
    return posted(client, "devices", public_key=public_bytes(key).hex(), code=code, **wish)


@pytest.mark.parametrize("labels", [NORTH, NO_LABELS])
def test_labels_are_told_before_and_after(client, key, labels):
    """As often as they are asked for, the code stays good; joining answers with the same, also when asked again."""
    (code,) = client.codes(labels=labels)
    before = [posted(client, "labels", code=code) for _ in range(2)]
    after = [joined(client, key, code) for _ in range(2)]

    assert [each.json() for each in before] == [{"labels": labels.document()}] * 2
    assert [(each.status, each.json()["labels"]) for each in after] == [(201, labels.document())] * 2
    assert after[0].json() == after[1].json()


def test_the_homes_of_a_gateway_have_the_labels_of_its_code(client, key):
    """Another code of the same gateway may bring others."""
    codes = [client.codes(homes=3, labels=labels)[0] for labels in (NORTH, NO_LABELS)]
    answers = [joined(client, key, code, homes=3).json() for code in codes]
    devices = b"".join(bytes.fromhex(each) for answer in answers for each in answer["devices"])
    with client.service.database.reading() as session:
        cells = session.all("SELECT device, cell FROM devices")

    assert [answer["labels"] for answer in answers] == [NORTH.document(), {}]
    assert {bytes(device): cell for device, cell in cells} == {
        devices[place : place + 16]: int(place < 48) for place in range(0, 96, 16)
    }


def test_a_code_that_is_no_good_is_refused_alike(client, key):
    """Unknown, expired or used by another: the same answer as joining gives; whoever used it is told again."""
    (expired,), (used,) = client.codes(days=-1, labels=NORTH), client.codes(labels=NORTH)
    joined(client, key, used)
    stranger = public_bytes(Ed25519PrivateKey.generate()).hex()
    wishes = [{"code": "ABCDE"}, {"code": expired}, {"code": used}, {"code": used, "public_key": stranger}]
    refused = [posted(client, "labels", **wish) for wish in wishes]
    joining = joined(client, Ed25519PrivateKey.generate(), "ABCDE")

    assert {(each.status, each.body) for each in refused} == {(joining.status, joining.body)}
    own = posted(client, "labels", code=used, public_key=public_bytes(key).hex())
    assert own.json() == {"labels": NORTH.document()}


def test_guessing_is_slowed_down(tmp_path):
    """From one address as many questions as there may be attempts to join, in all."""
    now, elsewhere = OLD.calendar.start_of(1), [("X-Forwarded-For", "203.0.113.5")]
    with InProcessClient(tmp_path, OLD, now=now, enrolment="codes", strangers_per_second=1) as here:
        asked = ("POST", f"/v1/plans/{OLD.id}/labels", json.dumps({"code": "ABCDE"}).encode(), [*JSON, *elsewhere])
        answers = [here.ask(*asked).problem for _ in range(15)]

    assert answers[0] == "code-refused"
    assert answers[-1] == "too-many"


def test_a_home_that_moves_on_keeps_its_labels(client, key):
    """The provider knows them from the plan that is replaced."""
    (code,) = client.codes(plan=OLD, labels=NORTH)
    device = bytes.fromhex(joined(client, key, code).json()["device"])
    path, body = f"/v1/plans/{NEW.id}/devices", json.dumps({"public_key": public_bytes(key).hex()}).encode()
    signed = sign_request(key, device, "POST", path, client.now, body)

    assert client.ask("POST", path, body, [*JSON, *signed.items()]).json()["labels"] == NORTH.document()


def test_an_open_plan_takes_labels_too(tmp_path, key):
    """A code is not needed there, but what hangs on it counts; any other word is no code, and there are no labels."""
    with InProcessClient(tmp_path, OLD, now=OLD.calendar.start_of(1), enrolment="open") as here:
        (code,) = here.codes(labels=NORTH)
        told = [posted(here, "labels", code=each).json()["labels"] for each in (code, "ABCDE")]
        stranger = joined(here, Ed25519PrivateKey.generate(), "ABCDE")

        assert told == [NORTH.document(), {}]
        assert (stranger.status, stranger.json()["labels"]) == (201, {})
        assert joined(here, key, code).json()["labels"] == NORTH.document()
