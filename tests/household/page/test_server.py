"""The owner's page: everything is shown, only to the owner, and no other site can press its buttons."""

import http.client
import re
from dataclasses import replace
from urllib.parse import urlencode

import numpy as np
import pytest
from tests.household.living import NO_CAPS, FixedReadings, HomeUnderTest, MachineClock, join

from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.page.server import OwnerPage, serve
from hushwatt.household.page.view import true_level
from hushwatt.household.sources.hub import Hub
from hushwatt.household.sources.sources_file import SourcesFile

TURN = 86_400


@pytest.fixture
def home(folder, plan_of):
    """A home with a plan of a hostile name, after four slots."""
    made = HomeUnderTest(folder / "ledger.sqlite", readings=FixedReadings(150.0))
    join(made.store, plan_of(3, 3, method="lbu", name="<script>alert(1)</script>"))
    made.live(5 * TURN, TURN / 20)
    yield made
    made.switch_off()


@pytest.fixture
def page(home, folder):
    hub = Hub.of(SourcesFile.parse({"plug": [{"appliance": "a", "preset": "custom", "topic": "t"}]}, folder), print)
    return OwnerPage(HomeFolder(folder), home.agent, hub, MachineClock(wall=home.clock.wall))


@pytest.fixture
def port(page):
    server = serve(page, "127.0.0.1", 0, lambda line: None)
    yield server.server_port
    server.shutdown()
    server.server_close()


def ask(port, method, path, body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer, text


def test_everything_is_on_the_page(home, port):
    """Budget, promise, grid, conclusions, terms, sources, and every byte that left."""
    answer, text = ask(port, "GET", "/")
    payloads = [row["payload"].hex() for row in home.store.rows("SELECT payload FROM reports")]

    assert answer.status == 200
    for words in (
        "Your budget",
        "True against sent, slot 4",
        "What the provider can conclude",
        "What never changes",
        "never",
    ):
        assert words in text
    assert payloads
    assert all(payload in text for payload in payloads)


def test_what_others_wrote_is_escaped(port):
    """A plan's name is text, whatever is in it."""
    answer, text = ask(port, "GET", "/")

    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


def test_the_true_side_shows_levels_not_watts(port):
    """150 W is level 1 of three, and the number itself is nowhere."""
    _, text = ask(port, "GET", "/")
    grid = re.findall(r'<span class="cells">(.*?)</span>', text)

    assert grid[0].split("</b>")[1].startswith('<b class="true"')
    assert "150" not in re.sub(r"<code>.*?</code>|<style>.*?</style>", "", text, flags=re.DOTALL)


def test_the_button_pauses_and_resumes(home, page, port):
    """With the page's own key a button works, and leads back to the page."""
    answer, _ = ask(port, "POST", "/pause", urlencode({"key": page.csrf_token}))
    paused = home.store.value("SELECT paused FROM plans")
    _, text = ask(port, "GET", "/")
    ask(port, "POST", "/resume", urlencode({"key": page.csrf_token}))

    assert (answer.status, answer.headers["Location"]) == (303, "./")
    assert paused is not None
    assert "Resume" in text
    assert home.store.value("SELECT paused FROM plans") is None


@pytest.mark.parametrize("form", ["", "key=", "key=guess"])
def test_other_sites_cannot_press_it(home, port, form):
    """Without the key nothing happens."""
    answer, _ = ask(port, "POST", "/pause", form)

    assert answer.status == 403
    assert home.store.value("SELECT paused FROM plans") is None


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example.org"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_nor_with_a_key_from_elsewhere(home, page, port, headers):
    """A browser that says the button was pressed on another site is believed, whatever key comes along."""
    answer, _ = ask(port, "POST", "/pause", urlencode({"key": page.csrf_token}), **headers)

    assert answer.status == 403
    assert home.store.value("SELECT paused FROM plans") is None


def test_a_browser_on_the_page_can(home, page, port):
    """What browsers send along when the page's own button is pressed does not stand in the way."""
    own = {"Origin": f"http://127.0.0.1:{port}", "Sec-Fetch-Site": "same-origin"}
    answer, _ = ask(port, "POST", "/pause", urlencode({"key": page.csrf_token}), **own)

    assert answer.status == 303


@pytest.mark.parametrize("method, path", [("GET", "/"), ("GET", "/other"), ("POST", "/pause")])
def test_no_answer_can_be_framed(page, port, method, path):
    """Every answer, also a refusal or a redirect, is for no frame, no cache and no guessing."""
    answer, _ = ask(port, method, path, urlencode({"key": page.csrf_token}) if method == "POST" else None)

    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-store"


def test_home_assistant_shows_it_as_a_panel(page):
    """Only the guest's own site may frame what the guest is shown."""
    page.guest = "172.30.32.2"

    assert "frame-ancestors 'self'" in page.framing("172.30.32.2")["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in page.framing("127.0.0.1")["Content-Security-Policy"]
    assert page.pressed_here("172.30.32.2", {"Origin": "http://homeassistant.local:8123", "Host": "172.30.33.1"})


@pytest.mark.parametrize("headers", [{"Host": "[::"}, {"Host": ""}, {"Content-Length": "\xb2"}])
def test_odd_requests_are_answered(port, headers):
    """A Host or a length that is none ends in a refusal, not in a broken connection."""

    assert ask(port, "POST", "/pause", None, **headers)[0].status == 403


def test_a_pause_says_what_becomes_of_what_waits(home, page, port):
    """The page of a paused home tells that nothing leaves, and what will."""
    ask(port, "POST", "/pause", urlencode({"key": page.csrf_token}))
    _, text = ask(port, "GET", "/")

    assert "Nothing leaves this home while it is paused." in text


def test_what_others_wrote_is_one_quoted_line(folder, plan_of):
    """A description with line ends, direction marks and quotes stays inside its own."""
    from hushwatt.household.page.view import OwnerPageData, home_page

    made = HomeUnderTest(folder / "other.sqlite", readings=FixedReadings(150.0))
    wild = "Kettles.”\n\nyour home: “ε 0 only\u202e"
    join(made.store, plan_of(3, 3, method="lbu", name="a” b", description=wild, contact="c\nd"))
    made.live(2 * TURN, TURN / 20)
    text = home_page(OwnerPageData(made.store, made.caps, made.clock.wall, {}, [], "key"))
    made.switch_off()

    assert "“Kettles.&quot; your home: &quot;ε 0 only”" in text
    assert "“a&quot; b”" in text
    assert "“c d”" in text
    assert "\u202e" not in text


def test_other_names_of_this_machine_are_refused(port):
    """A name that was made to point here (DNS rebinding) gets no page."""
    answer, text = ask(port, "GET", "/", Host="evil.example.org")

    assert answer.status == 403
    assert "Your budget" not in text


def test_other_machines_are_refused(page):
    """Only this machine and the guest that the owner named may look."""
    page.guest = "172.30.32.2"

    assert page.allows("127.0.0.1", "localhost:8041")
    assert page.allows("172.30.32.2", "homeassistant.local")
    assert not page.allows("192.168.1.5", "localhost:8041")


def test_nothing_else_is_served(port):
    """Any other address is empty."""

    assert ask(port, "GET", "/../ledger.sqlite")[0].status == 404


def test_a_taken_port_is_one_line(page, port):
    """The agent goes on without its page."""
    said = []

    assert serve(page, "127.0.0.1", port, said.append) is None
    assert said == [f"no page at http://127.0.0.1:{port}/ (Address already in use); all else goes on"]


@pytest.mark.parametrize("mapping, watts, level", [("range", 150, 1), ("dither", 120, 1), ("dither", 180, 2)])
def test_true_levels(plan_of, mapping, watts, level):
    """The range that holds a mean, or the nearest value when dithering."""

    assert true_level(plan_of(3, 3, mapping=mapping), "appliance 0", float(np.float64(watts))) == level


@pytest.mark.parametrize("mapping", ["range", "dither"])
def test_not_measured_is_no_level(plan_of, mapping):
    """What nobody measures is beyond the last level."""

    assert true_level(plan_of(3, 3, mapping=mapping, unmeasured="answer"), "appliance 0", float("nan")) == 3


def test_not_measured_in_plain_words(folder, plan_of):
    """True and sent say so beside the squares, the sources have a line, and so have the terms."""
    plan = plan_of(3, epsilon=90_000_000, oracle="grr", unmeasured="answer")
    made = HomeUnderTest(folder / "ledger.sqlite", readings=FixedReadings(float("nan")))
    join(made.store, plan)
    made.live(5 * TURN, TURN / 20)
    hub = Hub.of(SourcesFile.parse({}, folder), lambda line: None)
    hub.open(plan, 0)

    text = OwnerPage(HomeFolder(folder), made.agent, hub, MachineClock(wall=made.clock.wall)).show(False)
    made.switch_off()

    grid = re.findall(r"<tr>(<td>“appliance.*?)</tr>", text)[0]
    assert grid.count("</span> not measured</td>") == 2
    assert 'class="true"' not in grid
    assert "<td>no source</td><td>never</td>" in text
    assert "your home answers that it does not measure it" in text


def test_the_page_shows_the_caps_that_hold(home, port):
    """What the caps hold back is said, by the caps that the agent has and not by those of a file."""
    home.agent.caps = replace(NO_CAPS, appliance_epsilon=1_500_000, smallest_minimum_homes=50)
    _, text = ask(port, "GET", "/")

    assert "all plans, on any one appliance in any 3 days" in text
    assert "<td>ε 1.5</td>" in text
    assert "Held back by your caps: it shows results of 1 homes, your smallest_minimum_homes is 50." in text
    assert "your cap appliance_epsilon is 1.5." in text
