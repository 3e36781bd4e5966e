"""What is known about each appliance: who owns it, how often it runs, what it draws.

The figures and their sources are in `appliances.toml`, beside this file.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan import catalogue
from hushwatt.plan.appliance import Appliance

DAY = 86_400.0  # seconds
MINUTE = 60.0  # seconds
MAX_USE_SECONDS = 12 * 3_600.0  # seconds that a use lasts at most
DEFAULT_MEAN_WATTS = 10.0  # watts over all homes, of an appliance that neither catalogue nor plan knows
DEFAULT_OWNERSHIP = 0.6  # share of homes that own such an appliance
DEFAULT_WATTS = 1_000.0  # of such an appliance, while in use
DEFAULT_SPREAD = 0.5


@dataclass(frozen=True)
class LoadProfile:
    """How the watts of one use go: parts of its time, each with a multiple of the mean watts."""

    begins: tuple[float, ...]  # share of the use's time at which each part begins
    parts: tuple[float, ...]  # share of the use's time that each part lasts
    multiples: tuple[float, ...]

    @classmethod
    def of(cls, steps: list[dict[str, float]]) -> Self:
        """Read the steps, scaled so that parts sum to 1 and the mean multiple is 1."""
        parts = np.array([step["part"] for step in steps]) / sum(step["part"] for step in steps)
        multiples = np.array([step["watts"] for step in steps])
        multiples = multiples / (parts @ multiples)
        begins = np.cumsum(parts) - parts
        return cls(tuple(begins.tolist()), tuple(parts.tolist()), tuple(multiples.tolist()))


@dataclass(frozen=True)
class ApplianceFacts:
    """What is known about one appliance; means over the homes that own it.

    >>> kettle = known_facts("kettle")
    >>> kettle.uses, kettle.watts, round(kettle.mean_watts, 1)
    (4.16, 2800.0, 19.4)
    """

    name: str
    owned: float  # share of homes
    watts: float  # while in use; for a cold appliance while its compressor runs
    minutes: float  # a use lasts; for a cold appliance from one start to the next
    spread: float  # sd of the logarithm, from home to home
    variation: float  # sd of the logarithm, from use to use or day to day
    source: str
    uses: float = 0.0  # a day; 0 for a cold appliance
    cold: float = 0.0  # mean watts of a cold appliance, which never stops; 0 for others
    standby: float = 0.0  # watts
    shape: str = "home"  # the name of its energy by hour of the day
    course: str = "steady"  # the name of how its watts go within one use

    @property
    def mean_watts(self) -> float:
        """What an owner's appliance draws on average, over day and night."""
        return self.cold + self.standby + self.uses * self.minutes * MINUTE / DAY * self.watts


@dataclass(frozen=True)
class HouseholdFacts:
    """What homes have in common, whatever they own."""

    residents: NDArray[np.float64]  # share of homes with 1, 2, … residents
    size: float  # use grows as residents to this power
    weekend: float  # use of a weekend day against a weekday
    away: float  # share of weeks in which nobody is at home

    def factor(self, residents: NDArray[np.int64]) -> NDArray[np.float64]:
        """How much more such homes use than the average home."""
        sizes = np.arange(1, len(self.residents) + 1) ** self.size
        return np.asarray(residents**self.size / (sizes @ self.residents))

    def on_day(self, day: int) -> float:
        """How much more is used on a day, counted from 1970-01-01, than on the average one."""
        weekend = (day + 3) % 7 >= 5  # day 0 was a Thursday
        return (self.weekend if weekend else 1.0) * 7 / (5 + 2 * self.weekend)


@dataclass(frozen=True)
class OwnershipGroup:
    """Appliances whose ownership goes together, as patterns that a random number picks."""

    names: tuple[str, ...]
    limits: NDArray[np.float64]  # shares of homes, summed up pattern by pattern
    owns: NDArray[np.bool_]  # pattern × name; the last pattern, past all limits, owns none

    @classmethod
    def of(cls, table: dict[str, Any]) -> Self:
        """Read how many homes own what."""
        patterns = table["patterns"]
        limits = np.cumsum([pattern["homes"] for pattern in patterns]) / table["homes"]
        owns = [[name in pattern["owns"] for name in table["names"]] for pattern in patterns]
        return cls(tuple(table["names"]), limits, np.array([*owns, [False] * len(table["names"])]))

    def draw(self, stream: np.random.Generator, homes: int) -> NDArray[np.bool_]:
        """Who owns what: home × name."""
        return np.asarray(self.owns[np.searchsorted(self.limits, stream.random(homes), side="right")])


def known_facts(name: str) -> ApplianceFacts | None:
    """The facts about an appliance, however the catalogue lets one spell it; None when there are none.

    >>> known_facts("Fridge-Freezer").name, known_facts("flux capacitor")
    ('fridge_freezer', None)
    """
    listed = catalogue.entry(name)
    return _appliances().get(listed.name if listed else name)


def facts_for(appliance: Appliance) -> ApplianceFacts:
    """The facts about an appliance of a plan, or what must do instead.

    What the catalogue alone knows has its ownership, its mean over all homes
    and its watts; what nobody knows is owned by 60 % of homes, draws 1000 W, and
    has the mean that the plan calls typical, or else 10 W.  Either is used once
    a day for as long as that takes, or never stops if that is over 12 hours.
    """
    facts = known_facts(appliance.name)
    if facts is not None:
        return facts
    listed = catalogue.entry(appliance.name)
    if listed is not None:
        return _once_a_day(listed.name, listed.ownership, listed.typical_mean, listed.rated, listed.source)
    mean = appliance.typical_mean or DEFAULT_MEAN_WATTS
    return _once_a_day(appliance.name, DEFAULT_OWNERSHIP, mean, DEFAULT_WATTS, "assumed")


def _once_a_day(name: str, owned: float, mean: float, watts: float, source: str) -> ApplianceFacts:
    """An appliance whose owners use it once a day, such that `mean` is the mean over all homes."""
    theirs = mean / owned
    lasts = theirs * DAY / watts
    if lasts > MAX_USE_SECONDS:
        return ApplianceFacts(name, owned, watts, 1.0, DEFAULT_SPREAD, DEFAULT_SPREAD, source, standby=theirs)
    return ApplianceFacts(name, owned, watts, lasts / MINUTE, DEFAULT_SPREAD, DEFAULT_SPREAD, source, uses=1.0)


def household() -> HouseholdFacts:
    """What homes have in common."""
    home = _table()["home"]
    residents = np.array(home["residents"], dtype=np.float64)
    return HouseholdFacts(residents / residents.sum(), home["size"], home["weekend"], home["away"])


def hours(shape: str) -> NDArray[np.float64]:
    """The share of a day's energy that falls into each of its 24 hours.

    >>> round(float(hours("kettle").sum()), 9), int(hours("kettle").argmax())
    (1.0, 16)
    """
    permille = np.array(_table()["shape"][shape], dtype=np.float64)
    return np.asarray(permille / permille.sum())


def course(name: str) -> LoadProfile:
    """How the watts go within one use."""
    return LoadProfile.of(_table()["course"][name])


def ownership_groups() -> list[OwnershipGroup]:
    """The appliances whose ownership goes together."""
    return [OwnershipGroup.of(group) for group in _table()["together"]]


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("appliances.toml").read_text(encoding="utf-8"))


@cache
def _appliances() -> dict[str, ApplianceFacts]:
    appliances: dict[str, ApplianceFacts] = {}
    for row in _table()["appliance"]:
        owners, homes = row["owned"]
        appliances[row["name"]] = ApplianceFacts(**{**row, "owned": owners / homes})
    return appliances
