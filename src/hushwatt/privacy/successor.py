"""Whether a plan that replaces another protects a home at least as well: what is weaker, in plain words.

A home may follow a successor by itself only where this finds nothing.  Levels, oracle, mapping, texts and
dates may change; what a home can be asked, how much it can cost, and who sees it may not get worse.  A plan
that begins to share its results shows the same numbers to more people, so that is its owner's to decide; one that
stops to is not weaker.
"""

from collections.abc import Iterator
from functools import lru_cache

from hushwatt.plan.amounts import plain
from hushwatt.plan.periods import how_often
from hushwatt.plan.plan import Plan
from hushwatt.plan.shown import shown
from hushwatt.privacy.promise import Promise, promise
from hushwatt.privacy.promise_words import reach
from hushwatt.privacy.strategies import strategy_for

HOUR, DAY, YEAR = 3_600, 86_400, 366 * 86_400  # seconds
CLOCK_CHANGE = 2 * HOUR  # local days may be an hour longer or shorter than others


def weaker(old: Plan, new: Plan) -> list[str]:
    """All that is weaker in a plan than in the one it replaces, a sentence each; none: it may be followed."""
    found = [] if new.replaces == old.id else ["it does not say that it replaces your plan"]
    return [*found, *_amounts(old, new), *_times(old, new), *_ceilings(old, new), *_questions(old, new)]


@lru_cache(maxsize=16)
def promise_of(plan: Plan) -> Promise:
    """What a plan promises, worked out once: where homes decide, that takes a while."""
    return promise(plan)


def _amounts(old: Plan, new: Plan) -> Iterator[str]:
    before, after = promise_of(old), promise_of(new)
    if new.epsilon > old.epsilon:
        yield f"it may cost your home ε {plain(new.epsilon)} in a window, not ε {plain(old.epsilon)}"
    elif after.dearest > before.dearest:
        yield f"its dearest window costs your home ε {plain(after.dearest)}, not ε {plain(before.dearest)}"
    if after.appliance_epsilon > before.appliance_epsilon:
        limits = (plain(each.appliance_epsilon) for each in (after, before))
        yield "it allows ε {} on one appliance in a window, not ε {}".format(*limits)
    if after.appliance_dearest > before.appliance_dearest:
        yield f"a window may cost one appliance ε {plain(reach(after))}, not ε {plain(reach(before))}"
    if not after.kept:
        yield "it does not keep its own promise"
    if new.minimum_homes < old.minimum_homes:
        yield f"it shows results of {new.minimum_homes} homes, not of {old.minimum_homes} at least"
    if new.share_results and not old.share_results:
        yield "it shows what is published to all homes, not to its provider alone"


def _times(old: Plan, new: Plan) -> Iterator[str]:
    slack = 0 if same_clock(old, new) else CLOCK_CHANGE
    if new.window * new.slot.seconds < old.window * old.slot.seconds + slack:
        yield f"its promise is about {new.window:,} slots of {new.slot}, not {old.window:,} of {old.slot}: less time"
    if new.publish * new.slot.seconds < old.publish * old.slot.seconds:
        after, before = (how_often(each.publish, each.slot) for each in (new, old))
        yield f"its results are published {after}, not {before}: more closely"
    if new.slot.seconds < old.slot.seconds:
        yield f"it asks about every {new.slot}, not every {old.slot}: more closely"


def _ceilings(old: Plan, new: Plan) -> Iterator[str]:
    """What a day and a year can cost, by the proved bound of each method, however long the plans last."""
    for length, words in ((DAY, "a day"), (YEAR, "a year")):
        after, before = (_ceiling(each, length) for each in (new, old))
        if after > before:
            yield f"{words} of it may cost your home ε {plain(after)}, not ε {plain(before)}"


def _ceiling(plan: Plan, length: int) -> int:
    return strategy_for(plan).ceiling(-(-length // plan.slot.seconds) + 1)


def _questions(old: Plan, new: Plan) -> Iterator[str]:
    for name in sorted(set(new.names) - set(old.names)):
        yield f"it asks about one more appliance: {shown(name)}"
    if new.answers_unmeasured and not old.answers_unmeasured:
        yield "it also asks which appliances your home measures"
    if new.decision != old.decision and new.decision is not None:
        yield f"whether a home speaks anew is decided by the {new.decision} from now on"


def same_clock(old: Plan, new: Plan) -> bool:
    """Whether equal counts of seconds are equal times: no local days, or those of the same place."""
    daily = {plan.slot.unit == "d" for plan in (old, new)}
    return daily == {False} or (daily == {True} and old.timezone == new.timezone)
