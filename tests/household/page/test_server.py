"""The owner's page: everything is shown, only to the owner, and no other site can press its buttons."""

import http.client
import re
from dataclasses import replace
from urllib.parse import urlencode

import numpy as np
import pytest
from tests.household.living import NO_CAPS, FixedReadings, HomeUnderTest, MachineClock, join

from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.page.data import OwnerPageData
from hushwatt.household.page.last_report import true_level
from hushwatt.household.page.render import render
from hushwatt.household.page.server import OwnerPage, serve
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


PAGES = ["", "history", "reports", "reports?all=1", "limits", "numbers"]
QUOTING = ["", "plan", "leave", "numbers", "limits"]  # pages that name a plan
FORMS = ["pause", "resume", "compare", "limits", "leave", "forget"]


def test_the_first_page(home, port):
    """One sentence, what was measured and sent, plugs and days; the bytes that left are one click deeper."""
    answer, text = ask(port, "GET", "/")
    _, every = ask(port, "GET", "/reports")
    payloads = [row["payload"].hex() for row in home.store.rows("SELECT payload FROM reports")]

    assert answer.status == 200
    for words in (
        "Nothing has left this home yet.",
        "Your home measured (shown only here)",
        "Your plugs",
        "Day by day",
    ):
        assert words in text
    assert payloads
    assert all(payload in every for payload in payloads)
    assert "<code>" not in text


def test_no_page_refreshes_itself_or_leaves_its_folder(port):
    """Nothing that is read or filled in is lost to a reload, and links work under any folder, as behind an ingress."""
    for path in PAGES:
        answer, text = ask(port, "GET", f"/{path}")
        targets = re.findall(r'(?:href|action)="(.*?)"', text)

        assert answer.status == 200
        assert "http-equiv" not in text
        assert "<script" not in text
        assert targets
        assert all(not target.startswith(("/", "http")) and "/" not in target.removeprefix("./") for target in targets)


def test_what_others_wrote_is_escaped(port):
    """A plan's name is text, whatever is in it."""
    answer, text = ask(port, "GET", "/")

    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


def test_the_true_side_shows_levels_not_watts(port):
    """150 W is level 1 of three, 100 to 200 W, and the number itself is nowhere."""
    _, text = ask(port, "GET", "/")
    grid = re.findall(r'<span class="cells"[^>]*>(.*?)</span>(.*?)<', text)

    assert grid[0][0].split("</b>")[1].startswith('<b class="true"')
    assert grid[0][1] == "100 to 200 W"
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


def state_of(home, folder):
    """All that a form could change."""
    caps = folder / "caps.toml"
    plans = home.store.rows("SELECT paused, left, device, secret FROM plans")
    return (
        plans,
        caps.read_text() if caps.exists() else None,
        home.store.rows("SELECT * FROM home WHERE name = 'compare'"),
    )


def filled_in(home, key):
    plan = home.store.value("SELECT plan FROM plans")
    return urlencode({"key": key, "plan": plan, "on": "1", "epsilon_per_day": "99", "sure": "yes"})


@pytest.mark.parametrize("key", [None, "", "guess"])
def test_other_sites_cannot_press_it(home, folder, port, key):
    """Without the key nothing happens, whatever the form."""
    before = state_of(home, folder)
    for action in FORMS:
        answer, _ = ask(port, "POST", f"/{action}", "" if key is None else filled_in(home, key))

        assert answer.status == 403
        assert state_of(home, folder) == before


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
def test_nor_with_a_key_from_elsewhere(home, folder, page, port, headers):
    """A browser that says the button was pressed on another site is believed, whatever key comes along."""
    before = state_of(home, folder)
    for action in FORMS:
        answer, _ = ask(port, "POST", f"/{action}", filled_in(home, page.csrf_token), **headers)

        assert answer.status == 403
        assert state_of(home, folder) == before


def test_nor_under_another_name_of_this_machine(home, folder, page, port):
    """A name that was made to point here (DNS rebinding) presses nothing, even with the key."""
    before = state_of(home, folder)
    for action in FORMS:
        answer, _ = ask(port, "POST", f"/{action}", filled_in(home, page.csrf_token), Host="evil.example.org")

        assert answer.status == 403
        assert state_of(home, folder) == before


def test_a_browser_on_the_page_can(home, page, port):
    """What browsers send along when the page's own button is pressed does not stand in the way."""
    own = {"Origin": f"http://127.0.0.1:{port}", "Sec-Fetch-Site": "same-origin"}
    answer, _ = ask(port, "POST", "/pause", urlencode({"key": page.csrf_token}), **own)

    assert answer.status == 303


def test_no_answer_can_be_framed(page, port):
    """Every answer, also a refusal, a download or a redirect, is for no frame, no cache and no guessing."""
    asked = [("GET", f"/{path}") for path in [*PAGES, "other", "export"]] + [("POST", f"/{form}") for form in FORMS]
    for method, path in asked:
        answer, _ = ask(port, method, path, urlencode({"key": page.csrf_token}) if method == "POST" else None)

        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
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
    """A description with line ends, direction marks and quotes stays inside its own, on every page."""
    made = HomeUnderTest(folder / "ledger.sqlite", readings=FixedReadings(150.0))
    wild = "Kettles.”\n\nyour home: “ε 0 only\u202e<b>"
    plan = plan_of(3, 3, method="lbu", name="a” <i>b", description=wild, contact="c\nd")
    join(made.store, plan)
    made.live(2 * TURN, TURN / 20)
    data = OwnerPageData(made.store, made.caps, made.clock.wall, {}, [], "key", folder=HomeFolder(folder))
    pages = {path: render(path, {"plan": plan.id, "id": plan.id}, data).body for path in QUOTING}
    made.switch_off()

    for text in pages.values():
        assert "“a&quot; &lt;i&gt;b”" in text
        assert "\u202e" not in text
        assert "<i>b" not in text
    assert "“Kettles.&quot; your home: &quot;ε 0 only&lt;b&gt;”" in pages["plan"]
    assert "“c d”" in pages["plan"]


def test_other_names_of_this_machine_are_refused(port):
    """A name that was made to point here (DNS rebinding) gets no page."""
    answer, text = ask(port, "GET", "/", Host="evil.example.org")

    assert answer.status == 403
    assert "hushwatt at home" not in text


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
    """True and sent say so in words, the plugs have a line, and so have the terms."""
    plan = plan_of(3, epsilon=90_000_000, oracle="grr", unmeasured="answer")
    made = HomeUnderTest(folder / "ledger.sqlite", readings=FixedReadings(float("nan")))
    join(made.store, plan)
    made.live(5 * TURN, TURN / 20)
    hub = Hub.of(SourcesFile.parse({}, folder), lambda line: None)
    hub.open(plan, 0)
    page = OwnerPage(HomeFolder(folder), made.agent, hub, MachineClock(wall=made.clock.wall))
    text, terms = page.get("", {}).body, page.get("plan", {"id": plan.id}).body
    made.switch_off()

    grid = re.findall(r'<tr>(<td data-name="Appliance">.*?)</tr>', text)[0]
    assert grid.count("</span>not measured") == 2
    assert 'class="true"' not in grid
    assert "your home reports that it does not measure" in text
    assert "your home answers that it does not measure it" in terms


def test_the_page_shows_the_caps_that_hold(home, page, port):
    """What the caps hold back is said, by the caps that the agent has and not by those of a file."""
    home.agent.caps = replace(NO_CAPS, appliance_epsilon=1_500_000, smallest_minimum_homes=50)
    _, text = ask(port, "GET", "/")
    _, numbers = ask(port, "GET", "/numbers")
    _, limits = ask(port, "GET", "/limits")

    assert "asks for more than your limits allow" in text
    assert "all plans, on any one appliance in any 3 days" in numbers
    assert ">ε 1.5</td>" in numbers
    assert "it shows results of 1 homes, your smallest_minimum_homes is 50" in limits
    assert "your cap appliance_epsilon is 1.5." in limits
