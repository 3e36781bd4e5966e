"""What no guess exceeds where it is decided in each slot whether to publish.

When a home publishes depends on its probes, or on everybody's, so the number of answers has no simple law.  But all
that the slots of one window publish adds up to H at most.  Answers of less tell less, and what a window publishes
tells most when it is cut into equal parts, one of all or several of less: of small budgets one answer tells most (what
it tells grows with the square), of large ones several.  The most telling of these is the bound.

While a level stays the same, whether two probes of it differ does not depend on which level it is, and so neither
does when a home publishes: only what is published tells.  Where a level is drawn anew in each slot, as for a mean
between two levels, the bound counts every probe as if it were sent.  Where the provider decides, probes are sent, and
H is all of the window's ε.
"""

from collections.abc import Iterator

from hushwatt.plan.plan import Plan
from hushwatt.privacy.laws import Law, law_for
from hushwatt.privacy.long_run.constant_level import best_name
from hushwatt.privacy.long_run.two_pasts import Mixture, best_guess, best_guess_from
from hushwatt.privacy.strategies import strategy_for


def owned_bound(plan: Plan, width: int, owner: Mixture, nothing: Mixture, slots: int) -> float:
    """The most with which someone tells right whether an appliance of so many answers is owned."""
    if len(owner) == 1 or probes_are_sent(plan):
        return max(best_guess(law, owner, nothing, answers) for law, answers in cut(plan, width, slots))
    probes = (law_for(plan.oracle, strategy_for(plan).probe, plan.appliances_per_report, width), slots)
    return max(best_guess_from([part, probes], owner, nothing) for part in cut(plan, width, slots))


def constant_bound(plan: Plan, width: int, levels: int, slots: int) -> float:
    """The most with which one of `levels` levels is named that never changes."""
    return max(best_name(law, levels, answers) for law, answers in cut(plan, width, slots))


def cut(plan: Plan, width: int, slots: int) -> Iterator[tuple[Law, int]]:
    """The ways to publish a window's part in equal answers: the law of each, and how many in all."""
    strategy, windows = strategy_for(plan), -(-slots // plan.window)
    published, largest = strategy.ceiling(plan.window), strategy.ceiling(plan.window)
    if not probes_are_sent(plan):
        published, largest = published - plan.window * strategy.probe, strategy.largest
    for answers in _numbers(2 * plan.window if probes_are_sent(plan) else plan.window):
        drawn = min(published // answers, largest)
        yield law_for(plan.oracle, drawn, plan.appliances_per_report, width), answers * windows


def probes_are_sent(plan: Plan) -> bool:
    """Whether every home's probe of a slot leaves it, as somebody else decides by them."""
    return plan.decision == "provider"


def _numbers(most: int) -> Iterator[int]:
    """1, 2, 3, 5, 8, … and `most`.

    >>> list(_numbers(10))
    [1, 2, 3, 5, 8, 10]
    """
    here, following = 1, 2
    while here < most:
        yield here
        here, following = following, here + following
    yield most
