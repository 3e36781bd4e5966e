"""Pictures of joining in Home Assistant for the docs: a real one, a real provider, a real browser.

    python -m tools.home_assistant_page [DIR]    writes home-assistant-*.png, usually to docs/images

Needs `make home-assistant` and a Chromium.
"""

import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.home_assistant.browsing import Owner, browser_page
from tests.home_assistant.running import NEW, RunningHomeAssistant, until
from tests.home_assistant.street import HomeRecord
from tests.household.serving import Provider, free_port

from tools.shrink import shrink
from tools.supply.home_assistant import environment

PLAN = f"""
name = "Kitchens of Leeds"
description = "Which kitchen appliances use the most, so that evening tariffs are fair."
contact = "privacy@leeds-energy.example"
start = "{datetime.now(UTC):%Y-%m-%d}"
expires = "{datetime.now(UTC).year + 1}-12-31"
slot = "1d"
epsilon = "0.1"
window = 7
method = "lpu"
oracle = "grr"
minimum_homes = 1000
"""
APPLIANCES = {"dishwasher": [20, 100], "washing_machine": [20, 100], "kettle": [10, 50], "fridge": [20, 60]}
STEPS = {"What is asked of you": "terms", "Your devices": "devices"}
IMAGES = Path(__file__).parent.parent / "docs" / "images"


def main(folder: str = str(IMAGES)) -> None:
    if not (environment(NEW) / ".ready").exists():
        print("no pictures of Home Assistant: it is not here (make home-assistant)", file=sys.stderr)
        return
    with TemporaryDirectory() as place:
        provider = Provider(Path(place), plan_text())
        house = RunningHomeAssistant(NEW, Path(place, "config"), free_port(), APPLIANCES)
        house.install_component()
        provider.start()
        try:
            house.start()
            house.onboard()
            house.energy_dashboard("sensor.dishwasher_energy", "sensor.washing_machine_energy")
            take(house, provider.address, Path(folder))
        finally:
            house.stop()
            provider.stop()
            HomeRecord(house.folder / "hushwatt").forget_mark()


def plan_text() -> str:
    parts = [f'[[appliance]]\nname = "{name}"\nedges = {edges}\n' for name, edges in APPLIANCES.items()]
    return PLAN + "".join(parts)


def take(house: RunningHomeAssistant, address: str, folder: Path) -> None:
    """Two steps of the form, then the plan's device with its entities."""
    files = {words: folder / f"home-assistant-{name}.png" for words, name in STEPS.items()}
    with browser_page(1000, 1000) as page:
        owner = Owner(page, house, files)
        owner.log_in()
        owner.add_integration("hushwatt")
        owner.fill("Provider's address", address)
        owner.press()
        for heading in ("What is asked of you", "Your devices", "Do you agree?"):
            owner.heading(heading)
            if heading == "Do you agree?":
                owner.tick()
            owner.press()
        owner.heading("Success!")
        until("its entities", lambda: house.state("switch.kitchens_of_leeds_pause") == "off")
        with house.websocket() as ask:
            devices = [each for each in ask("config/device_registry/list") if each["manufacturer"] == "hushwatt"]
        page.goto(f"{house.address}/config/devices/device/{devices[0]['id']}")
        page.get_by_text("Next report").first.wait_for()
        page.wait_for_timeout(1_500)  # icons and states have come
        files["device"] = folder / "home-assistant-device.png"
        page.screenshot(path=files["device"], clip={"x": 257, "y": 0, "width": 490, "height": 720})
    for file in files.values():
        shrink(file)


if __name__ == "__main__":
    main(*sys.argv[1:])
