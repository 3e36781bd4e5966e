"""A home in this process is the shipped home."""

from itertools import pairwise

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.audit.harness.lives import plan_at_home
from hushwatt.audit.harness.plan_home import home_in_plan
from hushwatt.plan.amounts import MICRO
from hushwatt.privacy.strategies import strategy_for
from hushwatt.wire.payload import Layout
from hushwatt.wire.record import unpack
from hushwatt.wire.signature import read_request_signature

PLAN = plan_at_home("lba", "household", "oue", 3, 2, 2 * MICRO)


@pytest.fixture
def home():
    """A home that lived through four slots."""
    with home_in_plan(PLAN, lambda slot: np.full(3, 12_345.0 * (slot % 2))) as home:
        for slot in range(4):
            home.live_slot(slot)
        yield home


def test_posts_what_its_ledger_kept(home):
    """The bytes on the wire are the bytes in the ledger, slot by slot, each once."""
    records = unpack(b"".join(home.provider.uploads), Layout.of(PLAN).size)
    kept = home.store.rows("SELECT slot, spent, drawn, payload, answer FROM reports ORDER BY slot")

    assert records.slot.tolist() == [0, 1, 2, 3] == [row["slot"] for row in kept]
    assert [row["payload"] for row in kept] == [payload.tobytes() for payload in records.payloads]
    assert {row["answer"] for row in kept} == {"accepted"}
    assert home.said == []


def test_every_upload_is_signed(home):
    """Each upload carries the signature of the home's own key."""
    key = Ed25519PrivateKey.from_private_bytes(home.store.value("SELECT secret FROM plans")).public_key()
    uploads = [each for each in home.provider.requests if each.path.endswith("/reports")]

    assert len(uploads) == 4
    for each in uploads:
        assert read_request_signature(each.headers).fits(key, "POST", each.path, each.body)


def test_a_line_that_is_down(home):
    """What cannot be sent waits, and is said."""
    home.provider.down = True
    home.live_slot(4)

    assert home.store.value("SELECT answer FROM reports WHERE slot = 4") is None
    assert home.said == ["plan “miniature”: 127.0.0.1 does not answer"]


def test_a_provider_that_refuses(home):
    """A refusal is kept and said."""
    home.provider.refuses = "wrong_payload"
    home.live_slot(4)

    assert home.store.value("SELECT answer FROM reports WHERE slot = 4") == "wrong_payload"
    assert home.said == ["plan “miniature”: the provider refused a report: wrong_payload"]


@pytest.mark.parametrize("method, decision", [("lsp", None), ("lba", "household"), ("lbd", "household")])
def test_a_repeat_is_the_same_bytes(method, decision):
    """Between two draws an agent posts its last payload again, whatever it reads meanwhile."""
    plan = plan_at_home(method, decision, "oue", 3, 3, 2 * MICRO)
    with home_in_plan(plan, lambda slot: np.full(3, 12_345.0 * (slot % 2))) as home:
        for slot in range(24):
            home.live_slot(slot)
        records = unpack(b"".join(home.provider.uploads), Layout.of(plan).size)
    probe = strategy_for(plan).probe
    drawn_anew = records.spent > probe
    payloads = [payload.tobytes() for payload in records.payloads]
    changed = np.array([one != other for one, other in pairwise(payloads)])

    assert drawn_anew[0]
    assert 4 < drawn_anew.sum() < 24
    assert not changed[~drawn_anew[1:]].any()
    assert changed[drawn_anew[1:]].any()
