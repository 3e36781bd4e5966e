"""What no guess exceeds where it is decided in each slot whether to publish.

When a home publishes depends on its probes, or on everybody's, so the number of answers has no simple law.  But all
that the slots of one window publish adds up to H at most.  Answers of less tell less, and what a window publishes
tells most when it is cut into equal parts, one of all or several of less: of small budgets one answer tells most (what
it tells grows with the square), of large ones several.  The most telling of these is the bound.

There are as many cuts as slots, and what they tell goes up and down with ties.  But a larger budget and more answers
both tell more, so of the cuts into a to b answers none tells more than b answers of H/a.  Stretches of cuts are halved,
the one that may tell most first, until it is a single cut, or no more than SLACK above one that was tried.

While a level stays the same, whether two probes of it differ does not depend on which level it is, and so neither
does when a home publishes: only what is published tells.  Where a level is drawn anew in each slot, as for a mean
between two levels, the bound counts every probe as if it were sent.  Where the provider decides, probes are sent, and
H is all of the window's ε.
"""

from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush
from math import isqrt

from hushwatt.plan.plan import Plan
from hushwatt.privacy.laws import Law, law_for
from hushwatt.privacy.long_run.constant_level import best_name
from hushwatt.privacy.long_run.two_pasts import Mixture, best_guess, best_guess_from
from hushwatt.privacy.strategies import strategy_for

SLACK = 0.005  # by which a bound may exceed the most telling cut
Tells = Callable[[Law, int], float]  # how often so many answers of a law are guessed right


def owned_bound(plan: Plan, width: int, owner: Mixture, other: Mixture, slots: int) -> float:
    """The most with which someone tells an owner from another home, by an appliance of so many answers."""
    cuts = EqualCuts(plan, width, slots)
    if len(owner) == 1 or probes_are_sent(plan):
        return cuts.most_telling(lambda law, answers: best_guess(law, owner, other, answers))
    probes = (law_for(plan.oracle, strategy_for(plan).probe, plan.appliances_per_report, width), slots)
    return cuts.most_telling(lambda law, answers: best_guess_from([(law, answers), probes], owner, other))


def constant_bound(plan: Plan, width: int, levels: int, slots: int) -> float:
    """The most with which one of `levels` levels is named that never changes."""
    return EqualCuts(plan, width, slots).most_telling(lambda law, answers: best_name(law, levels, answers))


@dataclass(frozen=True)
class EqualCuts:
    """The ways to publish a window's part in equal answers, about an appliance of so many answers."""

    plan: Plan
    width: int
    slots: int

    @property
    def most(self) -> int:
        """The most answers that a window has."""
        return 2 * self.plan.window if probes_are_sent(self.plan) else self.plan.window

    def law(self, parts: int) -> Law:
        """Of an answer that gets one of so many equal parts."""
        strategy, window = strategy_for(self.plan), self.plan.window
        published, largest = strategy.ceiling(window), strategy.ceiling(window)
        if not probes_are_sent(self.plan):
            published, largest = published - window * strategy.probe, strategy.largest
        return law_for(self.plan.oracle, min(published // parts, largest), self.plan.appliances_per_report, self.width)

    def answers(self, parts: int) -> int:
        """How many answers there are in all."""
        return parts * -(-self.slots // self.plan.window)

    def most_telling(self, tells: Tells) -> float:
        """What no cut exceeds."""

        def above(first: int, last: int) -> tuple[float, int, int]:
            return -tells(self.law(first), self.answers(last)), first, last

        stretches, best = [above(1, self.most)], 0.0
        while True:
            bound, first, last = heappop(stretches)
            best = max(best, -above(first, first)[0])
            if first == last or -bound <= best + SLACK:
                return max(best, -bound)
            middle = isqrt(first * last)
            heappush(stretches, above(first, middle))
            heappush(stretches, above(middle + 1, last))


def probes_are_sent(plan: Plan) -> bool:
    """Whether every home's probe of a slot leaves it, as somebody else decides by them."""
    return plan.decision == "provider"
