"""The site in a real browser, opened from a folder: search finds, a phone is wide enough, nobody is asked.

Without a Chromium these tests are skipped, and say so; the build fails instead.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.screenshots import browsing

ROOT = Path(__file__).parents[2]
BROWSERS = ("chromium", "google-chrome")


@pytest.fixture(scope="module")
def browser():
    """A real browser that talks to nobody else."""
    if not (os.environ.get("CHROMIUM") or any(map(shutil.which, BROWSERS))):
        reason = "there is no Chromium (apt install chromium): the docs are NOT tested in a browser"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with browsing() as browser:
        yield browser


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs") / "site"
    subprocess.run(
        [sys.executable, "-m", "tools.site.build", "--to", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=300,
    )
    return folder


def opened(browser, file, width=1280):
    """A page, and everything that goes wrong on it or is asked of others."""
    page, trouble = browser.new_page(viewport={"width": width, "height": 844}), []
    page.set_default_timeout(120_000)  # a busy machine is slow
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("console", lambda line: line.type == "error" and trouble.append(line.text))
    page.on("request", lambda asked: asked.url.startswith("http") and trouble.append(asked.url))
    page.goto(file.as_uri())
    return page, trouble


def test_search(browser, site):
    """Words typed into the search find the page that has them, without a server."""
    page, trouble = opened(browser, site / "index.html")
    page.click(".md-search__button")
    page.get_by_role("combobox").fill("constant levels found out under the preset")
    page.wait_for_selector("a[href*='claims.html?h=']")  # as only results are

    assert trouble == []
    page.close()


@pytest.mark.parametrize("name", ["tour.html", "reference/http.html", "notebooks/estimates.html"])
def test_a_phone_is_wide_enough(browser, site, name):
    """Nothing sticks out at the side: wide tables and code scroll by themselves."""
    page, trouble = opened(browser, site / name, width=390)
    page.wait_for_load_state("load")

    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert trouble == []
    page.close()
