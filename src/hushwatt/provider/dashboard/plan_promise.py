"""What a plan promises and what accuracy it buys, in sentences."""

from functools import lru_cache

from hushwatt.plan.amounts import plain
from hushwatt.plan.plan import Plan
from hushwatt.privacy import promise_words
from hushwatt.privacy.advice import Candidate, prior_of
from hushwatt.privacy.advice.advise import LONGEST_CHAIN
from hushwatt.privacy.advice.judge import judged
from hushwatt.privacy.long_run import ANALYST
from hushwatt.privacy.promise import Promise, promise
from hushwatt.privacy.promise_words import as_prose
from hushwatt.wire.payload import Layout

CACHE_SIZE = 32
MAX_DECIDED_SLOTS = 366  # slots that a plan whose homes decide is followed for


@lru_cache(CACHE_SIZE)
def cached_promise(plan: Plan) -> Promise:
    """What the plan promises, worked out once."""
    return promise(plan)


def rounded_up(amount: int) -> str:
    """An amount of ε to three decimals, never less than it is.

    >>> rounded_up(666_666), rounded_up(10_000_000)
    ('0.667', '10')
    """
    return plain(-(-amount // 1000) * 1000)


def sentences(plan: Plan) -> list[tuple[str, str]]:
    """What can be told in the long run, both protections, what a report gives away, and what it can do."""
    return as_prose(promise_words.sentences(plan, cached_promise(plan), Layout.of(plan).size, ANALYST))


@lru_cache(CACHE_SIZE)
def expected_accuracy(plan: Plan, homes: int, slots: int) -> Candidate | None:
    """The errors to expect of a plan; None when that takes too long to work out."""
    if plan.decision == "household" and (plan.window > LONGEST_CHAIN or slots > MAX_DECIDED_SLOTS):
        return None
    return judged(plan, tuple(prior_of(plan, each) for each in plan.appliances), homes, slots)
