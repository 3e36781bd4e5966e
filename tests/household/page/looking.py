"""An owner who looks at the pages of a home, and fills in their forms, without a server between."""

import re
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from html import unescape
from typing import Any

from hushwatt.audit.harness.home_under_test import HomeUnderTest
from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.page.act import act
from hushwatt.household.page.data import OwnerPageData, Rendered
from hushwatt.household.page.render import render

KEY = "key-of-the-page"


@dataclass
class Owner:
    """Looks, and presses."""

    home: HomeUnderTest
    health: list[dict[str, Any]] = field(default_factory=list)
    zone: tzinfo | None = UTC

    @property
    def data(self) -> OwnerPageData:
        folder, agent = HomeFolder(self.home.path.parent), self.home.agent
        now, latest = self.home.clock.wall, dict(agent.latest)
        return OwnerPageData(self.home.store, agent.caps, now, latest, self.health, KEY, self.zone, folder)

    def get(self, path: str = "", **query: str) -> Rendered:
        return render(path, query, self.data)

    def post(self, path: str, **form: str) -> Rendered:
        return act(path, {"key": KEY, **form}, self.data)

    def text(self, path: str = "", **query: str) -> str:
        """A page as it is read aloud."""
        return spoken(self.get(path, **query).body)


def spoken(page: str) -> str:
    """The words of a page, without its tags."""
    body = re.sub(r"<style>.*?</style>|<[^>]+>", " ", page, flags=re.DOTALL)
    return " ".join(unescape(body).split())


def source(
    appliance: str, name: str = "plug", heard: int | None = None, fresh: bool = True, **more: Any
) -> dict[str, Any]:
    """A note on a source, as the agent leaves it."""
    return {"name": name, "appliance": appliance, "heard": heard, "fresh": fresh, "trouble": None, **more}
