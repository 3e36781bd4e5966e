"""The owner's pages in a real browser: by keyboard alone, on a phone, in the dark, with or without a server's folder.

Without a Chromium these tests are skipped, and say so; the build fails instead.
"""

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.household.living import FixedReadings, HomeUnderTest, MachineClock, join

from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.ledger.caps import Caps
from hushwatt.household.page.server import OwnerPage, serve
from hushwatt.household.sources.hub import Hub
from hushwatt.household.sources.sources_file import SourcesFile
from hushwatt.household.upload.request_log import LoggedRequest, RequestLog
from hushwatt.plan.presets import preset
from tools.screenshots import browsing

DAY = 86_400
BROWSERS = ("chromium", "google-chrome")
PATHS = ["", "history?month=2024-01", "reports", "limits", "numbers", "request?number=1", "plan?id={}", "leave?plan={}"]
CONTRAST = """() => {
  const parse = (c) => c.match(/[\\d.]+/g).map(Number);
  const linear = (v) => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const light = (c) => { const [r, g, b] = c.map(linear);
    return .2126 * r + .7152 * g + .0722 * b; };
  const behind = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
  const bad = [];
  for (const e of document.querySelectorAll("body *")) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
    if (e.closest(".unseen, .skip") || !e.getClientRects().length) continue;
    const [a, b] = [light(parse(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) bad.push(e.outerHTML.slice(0, 120));
  }
  return bad; }"""
LABELS = """() => [...document.querySelectorAll("input:not([type=hidden]), select, button, a, summary")].filter(
  (e) => !(e.labels && e.labels.length) && !e.textContent.trim() && !e.ariaLabel).map((e) => e.outerHTML)"""


@pytest.fixture(scope="module")
def browser():
    if not (os.environ.get("CHROMIUM") or any(map(shutil.which, BROWSERS))):
        reason = "there is no Chromium (apt install chromium): the home's page is NOT tested in a browser"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with browsing() as browser:
        yield browser


@contextmanager
def served():
    """A home with fifteen appliances after a few days, and the address of its page."""
    with tempfile.TemporaryDirectory() as name:
        folder, plan = Path(name), preset("advised")
        home = HomeUnderTest(folder / "ledger.sqlite", readings=FixedReadings(20.0))
        join(home.store, plan)
        home.live(10.4 * DAY, DAY / 5)
        with home.store.transaction() as disk:
            disk.execute("UPDATE plans SET address = 'http://127.0.0.1:9'")  # where nobody listens
            disk.execute("UPDATE reports SET tries = 1")
        RequestLog.of(folder, lambda: home.clock.wall).add(
            LoggedRequest(
                "http://127.0.0.1:9", b"POST /v1 HTTP/1.1\r\nHost: h\r\nSignature: " + b"ab" * 64 + b"\r\n\r\n\x00", 200
            )
        )
        plugs = {"plug": [{"appliance": "washing machine", "preset": "custom", "topic": "washer"}]}
        hub = Hub.of(SourcesFile.parse(plugs, folder), lambda line: None)
        page = OwnerPage(HomeFolder(folder), home.agent, hub, MachineClock(wall=home.clock.wall))
        server = serve(page, "127.0.0.1", 0, lambda line: None)
        assert server is not None
        try:
            yield home, folder, f"http://127.0.0.1:{server.server_port}/", plan.id
        finally:
            server.shutdown()
            server.server_close()
            home.switch_off()


@pytest.fixture(scope="module")
def quiet():
    """A home that is only looked at."""
    with served() as made:
        yield made


def opened(browser, width, scheme="light"):
    page, trouble = browser.new_page(viewport={"width": width, "height": 844}, color_scheme=scheme), []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("console", lambda line: line.type == "error" and trouble.append(line.text))
    return page, trouble


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_fits_and_can_be_read(browser, quiet, width, scheme):
    """Nothing sticks out at the side, all words stand out from what is behind them, everything to press has a name."""
    _, _, address, plan_id = quiet
    page, trouble = opened(browser, width, scheme)
    for path in PATHS:
        page.goto(address + path.format(plan_id))

        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert page.evaluate(CONTRAST) == [], path
        assert page.evaluate(LABELS) == [], path
    assert trouble == []
    page.close()


def press(page, name, role="button"):
    """Go to something by the Tab key alone, see that it shows so, and press Enter."""
    wanted = page.get_by_role(role, name=name, exact=True).element_handle()
    for _ in range(80):
        page.keyboard.press("Tab")
        if wanted.evaluate("e => e === document.activeElement"):
            assert wanted.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
            page.keyboard.press("Enter")
            page.wait_for_load_state()
            return
    raise AssertionError(f"{name} cannot be reached by keyboard")


def test_by_keyboard_alone(browser):
    """Pause, resume, raise a limit, leave, and ask again: no mouse, no script."""
    with served() as (home, folder, address, _):
        page, trouble = opened(browser, 390)
        page.goto(address)
        page.keyboard.press("Tab")
        skip = page.evaluate("document.activeElement.textContent")
        press(page, "Pause")
        page.wait_for_selector("text=Paused: nothing is sent.")
        paused = home.store.value("SELECT paused FROM plans") is not None
        press(page, "Resume")
        page.wait_for_selector("button:has-text('Pause')")
        resumed = home.store.value("SELECT paused FROM plans") is None

        press(page, "Your limits", "link")
        page.get_by_label("On any one appliance, in any year").focus()
        page.keyboard.press("Control+a")
        page.keyboard.type("3")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=Let your reports tell more?")
        asked = not (folder / "caps.toml").exists()
        press(page, "Yes, raise them")
        page.wait_for_selector("h1:has-text('Your limits')")

        press(page, "Home", "link")
        press(page, "Leave this plan", "link")
        told = page.inner_text("main")
        press(page, "Leave, and have it erased")
        page.wait_for_selector("text=the provider has not answered yet")
        press(page, "Ask again")
        after = page.inner_text("main")
        page.close()

        assert skip == "To the content"
        assert paused
        assert resumed
        assert asked
        assert Caps.load(folder / "caps.toml").appliance_epsilon_per_year == 3_000_000
        assert "What stays" in told
        assert "could not be asked to erase what it has" in after
        assert home.store.value("SELECT left FROM plans") is not None
        assert trouble == []


def test_nothing_that_is_filled_in_is_lost(browser, quiet):
    """No page loads again by itself, whatever time goes by: what is typed and what is opened stays."""
    _, _, address, plan_id = quiet
    page, _ = opened(browser, 390)
    loads = []
    page.on("load", lambda page: loads.append(page.url))
    page.clock.install()
    page.goto(address + "limits")
    page.get_by_label("All plans together, ever").fill("7")
    page.clock.run_for("10:00")

    assert page.get_by_label("All plans together, ever").input_value() == "7"
    assert len(loads) == 1
    for path in PATHS:
        page.goto(address + path.format(plan_id))
        assert page.locator("meta[http-equiv], script").count() == 0
    page.close()


def test_the_record_is_saved_as_a_file(browser, quiet):
    """A click, and the browser has it."""
    _, _, address, plan_id = quiet
    page, _ = opened(browser, 1280)
    page.goto(address + "reports")
    with page.expect_download() as saving:
        page.get_by_role("link", name="Save your record").click()

    assert saving.value.suggested_filename == "hushwatt-record.json"
    assert plan_id in Path(saving.value.path()).read_text(encoding="utf-8")
    page.close()
