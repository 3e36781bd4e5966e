"""The views, each one file: what is shown, and in which words.

A view turns a page context into what its template needs.  A new view is one file, one template
and one line in VIEWS.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hushwatt.provider.dashboard.page_context import PageContext
from hushwatt.provider.dashboard.views import (
    collection,
    compare,
    groups,
    levels,
    overview,
    plan,
    profile,
    series,
    shares,
    times,
    top,
    totals,
)


@dataclass(frozen=True)
class View:
    """A page: its address, its name, its template, and what is in it."""

    path: str
    name: str
    template: str
    show: Callable[[PageContext], dict[str, Any]]
    shows_estimates: bool = True  # whether it shows estimates, which have a range and may not be there yet


VIEWS = (
    View("/", "Overview", "overview.html", overview.show, shows_estimates=False),
    View("/top", "Top", "top.html", top.show),
    View("/shares", "Shares", "shares.html", shares.show),
    View("/totals", "Totals", "totals.html", totals.show),
    View("/times", "Heat map", "times.html", times.show),
    View("/series", "Over time", "series.html", series.show),
    View("/profile", "Time profile", "profile.html", profile.show),
    View("/compare", "Compare", "compare.html", compare.show),
    View("/groups", "Groups", "groups.html", groups.show),
    View("/levels", "Levels", "levels.html", levels.show),
    View("/collection", "Collection", "collection.html", collection.show, shows_estimates=False),
    View("/plan", "Plan", "plan.html", plan.show, shows_estimates=False),
)
