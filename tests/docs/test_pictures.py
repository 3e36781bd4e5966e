"""The pictures show what the pages say; taking them needs a browser, serving what they show does not."""

import json
import re
import urllib.request
from pathlib import Path

from tools import collected, home_page

ROOT = Path(__file__).parents[2]
TOUR = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
LINE = re.compile(r"# → (kettle|fridge) ([\d.]+) W, ([\d.]+) to ([\d.]+)")


def test_the_tour_ends_on_the_dashboard(tmp_path):
    """The service in the tour's last picture has the numbers that the tour's code prints."""
    fleet = collected.tour()
    with collected.serving(tmp_path, fleet) as address:
        path = f"{address}/v1/plans/{fleet.plan.id}/estimates"
        found = json.load(urllib.request.urlopen(path, timeout=60))["appliances"]
    shown = {
        name: (f"{one['mean_watts']:.1f}", *(f"{limit:.1f}" for limit in one["ci95"])) for name, one in found.items()
    }

    assert shown == {name: tuple(rest) for name, *rest in LINE.findall(TOUR)}


def test_the_home_in_the_picture():
    """The home's page tells what was measured and sent, day by day, and every byte of a month."""
    with home_page.home_page() as address:
        text = urllib.request.urlopen(address, timeout=60).read().decode()
        every = urllib.request.urlopen(f"{address}reports?all=1", timeout=60).read().decode()

    assert "Your home measured (shown only here)" in text
    assert "--folder" not in text  # no path of this machine is in a picture
    assert text.count('<td class="sent"') == home_page.DAYS - 2  # the first slot is silent, the last one waits
    assert every.count("accepted") == home_page.DAYS - 2


def test_every_picture_is_used():
    """No picture lies about: each is on a page, and every page's pictures are there."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    pictures = [file.name for file in (ROOT / "docs" / "images").iterdir()]

    assert [name for name in pictures if name not in text] == []
