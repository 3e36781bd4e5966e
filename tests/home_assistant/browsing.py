"""What an owner does in Home Assistant's pages, in a real browser, with a stopwatch beside it."""

import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright
from tests.home_assistant.running import USER, RunningHomeAssistant

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = ["--no-sandbox", "--disable-background-networking", "--disable-sync", "--no-first-run"]
PATIENCE = 30_000.0  # milliseconds that a page may take on a busy machine
DIALOG = "dialog-data-entry-flow"


@contextmanager
def browser_page(width: int = 1280, height: int = 900) -> Iterator[Page]:
    """A page of a real browser that talks to nobody else."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("there is no Chromium (apt install chromium)")
        pytest.skip("HOME ASSISTANT'S PAGES ARE NOT TESTED: there is no Chromium (apt install chromium)")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=QUIET)
        page = browser.new_page(viewport={"width": width, "height": height})
        page.set_default_timeout(PATIENCE)
        yield page
        browser.close()


class Stopwatch:
    """How long each step took, since the first."""

    def __init__(self) -> None:
        self.began = self.last = time.monotonic()
        self.laps: list[tuple[str, float]] = []

    def lap(self, step: str) -> None:
        now = time.monotonic()
        self.laps.append((step, now - self.last))
        self.last = now

    @property
    def total(self) -> float:
        return self.last - self.began

    def __str__(self) -> str:
        lines = [f"{seconds:6.1f} s  {step}" for step, seconds in self.laps]
        return "\n".join([*lines, f"{self.total:6.1f} s  in all"])


class Owner:
    """An owner before a screen; steps can be kept as pictures, by their titles."""

    def __init__(self, page: Page, house: RunningHomeAssistant, pictures: dict[str, Path] | None = None) -> None:
        self.page, self.house, self.pictures = page, house, pictures or {}
        self.watch = Stopwatch()

    def log_in(self) -> None:
        self.page.goto(self.house.address)
        self.page.locator("input[name=username]").fill(USER["username"])
        self.page.locator("input[name=password]").fill(USER["password"])
        self.page.get_by_text("Log in", exact=True).last.click()
        self.page.get_by_text("Settings", exact=True).first.wait_for()
        self.watch.lap("log in")

    def add_integration(self, name: str) -> None:
        """Settings → Devices & services → Add integration → its name."""
        self.page.get_by_text("Settings", exact=True).first.click()
        self.page.get_by_text("Devices & services", exact=True).first.click()
        self.page.get_by_text("Add integration", exact=True).first.click()
        self.page.locator("dialog-add-integration input").first.fill(name)
        self.page.locator("dialog-add-integration ha-integration-list-item").get_by_text(name, exact=True).click()
        self.heading("Take part in a plan")
        self.watch.lap("Settings → Devices & services → Add integration")

    def heading(self, words: str) -> None:
        """Wait for a step of the form, by its title."""
        self.page.locator(DIALOG).get_by_text(words, exact=True).wait_for()
        if words in self.pictures:
            self.page.wait_for_timeout(700)  # the window has opened
            self.page.locator(DIALOG).locator(".mdc-dialog__surface").screenshot(path=self.pictures[words])

    @property
    def text(self) -> str:
        """What the form says now."""
        return "\n".join(self.page.locator(DIALOG).locator("ha-markdown-element").all_inner_texts())

    def fill(self, label: str, value: str) -> None:
        self.page.locator(DIALOG).get_by_label(label, exact=False).first.fill(value)

    def choose(self, label: str) -> None:
        """Choose one of several, by how its label begins."""
        self.page.locator(DIALOG).get_by_text(label).first.click()

    def tick(self) -> None:
        self.page.locator(DIALOG).locator("ha-checkbox").first.click()

    def press(self) -> None:
        """Next, or on the last step Submit."""
        self.page.locator(DIALOG).get_by_text(re.compile(r"^\s*(Next|Submit)\s*$")).last.click()
