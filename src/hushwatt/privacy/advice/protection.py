"""The longest protection under which a month is still known well enough, and what every length of it costs.

A home speaks once in a window, so a window of a year makes a year of reports tell as little as one.  The price is fewer
reports in a month.  Everything is worked out in closed form, for homes that take turns.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice, product

from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.plan.slot import SECONDS, SlotLength
from hushwatt.privacy.advice.advise import MOST_HOMES, round_up
from hushwatt.privacy.advice.candidate import Z95, Candidate
from hushwatt.privacy.advice.judge import draws_in_period, judged
from hushwatt.privacy.advice.level_choice import noise_per_watt, with_tops
from hushwatt.privacy.advice.prior import Prior, prior_of
from hushwatt.privacy.advice.publishing import TURNS, published
from hushwatt.privacy.advice.slot_choices import prior_at, slot_choices, with_slot
from hushwatt.privacy.laws import LAWS, law_for
from hushwatt.privacy.strategies import strategy_for

MONTH = "30d"  # over which means are taken
YEAR = "365d"  # the longest window that is looked for; beyond it, a smaller ε protects more
WINDOWS = {"3 days": "3d", "a month": MONTH, "a year": YEAR}  # beside the whole plan
WHOLE_PLAN = "the whole plan"
USUAL = 0.1  # the error for which homes are counted where none is asked for
SHORTLIST = 3  # mechanisms that are judged in full
ONE_ANSWER = 0.14  # variance of a dithered answer, in squared tops: of homes a sixth of the top up on average
LEAST_EPSILON = 1000  # millionths; below it nothing is advised
STEPS = 14  # of bisection, on a scale of ratios: to within a hundredth

CapOf = Callable[[Plan], int | None]


@dataclass(frozen=True)
class Step:
    """One length of protection, and what it costs."""

    protects: str  # how long a past is protected as one
    slot: SlotLength
    window: int  # slots
    best: Candidate | None  # None: too few homes would speak for an answer
    needed: int | None  # homes that keep the error asked for, with these levels; None: no number does
    needed_with_new_levels: int | None  # the same, with levels chosen for so many


@dataclass(frozen=True)
class Protection:
    """The plan with the longest protection, and every length of it beside its price."""

    homes: int
    within: float  # the expected error of a middling mean over a month that is asked for, as a share
    best: Candidate | None  # None: no window is short enough for so few homes
    frontier: tuple[Step, ...]


@dataclass(frozen=True)
class ProtectionSearch:
    """What is asked: for so many homes, an error, and a cap on what one appliance spends of any ε."""

    plan: Plan
    homes: int
    within: float
    cap: CapOf
    learnt: Mapping[str, Prior]

    def __post_init__(self) -> None:
        if self.homes < 1:
            raise UsageError(f"advice needs at least one home, not {self.homes}")
        if not 0 < self.within < 1:
            raise UsageError(f"the error is {self.within:.4g} of a mean; it must lie between 0 and 1")

    def longest(self) -> Protection:
        """The longest window up to a year that keeps the error, then the smallest ε; slots change only where they must.

        A longer slot is taken where it allows for a longer window.
        """
        found = [self._longest_at(slot) for slot in self._slots()]
        reached = [plan for plan in found if plan is not None]
        best = max(reached, key=self._protected, default=None)
        return Protection(self.homes, self.within, best and self._least_epsilon(best), self.frontier())

    def fixed(self, window: str) -> Protection:
        """The best plan with a window of this length, in the slots that it has."""
        slots = window_of(self.plan, window)
        best = self.at(replace(self.plan, window=slots))
        return Protection(self.homes, self.within, best, self.frontier())

    def frontier(self) -> tuple[Step, ...]:
        """Three days, a month, a year and the whole plan, for every slot that is not longer."""
        return tuple(self._step(*each) for each in self._rungs())

    def at(self, plan: Plan) -> Candidate | None:
        """The most accurate way to keep this window, slot and ε; None where too few homes would speak."""
        shown = (published(one, self.homes) for one in self._mechanisms(plan))
        found = [self._judged(one, self.homes) for one in islice(filter(None, shown), SHORTLIST)]
        return min(found, key=lambda one: one.middling_error, default=None)

    def _rungs(self) -> Iterator[tuple[str, Plan]]:
        own = self.plan.calendar.slots * self.plan.slot.seconds
        lengths = {name: SlotLength.parse(text).seconds for name, text in WINDOWS.items()}
        shorter = {name: seconds for name, seconds in lengths.items() if seconds < own} | {WHOLE_PLAN: own}
        for (name, seconds), slot in product(shorter.items(), self._slots()):
            if slot.seconds <= seconds:
                yield name, replace(with_slot(self.plan, slot), window=-(-seconds // slot.seconds))

    def _slots(self) -> Iterator[SlotLength]:
        whole = self.plan.calendar.slots * self.plan.slot.seconds
        return (slot for slot in slot_choices(self.plan.slot) if slot == self.plan.slot or 2 * slot.seconds <= whole)

    def _step(self, name: str, plan: Plan) -> Step:
        best = self.at(plan)
        if best is not None:
            again = self._homes_with_new_levels(best.plan)
            return Step(name, plan.slot, plan.window, best, self._homes(best), again)
        by_noise = self._mechanisms(plan)
        tried = by_noise[0], max(by_noise, key=lambda one: one.appliances_per_report)
        needed = [homes for one in tried if (homes := self._homes_with_new_levels(one)) is not None]
        return Step(name, plan.slot, plan.window, None, None, min(needed, default=None))

    def _longest_at(self, slot: SlotLength) -> Candidate | None:
        plan = with_slot(self.plan, slot)
        year = slot.needed_for(YEAR) or 1
        most = min(max(year, plan.window), plan.calendar.slots)
        longest = self.at(replace(plan, window=most))
        if self._enough(longest):
            return longest
        few, many = 0, most
        while many - few > 1:
            middle = (few + many) // 2
            few, many = (middle, many) if self._enough(self.at(replace(plan, window=middle))) else (few, middle)
        whole = whole_days(few, slot)
        return self.at(replace(plan, window=whole)) if whole else None

    def _protected(self, one: Candidate) -> int:
        """Seconds that are protected as one, as far as they are looked for: what a last slot adds does not count."""
        own = self.plan.window * self.plan.slot.seconds
        return min(one.plan.window * one.plan.slot.seconds, max(SlotLength.parse(YEAR).seconds, own))

    def _least_epsilon(self, best: Candidate) -> Candidate:
        few, many = LEAST_EPSILON, best.plan.epsilon
        for _ in range(STEPS):
            middle = two_digits((few * many) ** 0.5)
            if not few < middle < many:
                break
            tried = self.at(replace(best.plan, epsilon=middle))
            if tried is not None and self._enough(tried):
                many, best = middle, tried
            else:
                few = middle
        return best

    def _enough(self, one: Candidate | None) -> bool:
        return one is not None and one.middling_error <= self.within

    def _homes(self, best: Candidate) -> int | None:
        """With these levels; the minimum of homes holds too."""
        needed = best.homes_needed(self.within * Z95)
        return None if needed is None else max(needed, self._least_homes(best.plan))

    def _homes_with_new_levels(self, plan: Plan) -> int | None:
        few, many = float(self._least_homes(plan)), float(MOST_HOMES)
        for _ in range(STEPS):
            middle = (few * many) ** 0.5
            enough = self._enough(self._judged(plan, round(middle)))
            few, many = (few, middle) if enough else (middle, many)
        needed = round_up(many)
        return needed if self._enough(self._judged(plan, needed)) else None

    def _least_homes(self, plan: Plan) -> int:
        """So many homes speak of every appliance in four weeks, or in what the plan publishes together."""
        few, many = 0, MOST_HOMES
        while many - few > 1:
            middle = (few + many) // 2
            few, many = (few, middle) if published(plan, middle) else (middle, many)
        return many

    def _judged(self, plan: Plan, homes: int) -> Candidate:
        priors, month = self._priors(plan), month_of(plan)
        return judged(with_tops(plan, priors, homes, month), priors, homes, month)

    def _priors(self, plan: Plan) -> tuple[Prior, ...]:
        return tuple(
            prior_at(self.learnt.get(each.name) or prior_of(self.plan, each), each, self.plan, plan.slot)
            for each in self.plan.appliances
        )

    def _mechanisms(self, plan: Plan) -> list[Plan]:
        """Every oracle and number of appliances in a report, the least noise for each watt of the top first."""
        capped = replace(plan, method=TURNS[0], decision=None, appliance_epsilon=self.cap(plan))
        every = [
            replace(capped, method=method, oracle=oracle, appliances_per_report=asked)
            for method, oracle, asked in product(TURNS, LAWS, range(1, len(plan.appliances) + 1))
        ]
        return sorted(every, key=_noise)


def _noise(plan: Plan) -> float:
    """The variance of a month's mean for one home, in squared tops."""
    law = law_for(plan.oracle, strategy_for(plan).largest, plan.appliances_per_report, 3 + plan.answers_unmeasured)
    return (noise_per_watt(law) ** 2 + ONE_ANSWER) / draws_in_period(plan, 1, month_of(plan))


def month_of(plan: Plan) -> int:
    """The slots of a month, or of the plan where that is shorter."""
    return max(1, min(SlotLength.parse(MONTH).seconds // plan.slot.seconds, plan.calendar.slots))


def window_of(plan: Plan, written: str) -> int:
    """The slots of a window as people write it: a time such as 365d, or the whole plan."""
    slots = plan.calendar.slots if written == "plan" else plan.slot.needed_for(written)
    if slots is None:
        raise UsageError(f"the window to protect is {written}; write a time such as 365d, or plan for all of the plan")
    return slots


def whole_days(slots: int, slot: SlotLength) -> int:
    """Whole days' worth of slots, where there is a day of them.

    >>> whole_days(50, SlotLength.parse("1h")), whole_days(5, SlotLength.parse("1h"))
    (48, 5)
    """
    day = SECONDS["d"] // slot.seconds
    return slots - slots % day if 0 < day <= slots else slots


def two_digits(epsilon: float) -> int:
    """An amount of ε, in millionths, to two digits and never more.

    >>> two_digits(4_391_000.0), two_digits(80_250.0)
    (4300000, 80000)
    """
    step = int(10 ** max(len(str(int(epsilon))) - 2, 0))
    return max(int(epsilon) // step * step, 1)
