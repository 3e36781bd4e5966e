"""Pictures of both pages for the docs: seeded, simulated, in a real browser that talks to nobody else.

    python -m tools.screenshots            writes docs/images/*.png
    python -m tools.screenshots --serve    serves the same collection until Ctrl-C
    python -m tools.screenshots --all DIR  writes every view, wide and narrow, light and dark, to DIR

Needs `pip install -e '.[dev]'` and a Chromium.
"""

import argparse
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from tools.collected import Fleet, hourly, month, serving, tour
from tools.home_page import home_page
from tools.shrink import shrink

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Scheme = Literal["light", "dark"]
Picture = tuple[str, int, int, Scheme]  # the path, how wide and tall, in which colours

VIEWS = (
    "",
    "top",
    "shares",
    "totals",
    "times",
    "series",
    "profile",
    "profile?appliance=dishwasher",
    "compare",
    "levels",
    "collection",
    "plan",
)
DASHBOARD: dict[str, Picture] = {
    "dashboard-overview": ("/", 1280, 980, "light"),
    "dashboard-series-phone": ("/series?smooth=1", 390, 1100, "dark"),
}
HOURLY: dict[str, Picture] = {
    "dashboard-times": ("/times?per=day", 1280, 1000, "light"),
    "dashboard-profile": ("/profile", 1280, 1180, "light"),
}
TOUR: dict[str, Picture] = {"dashboard-tour": ("/", 1280, 860, "light")}
HOME: dict[str, Picture] = {
    "household": ("", 1100, 842, "light"),
    "household-phone": ("", 390, 844, "dark"),
}
IMAGES = Path(__file__).parent.parent / "docs" / "images"


def main() -> None:
    words = argparse.ArgumentParser(description="Pictures of both pages.")
    words.add_argument("--serve", action="store_true", help="serve the dashboard until Ctrl-C")
    words.add_argument("--all", type=Path, metavar="DIR", help="every view in every form")
    words.add_argument("--to", type=Path, metavar="DIR", default=IMAGES, help="where to write")
    asked = words.parse_args()
    if asked.serve:
        with collection(hourly()) as address:
            print(address, flush=True)
            threading.Event().wait()
    elif asked.all:
        asked.all.mkdir(parents=True, exist_ok=True)
        with collection(hourly()) as address, browsing() as browser:
            take_all(browser, address, asked.all)
    else:
        asked.to.mkdir(parents=True, exist_ok=True)
        with browsing() as browser:
            take_some(browser, asked.to)
        from tools import home_assistant_page

        home_assistant_page.main(str(asked.to))


@contextmanager
def collection(fleet: Fleet) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), fleet) as address:
        yield address


@contextmanager
def browsing() -> Iterator["Browser"]:
    """A real browser that talks to nobody else."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    quiet = ["--no-sandbox", "--disable-background-networking", "--disable-sync", "--no-first-run"]
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=quiet)
        yield browser
        browser.close()


def take_some(browser: "Browser", folder: Path) -> None:
    """The pictures of the docs."""
    for fleet, pictures in ((month(), DASHBOARD), (hourly(), HOURLY), (tour(), TOUR)):
        with collection(fleet) as address:
            for name, (path, width, height, scheme) in pictures.items():
                picture(browser, address + path, folder / f"{name}.png", width, height, scheme)
    with home_page() as address:
        for name, (path, width, height, scheme) in HOME.items():
            picture(browser, address + path, folder / f"{name}.png", width, height, scheme, drawn="section")


def take_all(browser: "Browser", address: str, folder: Path) -> None:
    for view in VIEWS:
        for width in (1280, 390):
            for scheme in get_args(Scheme):
                file = folder / f"{view.partition('?')[0] or 'overview'}{'-one' * ('?' in view)}-{width}-{scheme}.png"
                picture(browser, f"{address}/{view}", file, width, 844, scheme, whole=True)


def picture(
    browser: "Browser",
    address: str,
    file: Path,
    width: int,
    height: int,
    scheme: Scheme,
    whole: bool = False,
    drawn: str = "html[data-drawn]",
) -> None:
    """One page as a file, once what says that it is drawn is there."""
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    page.goto(address)
    page.wait_for_selector(drawn, state="attached", timeout=15_000)
    page.screenshot(path=file, full_page=whole)
    page.close()
    shrink(file)


if __name__ == "__main__":
    main()
