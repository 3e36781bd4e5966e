"""The pages in a real browser: charts are drawn, the content policy holds, and a phone is wide enough.

Without playwright or a Chromium these tests are skipped, and say so; the build fails instead.
"""

import os
import shutil
import threading
import time

import httpx2
import pytest
import uvicorn
from tests.provider.collecting import HERE, ServiceClient, histories, records

from hushwatt.audit.harness.local_service import config_for
from hushwatt.plan.presets import preset
from hushwatt.provider.dashboard.views import VIEWS

CHARTS = {
    "/": 2,
    "/top": 1,
    "/shares": 1,
    "/totals": 1,
    "/times": 1,
    "/series": 1,
    "/profile": 0,
    "/compare": 1,
    "/groups": 0,
    "/levels": 1,
    "/collection": 1,
    "/plan": 0,
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = ["--no-sandbox", "--disable-background-networking", "--disable-sync", "--no-first-run"]
HOMES, SLOTS = 330, 5


def missing(what):
    """Skip loudly on a user's machine, fail in the build."""
    reason = f"{what}: the dashboard is NOT tested in a browser"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def browser():
    """A real browser that talks to nobody else."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("playwright is not installed")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        missing("there is no Chromium (apt install chromium)")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=QUIET)
        yield browser.new_context()  # one for all, so that plotly is fetched once
        browser.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A real server with a small collection, whose clock stands still."""
    folder, plan = tmp_path_factory.mktemp("browser"), preset("advised")
    talk = ServiceClient(config_for(folder, plan), plan, plan.start)
    server = uvicorn.Server(uvicorn.Config(talk.app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    here = f"{HERE}:{server.servers[0].sockets[0].getsockname()[1]}"
    talk.client = httpx2.Client(base_url=here)  # type: ignore[assignment]
    collect(talk, plan)
    yield here
    server.should_exit = True
    thread.join()


def collect(talk, plan):
    """Some slots, one of them with too few homes."""
    key, name, devices = talk.gateway(HOMES)
    for sent in histories(plan, HOMES, SLOTS):
        talk.at_slot(sent.slot)
        body = records(devices, sent)
        talk.send(key, name, body[: len(body) // len(sent.homes) * 20] if sent.slot == 2 else body)
    talk.at_slot(SLOTS)
    talk.client.close()


@pytest.fixture
def visit(browser, address):
    """Open a page, and give it with everything that the browser complained about."""
    opened = []

    def visit(path, width=1280, scheme="light"):
        page = browser.new_page()
        opened.append(page)
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(color_scheme=scheme)
        complaints = []
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("requestfailed", lambda request: complaints.append(request.url))
        page.add_init_script(
            "addEventListener('securitypolicyviolation', (event) => "
            "console.error(event.violatedDirective, event.blockedURI))"
        )
        page.goto(address + path, timeout=60_000)
        page.wait_for_selector("html[data-drawn]", state="attached", timeout=60_000)
        return page, complaints

    yield visit
    for page in opened:
        page.close()


@pytest.mark.parametrize("path", [view.path for view in VIEWS])
def test_charts_are_drawn_within_the_policy_on_a_phone(visit, path):
    """At 390 pixels, in the dark: no complaint, all charts drawn, nothing to scroll sideways."""
    page, complaints = visit(path, width=390, scheme="dark")
    widths = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")

    assert complaints == []
    assert page.locator("[data-chart] .plot-container svg.main-svg").count() >= CHARTS[path]
    assert page.locator("[data-chart]").count() == CHARTS[path]
    assert page.locator("[data-chart] :is(.point, .errorbar, .lines path)").count() >= CHARTS[path]
    assert widths[0] <= widths[1]
    if path == "/times":  # the slot with too few homes
        assert page.locator("[data-chart] pattern").count() >= 1
        assert page.locator(".key .hatched").count() == 1


def test_a_hover_tells_the_interval(visit):
    """A pointer on a bar is told the share and its interval, within the policy."""
    page, complaints = visit("/shares")
    page.locator(".barlayer .point path").first.hover(force=True)
    page.wait_for_selector(".hoverlayer .hovertext", timeout=20_000)

    assert "95 %" in page.locator(".hoverlayer .hovertext").first.text_content()
    assert complaints == []


def test_the_keyboard_reaches_everything(visit):
    """The first stop is the link to the content, and the switch for smoothing works by keyboard."""
    page, complaints = visit("/series")
    page.keyboard.press("Tab")
    first = page.evaluate("document.activeElement.textContent")
    page.locator("#smooth").focus()
    with page.expect_navigation():
        page.keyboard.press("Space")

    assert first == "Skip to content"
    assert "smooth=1" in page.url
    assert "from=" not in page.url
    assert complaints == []


def test_charts_follow_light_and_dark(visit):
    """When the scheme changes, the charts are drawn anew in its colours."""
    page, _ = visit("/top")
    colour = "getComputedStyle(document.querySelector('.ytick text')).fill"
    light = page.evaluate(colour)
    page.emulate_media(color_scheme="dark")
    until = time.monotonic() + 20
    while page.evaluate(colour) == light and time.monotonic() < until:
        page.wait_for_timeout(50)

    assert page.evaluate(colour) != light
