"""What a home's reports tell and what a plan asks, for a person who never heard of ε.

Every claim is worked out from the plan's own laws.  Where someone could tell, it says how often, beside what
guessing alone would do; a chance is never rounded down to a comfort.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import tzinfo

from hushwatt.household.ledger.store import Store
from hushwatt.household.words.chances import HARDLY, SURE, chance_words, owned, was_on, your
from hushwatt.household.words.clock_words import clock_time, local_time
from hushwatt.household.words.plan_words import plan_sentences
from hushwatt.household.words.told_so_far import LEFT, ToldAppliance, told_so_far
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import nanoseconds

__all__ = ["chance_words", "clock_time", "home_sentence", "plan_sentences", "your"]

FAMILIAR = 0.1  # by so much what never changes must be told better than ownership to be said instead of it
NOTHING_YET = "Nothing has left this home yet."


@dataclass(frozen=True)
class Guess:
    """One thing that someone may try to tell, and how often the best guess is right."""

    what: str
    chance: float
    guess: float
    at_most: bool = False  # whether the chance is a bound

    @property
    def words(self) -> str:
        return chance_words(self.chance, self.guess, self.at_most)

    @property
    def advantage(self) -> float:
        """How much of the way from guessing to certainty."""
        return (self.chance - self.guess) / (1 - self.guess)


def home_sentence(store: Store, now: int, zone: tzinfo | None = None, measured: Collection[str] = ()) -> str:
    """How much has left this home, and what someone who saw all of it could tell; in one or two sentences.

    It speaks of an appliance among `measured` where those are told as well as others.
    """
    counted = _counted(store, now, zone)
    every = told_so_far(store)
    if not every:
        return NOTHING_YET
    event = max(every, key=lambda each: (round(each.on, 3), each.name in measured))
    moment, always = _moment(event), _strongest(every, measured)
    text = f"{counted}. Someone who saw them all {_told(moment)}."
    if always.advantage <= moment.advantage + HARDLY:
        return text
    return f"{text} What stays the same shows more: they {_told(always)}."


def _told(found: Guess) -> str:
    """After "someone who saw them all"."""
    if found.chance >= SURE:
        return f"could tell almost for sure {found.what}"
    if found.chance - found.guess <= HARDLY:
        return f"could not tell {found.what}: their guess would be {found.words}"
    return f"could guess {found.what}, and be {found.words}"


def _counted(store: Store, now: int, zone: tzinfo | None) -> str:
    """How many reports have left in this month of the home's calendar, and ever."""
    here, month, ever = local_time(now, zone), 0, 0
    begins = nanoseconds(here.replace(day=1, hour=0, minute=0, second=0, microsecond=0))
    for row in store.rows("SELECT place, canonical FROM plans"):
        calendar = Plan.parse(row["canonical"]).calendar
        first = int(calendar.slot_of([begins])[0])  # it ends in this month, or later
        counts = store.rows(
            f"SELECT count(*) AS ever, coalesce(sum(slot >= ?), 0) AS month FROM reports WHERE place = ? AND {LEFT}",
            (first, row["place"]),
        )[0]
        month, ever = month + counts["month"], ever + counts["ever"]
    words = f"{month:,} report{'' if month == 1 else 's'} this month"
    return words if month == ever else f"{words}, {ever:,} in all"


def _strongest(every: list[ToldAppliance], measured: Collection[str]) -> Guess:
    """What is told best of all that stays the same; ownership rather than a level where both are told alike."""
    preferred = sorted(every, key=lambda each: each.name not in measured)
    facts = [fact for each in preferred for fact in _lasting_facts(each)]
    return max(facts, key=lambda fact: round(fact.advantage + FAMILIAR * (fact.guess == 0.5), 3))


def _moment(each: ToldAppliance) -> Guess:
    return Guess(was_on(each.name, each.slot), each.on, 0.5, each.at_most)


def _lasting_facts(each: ToldAppliance) -> list[Guess]:
    """Ownership at typical use, or whether it is measured if that is told better; and a level that never changes."""
    owning = Guess(f"whether you own {owned(each.name)}", each.owned, 0.5)
    if each.measured is not None and each.measured > each.owned:
        owning = Guess(f"whether you own and measure {owned(each.name)}", each.measured, 0.5)
    level = f"how much {your(each.name)} uses, if that is always the same (1 of {each.levels} levels)"
    return [owning, Guess(level, each.constant, 1 / each.levels, each.at_most)]
