"""Pictures of the dashboard for the docs: a seeded, simulated collection in a real browser.

    python tools/screenshots.py            writes docs/images/dashboard-*.png
    python tools/screenshots.py --serve    serves the same collection until Ctrl-C
    python tools/screenshots.py --all DIR  writes every view, wide and narrow, light and dark, to DIR

Needs `pip install -e '.[dev]'` and a Chromium.
"""

import argparse
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import numpy as np
import uvicorn
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.evaluate.generators import generate
from hushwatt.household.homes import enrol
from hushwatt.household.report import Sent, levels_of, report
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.privacy.entropy import Simulation
from hushwatt.provider.api import make_app
from hushwatt.provider.clock import HandClock
from hushwatt.provider.collect import Collection, judge, take
from hushwatt.provider.config import Config
from hushwatt.provider.store import open_store
from hushwatt.provider.store.access import add_codes, find_code
from hushwatt.provider.store.enrolment import enrol_gateway, find_signer
from hushwatt.provider.store.plans import add_plan
from hushwatt.provider.store.session import Session
from hushwatt.provider.store.slots import publish
from hushwatt.wire.record import pack_many, unpack
from hushwatt.wire.signature import public_bytes

HOMES, SLOTS, SEED = 1000, 30, 1
OUTAGE, LEFT = 12, 40  # a slot in which few homes came through
VIEWS = ("", "top", "shares", "times", "series", "levels", "collection", "plan")
PICTURES = {
    "overview": ("/", 1280, 980, "light"),
    "times": ("/times", 1280, 860, "light"),
    "series-phone": ("/series?smooth=1", 390, 960, "dark"),
}
IMAGES = Path(__file__).parent.parent / "docs" / "images"


def main() -> None:
    words = argparse.ArgumentParser(description="Pictures of the dashboard.")
    words.add_argument("--serve", action="store_true", help="serve until Ctrl-C")
    words.add_argument("--all", type=Path, metavar="DIR", help="every view in every form")
    asked = words.parse_args()
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), preset("advised")) as address:
        if asked.serve:
            print(address)
            threading.Event().wait()
        elif asked.all:
            asked.all.mkdir(parents=True, exist_ok=True)
            take_all(address, asked.all)
        else:
            IMAGES.mkdir(parents=True, exist_ok=True)
            take_some(address, IMAGES)


@contextmanager
def serving(folder: Path, plan: Plan, homes: int = HOMES, slots: int = SLOTS) -> Iterator[str]:
    """A running provider whose clock stands in the last slot, half of which has come in."""
    file = folder / "plan.toml"
    file.write_text(plan.toml())
    config = Config(plan=(str(file),), data=str(folder), port=0)
    store = open_store(config.store_address)
    with store.writing() as session:
        collect(session, plan, homes, slots)
    clock = HandClock(plan.calendar.start_of(slots - 1) + timedelta(hours=14))
    server = uvicorn.Server(uvicorn.Config(make_app(config, store, clock), port=0, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def collect(session: Session, plan: Plan, homes: int, slots: int) -> None:
    """Let invented homes report, and publish all slots but the last two."""
    collection = Collection(add_plan(session, plan), plan)
    (code,) = add_codes(session, collection.number, 1, homes, 0, 1)
    found = find_code(session, collection.number, code)
    assert found
    enrolled = enrol_gateway(
        session, collection.number, public_bytes(Ed25519PrivateKey.generate()), homes, found
    )
    signer = find_signer(session, collection.number, enrolled.name)
    assert signer
    source = Simulation(SEED, "screenshots")
    fleet = enrol(plan, homes, 0, source)
    for slot, watts in generate("ideal", plan, homes, slots, SEED):
        sent = report(fleet, slot, levels_of(plan, slot, watts, source), source)
        count = LEFT if slot == OUTAGE else len(sent.homes) // 2 if slot == slots - 1 else len(sent.homes)
        _deliver(session, collection, enrolled.devices, signer.signer, sent, count)
        if slot < slots - 2:
            publish(session, collection.number, slot, 0)


def _deliver(
    session: Session, collection: Collection, devices: tuple[bytes, ...], signer: int, sent: Sent, count: int
) -> None:
    names = b"".join(devices[home] for home in sent.homes[:count])
    rows = np.frombuffer(names, np.uint8).reshape(-1, 16)
    body = pack_many(rows, sent.slot, sent.spent[:count], sent.drawn[:count], sent.payloads[:count])
    records = unpack(body, collection.layout.size)
    signers = np.full(len(records), signer)
    take(session, collection, records, signers, judge(collection, records), first=sent.slot, last=sent.slot)


@contextmanager
def browsing() -> Iterator[object]:
    """A real browser that talks to nobody else."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    quiet = ["--no-sandbox", "--disable-background-networking", "--disable-sync", "--no-first-run"]
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=quiet)
        yield browser
        browser.close()


def take_some(address: str, folder: Path) -> None:
    with browsing() as browser:
        for name, (path, width, height, scheme) in PICTURES.items():
            picture(browser, address + path, folder / f"dashboard-{name}.png", width, height, scheme)


def take_all(address: str, folder: Path) -> None:
    with browsing() as browser:
        for view in VIEWS:
            for width in (1280, 390):
                for scheme in ("light", "dark"):
                    file = folder / f"{view or 'overview'}-{width}-{scheme}.png"
                    picture(browser, f"{address}/{view}", file, width, 844, scheme, whole=True)


def picture(
    browser: object, address: str, file: Path, width: int, height: int, scheme: str, whole: bool = False
) -> None:
    """One page as a file, once its charts are drawn."""
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    page.goto(address)
    page.wait_for_selector("html[data-drawn]", state="attached", timeout=15_000)
    page.screenshot(path=file, full_page=whole)
    page.close()
    print(f"wrote {file}, {file.stat().st_size // 1000} kB", file=sys.stderr)


if __name__ == "__main__":
    main()
