"""What is publicly known about common appliances, for plans that do not say it themselves.

This is prior knowledge from published datasets.  It never holds anything
about the homes that take part.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class CatalogueEntry:
    """One common appliance.  All numbers are watts, but for `ownership`."""

    name: str
    aliases: tuple[str, ...]
    ownership: float  # share of homes thought to have one
    typical_mean: float  # over whole days and over all homes, those without one (0 W) included
    typical_high: float  # over one day: a high day in a home that has one, about the 95th percentile
    rated: float  # while it runs: what a slot of a few minutes can show
    values: tuple[float, ...]  # suit the levels of daily slots, from 0 up to typical_high
    source: str  # the public datasets that the numbers come from


def entry(name: str) -> CatalogueEntry | None:
    """The entry for an appliance, however its name is spelt; None when it is not known.

    >>> entry("Tumble-Dryer").name, entry("perpetual motion machine")
    ('tumble_drier', None)
    """
    return _by_spelling().get(spelling(name))


def entries() -> tuple[CatalogueEntry, ...]:
    """All entries, in the order of the file.

    >>> entries()[1].name
    'kettle'
    """
    return tuple(dict.fromkeys(_by_spelling().values()))


def spelling(name: str) -> str:
    """A name without case, spaces, underscores and hyphens.

    >>> spelling("Fridge-Freezer") == spelling("fridge_freezer") == spelling("fridge freezer")
    True
    """
    return re.sub(r"[\s_-]+", "", name.casefold())


@cache
def _by_spelling() -> dict[str, CatalogueEntry]:
    text = (files("hushwatt.plan") / "catalogue.toml").read_text(encoding="utf-8")
    return {
        spelling(word): known
        for known in map(_entry, tomllib.loads(text)["entry"])
        for word in (known.name, *known.aliases)
    }


def _entry(table: dict[str, Any]) -> CatalogueEntry:
    lists = {key: tuple(value) for key, value in table.items() if isinstance(value, list)}
    return CatalogueEntry(**{**table, **lists})
