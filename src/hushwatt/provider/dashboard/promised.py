"""What a plan promises and what accuracy it buys, in sentences."""

from functools import lru_cache

from hushwatt.plan.amounts import plain
from hushwatt.plan.plan import Plan
from hushwatt.privacy.advice import Candidate, prior_of
from hushwatt.privacy.advice.advise import LONGEST_CHAIN, judged
from hushwatt.privacy.promise import Promise, promise

REMEMBERED = 32
MOST_DECIDED = 366  # slots that a plan whose homes decide is followed for


@lru_cache(REMEMBERED)
def promised(plan: Plan) -> Promise:
    """What the plan promises, worked out once."""
    return promise(plan)


def reach(found: Promise) -> int:
    """What of a window can reach one appliance, in whole millionths, rounded up."""
    return -(-found.appliance_dearest.numerator // found.appliance_dearest.denominator)


def rounded_up(amount: int) -> str:
    """An amount of ε to three decimals, never less than it is.

    >>> rounded_up(666_666), rounded_up(10_000_000)
    ('0.667', '10')
    """
    return plain(-(-amount // 1000) * 1000)


def sentences(plan: Plan) -> list[tuple[str, str]]:
    """Both protections, what a report gives away, and what it can do."""
    found = promised(plan)
    span = "any slot" if plan.window == 1 else f"any {plan.window:,} slots in a row"
    return [
        ("The whole home", f"ε {plain(plan.epsilon)} over {span}: odds of at most {found.odds}."),
        ("One appliance", f"ε {plain(reach(found))} over {span}: odds of at most {found.appliance_odds}."),
        (
            "What odds mean",
            "The most by which everything that a home sends can shift the odds between two pasts of it, "
            "even for someone who already knows everything else about the home.",
        ),
        (
            "A report",
            f"It names an appliance's true level with a chance of {_chance(found.told)}. "
            "Whatever it says, the home can say that it was chance.",
        ),
        (
            "Its influence",
            f"One report, honest or forged, counts as at most {found.influence:.1f} homes at a level "
            "among those that report in its slot.",
        ),
        (
            "The dearest window",
            f"Costs ε {plain(found.dearest)} of the ε {plain(plan.epsilon)} promised: "
            + ("the promise is kept." if found.kept else "the promise is BROKEN."),
        ),
    ]


@lru_cache(REMEMBERED)
def foreseen(plan: Plan, homes: int, slots: int) -> Candidate | None:
    """The errors to expect of a plan; None when that takes too long to work out."""
    if plan.decision == "household" and (plan.window > LONGEST_CHAIN or slots > MOST_DECIDED):
        return None
    return judged(plan, tuple(prior_of(plan, each) for each in plan.appliances), homes, slots)


def _chance(span: tuple[float, float]) -> str:
    low, high = (f"{100 * chance:.0f}" for chance in span)
    return f"{low} %" if low == high else f"{low} to {high} %"
