"""Every byte that left, headers and all: a real home, a real socket, and what the page shows of it."""

import re
from html import unescape

import pytest
from tests.household.page.looking import spoken
from tests.household.upload.test_request_log import Listener

from hushwatt.household.page.requests import hex_rows, purpose
from hushwatt.household.upload.recorded_client import recorded_client
from hushwatt.household.upload.request_log import LoggedRequest, RequestLog
from hushwatt.wire.record import pack


def kept(owner, *requests):
    log = RequestLog.of(owner.home.path.parent, lambda: owner.home.clock.wall)
    for each in requests:
        log.add(each)
    return log


def upload(owner, plan_id, *slots):
    rows = [owner.home.store.rows("SELECT * FROM reports WHERE slot = ?", (slot,))[0] for slot in slots]
    body = b"".join(pack(bytes(range(16)), row["slot"], row["spent"], row["drawn"], row["payload"]) for row in rows)
    head = f"POST /v1/plans/{plan_id}/reports HTTP/1.1\r\nHost: energy.example.org\r\nHushwatt-Signature:  ab\\<b>"
    return LoggedRequest("https://energy.example.org", f"{head}\r\n\r\n".encode() + body, 200)


def test_a_request_is_shown_whole(owner, plan_id):
    """Line, headers and body; from what is shown the very bytes can be put together again."""
    request = upload(owner, plan_id, 2, 3)
    kept(owner, request)
    page = owner.get("request", number="1").body
    head, body = (unescape(each) for each in re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.DOTALL))
    lines = head.replace("\\x5c", "\\").split("\n")

    assert "\r\n".join(lines).encode() + b"\r\n\r\n" + bytes.fromhex(body) == request.sent
    assert "<b>" not in page.replace("</b>", "").partition("Request line")[2]
    assert "hands in reports. The answer had the status 200." in spoken(page)


def test_a_report_leads_to_the_requests_that_carried_it(owner, plan_id):
    """Each attempt with it is listed, and no other."""
    kept(owner, upload(owner, plan_id, 2), upload(owner, plan_id, 2, 3), upload(owner, plan_id, 4))
    page = owner.get("report", plan=plan_id, slot="2").body

    assert re.findall(r"request\?number=(\d+)", page) == ["2", "1"]
    assert "What it says, changed by chance" in page


def test_a_report_from_before_has_its_bytes_all_the_same(owner, plan_id):
    """Without a kept request, the page says so."""

    assert "no longer kept" in owner.text("report", plan=plan_id, slot="3")


@pytest.mark.parametrize(
    "path, query",
    [
        ("request", {"number": "9"}),
        ("request", {"number": "-1"}),
        ("request", {}),
        ("report", {"slot": "2"}),
        ("report", {"slot": "x"}),
        ("report", {"slot": "99"}),
    ],
)
def test_what_is_not_there(owner, plan_id, path, query):
    """Another number is nothing."""

    assert owner.get(path, **query).status == 404
    if path == "report":
        assert owner.get(path, plan=plan_id, slot="99").status == 404


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("GET /v1/plans HTTP/1.1", "asks which plans there are"),
        ("GET /v1/plans/ab HTTP/1.1", "has the provider prove who it is"),
        ("POST /energy/v1/plans/ab/reports HTTP/1.1", "hands in reports"),
        ("POST /v1/plans/ab/devices HTTP/1.1", "joins the plan"),
        ("DELETE /v1/plans/ab/devices/cd HTTP/1.1", "asks for everything to be erased"),
        ("GET /v1/keys HTTP/1.1", "asks the provider something public"),
    ],
)
def test_what_a_request_is_for(line, words):
    """In plain words."""

    assert purpose(LoggedRequest("a", line.encode(), None)) == words


def test_what_the_outbox_sends_is_what_is_shown(owner):
    """The home's own outbox over a real socket: what arrived is what is kept."""
    folder = owner.home.path.parent
    with Listener() as listener:
        with owner.home.store.transaction() as disk:
            disk.execute("UPDATE plans SET address = ?", (listener.address,))
            disk.execute("UPDATE reports SET due = 1, answer = NULL WHERE slot = 4")
        owner.home.client = recorded_client(folder, owner.home.clock.wall)
        owner.home.outbox.send(owner.home.clock.wall)
        received = bytes(listener.received)
    (only,) = RequestLog.of(folder).latest()

    assert only.sent == received
    assert only.line.startswith("GET /folder/v1/plans/")


def test_bytes_as_numbers():
    """Sixteen in a line."""

    assert hex_rows(bytes(18)).split("\n")[1] == "00 00"


def test_a_code_is_masked_and_said_to_be(owner, plan_id):
    """On the page of the request, in the list, and in the record that the owner saves."""
    head = f"POST /v1/plans/{plan_id}/devices HTTP/1.1\r\nHost: a\r\n\r\n"
    kept(owner, LoggedRequest("https://a", head.encode() + b'{"public_key": "ab", "code": "river-7"}', 201))

    assert '"code": "*******"' in unescape(owner.get("request", number="1").body)
    assert "Asterisks stand for the one-time code that went out" in owner.text("request", number="1")
    assert "asterisks stand for it" in owner.text("reports")
    assert not any("river" in str(owner.get(path).body) for path in ("reports", "export"))
    assert b"river-7".hex() not in str(owner.get("export").body)
