"""Each request to a provider as it went out: request line, headers, signature and body, a one-time code masked."""

import hashlib
from collections.abc import Iterator
from html import escape

from hushwatt.household.page import html
from hushwatt.household.page.data import OwnerPageData
from hushwatt.household.upload.request_log import LoggedRequest, RequestLog
from hushwatt.plan.plan import Plan
from hushwatt.wire.payload import Layout
from hushwatt.wire.record import HEADER_BYTES, record_size

LATEST_ROWS = 50  # that are listed
TEXT = set(range(32, 127)) - {92}  # bytes that are shown as letters; a backslash begins a number
HEX_ROW = 16  # bytes in a line
MAX_HEX = 64 << 10  # bytes of a body that are shown one by one
MASKED = "Asterisks stand for the one-time code that went out: it is not kept here, nor in your record."
LINE_ENDS = "Each line ends with the bytes 0d 0a, and an empty line ends the headers."
PURPOSES = {
    "GET /v1/plans": "asks which plans there are",
    "POST reports": "hands in reports",
    "POST devices": "joins the plan",
    "DELETE devices": "asks for everything to be erased",
}


def requests_section(data: OwnerPageData) -> str:
    """The latest requests, whatever they asked."""
    found = [] if data.folder is None else RequestLog.of(data.folder.path).latest(LATEST_ROWS)
    if not found:
        return html.section("Requests, as they went out", html.paragraph("None are kept yet."))
    intro = html.paragraph(
        "Every request to a provider, with its headers and its signature, the latest first. A one-time code to join is "
        "not kept: asterisks stand for it. On the way, all of it is inside TLS where the address begins with https."
    )
    return html.section("Requests, as they went out", intro, html.listed(request_line(data, each) for each in found))


def request_line(data: OwnerPageData, each: LoggedRequest) -> str:
    answer = "no answer" if each.status is None else f"answered with {each.status}"
    when = html.link("request", data.moment(each.time, exactly=True), number=each.number)
    return f"{when}: {html.text(purpose(each))}, {len(each.sent):,} bytes, {answer}"


def purpose(each: LoggedRequest) -> str:
    """What a request is for.

    >>> purpose(LoggedRequest("https://e.org", b"POST /v1/plans/ab/reports HTTP/1.1", None))
    'hands in reports'
    """
    method, _, rest = each.line.partition(" ")
    path = rest.partition(" ")[0]
    known = [words for key, words in PURPOSES.items() if method == key.split()[0] and path.endswith(key.split()[1])]
    if known:
        return known[0]
    if method == "DELETE":
        return PURPOSES["DELETE devices"]
    return "has the provider prove who it is" if "/v1/plans/" in path else "asks the provider something public"


def request_page(data: OwnerPageData, number: str) -> str | None:
    """One request, whole."""
    digits = number.isascii() and number.isdigit() and len(number) < 12
    found = RequestLog.of(data.folder.path).get(int(number)) if digits and data.folder is not None else None
    if found is None:
        return None
    answer = "There was no answer." if found.status is None else f"The answer had the status {found.status}."
    body = [
        html.heading("A request, as it went out", 1),
        html.paragraph(f"{data.moment(found.time, exactly=True)}, to {found.address}: {purpose(found)}. {answer}"),
        html.section("Request line and headers", _verbatim_head(found), html.paragraph(LINE_ENDS, soft=True)),
        html.section("Body", *_body(found)),
        html.paragraph(_size(found), soft=True),
    ]
    return html.page("A request: hushwatt at home", "".join(body))


def _size(found: LoggedRequest) -> str:
    digest = f"SHA-256 {'as shown ' if found.is_masked else ''}{hashlib.sha256(found.sent).hexdigest()}"
    return f"{len(found.sent):,} bytes in all; {digest}."


def _verbatim_head(found: LoggedRequest) -> str:
    return f'<pre tabindex="0" class="wire">{_letters(found.head)}</pre>'


def _body(found: LoggedRequest) -> Iterator[str]:
    if not found.body:
        yield html.paragraph("None.")
        return
    if all(byte in TEXT for byte in found.body):
        yield f'<pre tabindex="0" class="wire">{_letters(found.body)}</pre>'
        if found.is_masked:
            yield html.paragraph(MASKED, soft=True)
        return
    yield html.paragraph(
        "One record after the other: the name of this home's device (16 bytes), the number of the report's time (4), "
        "its cost (4 and 4), and the report itself.",
        soft=True,
    )
    yield f'<pre tabindex="0" class="wire">{hex_rows(found.body[:MAX_HEX])}</pre>'
    if len(found.body) > MAX_HEX:
        yield html.paragraph(f"The first {MAX_HEX:,} of {len(found.body):,} bytes; your record has them all.")


def hex_rows(body: bytes) -> str:
    """Bytes as numbers, sixteen in a line."""
    return "\n".join(body[at : at + HEX_ROW].hex(" ") for at in range(0, len(body), HEX_ROW))


def _letters(text: bytes) -> str:
    """Lines of a request, every space of them; what is no printable letter is shown as its number."""
    lines = text.split(b"\r\n")
    return "\n".join(
        escape("".join(chr(byte) if byte in TEXT else f"\\x{byte:02x}" for byte in line)) for line in lines
    )


def carrying(data: OwnerPageData, plan: Plan, slot: int) -> list[LoggedRequest]:
    """The kept requests that handed in the report about a slot."""
    if data.folder is None:
        return []
    size, path = record_size(Layout.of(plan).size), f"/v1/plans/{plan.id}/reports "
    return [
        each
        for each in RequestLog.of(data.folder.path).latest()
        if each.line.startswith("POST ") and path in each.line and slot in _slots(each.body, size)
    ]


def _slots(body: bytes, size: int) -> set[int]:
    starts = range(HEADER_BYTES - 12, len(body) - size + HEADER_BYTES - 11, size)
    return {int.from_bytes(body[at : at + 4], "little") for at in starts}
