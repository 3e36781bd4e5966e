"""The clock is judged by what the system knows, and by a provider's."""

import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from hushwatt.cli.doctor.clock import check_clock, check_clock_against, check_skew, kernel_state

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "now, well",
    [
        (NOW, True),
        (NOW - timedelta(seconds=1), False),
        (datetime(1970, 1, 1, tzinfo=UTC), False),
        (datetime(2099, 12, 31, tzinfo=UTC), True),
        (datetime(2100, 1, 1, tzinfo=UTC), False),
    ],
)
def test_clock(now, well):
    """A clock from before the installation, or from another century, is wrong."""

    assert check_clock(now, earliest=NOW, state=lambda: 0).well is well


def test_clock_of_this_machine():
    """The time of the installation is found where none is given."""

    assert check_clock(state=lambda: None).well
    assert not check_clock(datetime(2001, 1, 1, tzinfo=UTC)).well


@pytest.mark.parametrize("state, well, essential", [(0, True, True), (5, False, False), (None, True, True)])
def test_who_keeps_it(state, well, essential):
    """A clock that no time service keeps is worth a look; what the system does not tell is no fault."""
    check = check_clock(NOW, earliest=NOW, state=lambda: state)

    assert (check.well, check.essential) == (well, essential)


def test_the_kernel_is_asked():
    """Linux answers with one of its five states, and is not changed by being asked."""
    assert kernel_state() in (None, 0, 1, 2, 3, 4, 5)
    assert abs(kernel_state() == kernel_state()) == 1


@pytest.mark.parametrize(
    "ahead, well, words",
    [
        (0, True, "as the provider's"),
        (30, True, "29 s ahead of the provider's"),
        (-30, True, "30 s behind the provider's"),
        (90, False, "89 s ahead of the provider's"),
        (-3600, False, "3600 s behind the provider's"),
    ],
)
def test_compared(ahead, well, words):
    """Up to a minute is well; the provider tells whole seconds, so one second is no difference."""
    check = check_skew(NOW, NOW, NOW - timedelta(seconds=ahead))

    assert (check.well, check.essential) == (well, True)
    assert check.found == f"2026-06-01 00:00:00 UTC, {words}"


@pytest.fixture
def provider():
    """A server whose clock is what the test says."""
    answers = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response_only(200)
            for name, value in answers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *args):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", answers
    server.shutdown()
    thread.join()
    server.server_close()


def test_against_a_provider(provider):
    """The Date of a provider's answer is compared with this clock."""
    address, answers = provider
    answers["Date"] = format_datetime(datetime.now(UTC), usegmt=True)
    right = check_clock_against(address)
    answers["Date"] = format_datetime(datetime.now(UTC) - timedelta(hours=1), usegmt=True)
    wrong = check_clock_against(address)

    assert right.well
    assert not wrong.well
    assert "ahead of the provider's" in wrong.found


def test_a_provider_that_tells_no_time(provider):
    """An answer without a time, or without sense, cannot be compared with."""
    address, answers = provider
    silent = check_clock_against(address)
    answers["Date"] = "yesterday"
    senseless = check_clock_against(address)

    for check in (silent, senseless):
        assert (check.well, check.essential) == (False, True)
        assert check.found == f"cannot be compared: {address} does not tell the time"


def test_nobody_there():
    """A provider that does not answer is told in one line."""
    check = check_clock_against("http://127.0.0.1:1")

    assert not check.well
    assert check.found == "cannot be compared: 127.0.0.1:1 does not answer (Connection refused)"
