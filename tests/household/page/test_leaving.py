"""Leaving by the page: told beforehand, done at once, and asked again when the provider was out of reach."""

import re

import pytest
from tests.household.page.looking import KEY, spoken
from tests.household.upload.test_request_log import Listener

from hushwatt.audit.harness.fake_provider import KEY as PROVIDER
from hushwatt.audit.harness.fake_provider import FakeProvider
from hushwatt.household.page import leaving
from hushwatt.plan.plan import Plan
from hushwatt.wire.signature import public_bytes


@pytest.fixture
def provider(owner, monkeypatch):
    """The home's provider, which can be out of reach."""
    store = owner.home.store
    made = FakeProvider((Plan.parse(store.value("SELECT canonical FROM plans")),))
    with store.transaction() as disk:
        disk.execute("UPDATE plans SET provider = ?", (public_bytes(PROVIDER),))
        disk.execute("UPDATE reports SET due = 1, answer = NULL, tries = 0 WHERE slot = 4")
    monkeypatch.setattr(leaving, "recorded_client", lambda folder, now: made.provider_client)
    return made


def test_what_it_leaves_behind_is_said_first(owner, provider, plan_id):
    """What happens, what stays and why; nothing is done by looking."""
    text = owner.text("leave", plan=plan_id)

    for words in (
        "At once, nothing more is sent. 1 report still waiting here will never be sent.",
        "is asked to erase every report of your home: 3 so far",
        "Figures that were published before stay published",
        "Leaving gives nothing of it back",
        "If the provider cannot be reached",
    ):
        assert words in text
    assert owner.home.store.value("SELECT left FROM plans") is None
    assert provider.requests == []


def test_leaving(owner, provider, plan_id):
    """The provider is asked, the keys go, the spends stay, and the page says so."""
    spent = owner.home.store.value("SELECT sum(amount) FROM spends")
    answer = owner.post("leave", plan=plan_id)
    row = owner.home.store.rows("SELECT left, secret, device FROM plans")[0]

    assert answer.status == 200
    assert "You have left “Kettles”" in spoken(answer.body)
    assert "The provider says that it has erased" in spoken(answer.body)
    assert provider.requests[-1].method == "DELETE"
    assert row["left"] is not None
    assert row["secret"] is row["device"] is None
    assert owner.home.store.value("SELECT answer FROM reports WHERE slot = 4") == "withheld"
    assert owner.home.store.value("SELECT sum(amount) FROM spends") == spent
    assert owner.get("leave", plan=plan_id).status == 404
    assert owner.post("leave", plan=plan_id).status == 404
    assert "takes part in nothing" in owner.text()


def test_a_provider_out_of_reach_is_asked_again(owner, provider, plan_id):
    """The home has left at once; the first page offers to ask again until it is done."""
    provider.down = True
    answer = owner.post("leave", plan=plan_id)
    home, key = owner.text(), owner.home.store.value("SELECT secret FROM plans")
    provider.down = False
    done = owner.post("leave", plan=plan_id)

    assert "the provider has not answered yet" in spoken(answer.body)
    assert "The provider could not be asked to erase what it has: 127.0.0.1 does not answer." in spoken(answer.body)
    assert 'action="leave"' in answer.body
    assert "Left, and not yet erased" in home
    assert key is not None
    assert "has erased" in spoken(done.body)
    assert "Left, and not yet erased" not in owner.text()


def test_giving_up_on_a_provider(owner, provider, plan_id):
    """When it is gone for good, the keys are deleted without asking."""
    provider.down = True
    owner.post("leave", plan=plan_id)
    asked = len(provider.requests)
    answer = owner.post("forget", plan=plan_id)

    assert "the provider was not asked to erase anything" in spoken(answer.body)
    assert len(provider.requests) == asked
    assert owner.home.store.value("SELECT secret FROM plans") is None


@pytest.mark.parametrize("wanted", ["", "ff", "' OR 1=1 --"])
def test_no_other_plan_is_left(owner, provider, wanted):
    """A plan is named in full, or nothing happens."""

    assert owner.get("leave", plan=wanted).status == 404
    assert owner.post("leave", plan=wanted).status == 404
    assert owner.post("forget", plan=wanted).status == 404
    assert owner.home.store.value("SELECT left FROM plans") is None


def test_the_question_to_erase_is_taken_down(owner, plan_id):
    """Over a real socket: what the page shows of the request is what arrived."""
    with Listener() as listener:
        with owner.home.store.transaction() as disk:
            disk.execute("UPDATE plans SET address = ?", (listener.address,))
        text = spoken(owner.post("leave", plan=plan_id).body)
        received = bytes(listener.received)
    number = re.search(r"request\?number=(\d+)", owner.get("reports").body)[1]
    page = owner.get("request", number=number).body
    shown = re.search(r"<pre[^>]*>(.*?)</pre>", page, re.DOTALL)[1]

    assert "does not prove who it is" in text
    assert KEY not in shown
    assert "\r\n".join(shown.split("\n")).encode() + b"\r\n\r\n" == received
