"""What a plan asks of a home, what that gives away, and what the owner's limits say to it, in plain sentences.

What the provider wrote itself stands in quotation marks.
"""

from collections.abc import Sequence
from datetime import tzinfo

from hushwatt.household.ledger.caps import Caps
from hushwatt.household.ledger.lasting import lasting
from hushwatt.household.ledger.objections import NOTHING_SPENT, LifetimeSpent, objections
from hushwatt.household.words.chances import SURE, chance_words, plain_name, was_on
from hushwatt.household.words.clock_words import clock_time, every_words
from hushwatt.household.words.told_so_far import SentAnswers
from hushwatt.plan.appliance import Appliance, show_watts
from hushwatt.plan.plan import Plan
from hushwatt.plan.rules import LONGEST_TEXT
from hushwatt.privacy.long_run import long_run_words
from hushwatt.privacy.long_run.two_pasts import best_guess_between
from hushwatt.privacy.long_run.words import times_in_100
from hushwatt.privacy.promise import promise
from hushwatt.privacy.rotation import has_turns, repeats_by_clock
from hushwatt.sanitise import quoted
from hushwatt.wire.payload import Layout
from hushwatt.wire.record import record_size

MAX_NAMES = 20  # appliances that are named one by one
SHARED = (
    "They are shown to homes as well. Yours fetches them at times that tell nothing about you, whether you look or "
    "not, and you can compare your home with them; that is worked out here."
)
ANY_TIME = (
    "You can pause or leave at any time. When you leave, the provider is asked to erase your reports; "
    "figures that were published before stay published."
)
HIDES_LITTLE = ", so chance hides next to nothing"
UNMEASURED = (
    "Where you have no plug on an appliance, your home answers that it does not measure it; that answer is "
    "mixed with chance like any other."
)


def plan_sentences(
    plan: Plan,
    caps: Caps,
    others: Sequence[Plan] = (),
    spent: LifetimeSpent = NOTHING_SPENT,
    now: int = 0,
    zone: tzinfo | None = None,
) -> list[str]:
    """Who asks, what is sent and how often, what it gives away, whether the owner's limits allow it, and the way out.

    `others` are the plans that the home takes part in beside it, and `spent` is what counts as spent so far.
    """
    return [
        f"{quoted(plan.contact, LONGEST_TEXT)} asks, for this purpose: {quoted(plan.description, LONGEST_TEXT)}",
        _sent(plan, zone),
        _appliances(plan),
        _answers(plan),
        *([UNMEASURED] if plan.answers_unmeasured else []),
        _event(plan),
        *(_sentence(words) for words in long_run_words(plan)),
        limits_sentence(plan, caps, others, spent, now),
        f"Results are shown only where at least {plan.minimum_homes:,} homes reported.",
        *([SHARED] if plan.share_results else []),
        ANY_TIME,
    ]


def limits_sentence(
    plan: Plan, caps: Caps, others: Sequence[Plan] = (), spent: LifetimeSpent = NOTHING_SPENT, now: int = 0
) -> str:
    """Whether the owner's own limits allow a plan, and for how long."""
    if against := objections(caps, plan, others, spent):
        return f"The limits you set for this home do not allow it: {'; '.join(each.words for each in against)}."
    lasts = lasting(caps, plan, others, spent, now)
    return f"The limits you set for this home allow it: {'it ' if lasts.short else ''}{lasts.words}."


def watts_words(plan: Plan, appliance: Appliance, level: int) -> str:
    """What a level stands for, in watts.

    >>> from hushwatt.plan.presets import preset
    >>> paper = preset("paper")
    >>> [watts_words(paper, paper.appliances[1], level) for level in (0, 1, 9, 10)]
    ['up to 250 W', '250 to 500 W', 'above 2500 W', 'not measured']
    """
    if level >= appliance.levels:
        return "not measured"
    if plan.mapping == "dither" or appliance.edges is None:
        return f"about {show_watts(appliance.values[level])} W" if level else f"{show_watts(appliance.values[0])} W"
    edges = [show_watts(edge) for edge in appliance.edges]
    if level == 0:
        return "0 W" if appliance.edges[0] == 0 else f"up to {edges[0]} W"
    return f"above {edges[-1]} W" if level == len(edges) else f"{edges[level - 1]} to {edges[level]} W"


def how_often(plan: Plan) -> str:
    """When a home sends something, and when it is new."""
    each = every_words(plan.slot)
    if has_turns(plan):
        return f"one message {every_words(plan.slot, plan.window)}, in a turn of its own"
    if repeats_by_clock(plan):
        return f"one message {each}, a new one {every_words(plan.slot, plan.window)} and the same again in between"
    if plan.decision is not None:
        return f"one message {each}, a new one when something seems to have changed and else the same again"
    return f"one message {each}"


def _sent(plan: Plan, zone: tzinfo | None) -> str:
    size = record_size(Layout.of(plan).size)
    first, last = clock_time(plan, 0, zone), clock_time(plan, plan.calendar.slots - 1, zone)
    return (
        f"Your home sends {how_often(plan)}, of {size:,} bytes each; the first is about {first}, the last about {last}."
    )


def _appliances(plan: Plan) -> str:
    count, asked = len(plan.appliances), plan.appliances_per_report
    names = ", ".join(plain_name(name) for name in plan.names[:MAX_NAMES])
    more = f" and {count - MAX_NAMES} more" if count > MAX_NAMES else ""
    if asked == count:
        return (
            f"Each message is about {'this appliance' if count == 1 else f'these {count} appliances'}: {names}{more}."
        )
    return f"Each message is about {asked} of these {count} appliances, in random turns: {names}{more}."


def _answers(plan: Plan) -> str:
    """What a message says of the appliance that it tells most of, how often that is simply true, and how far it can
    be believed.

    A level that is named alone is R/(R + d - 1) likely to be the true one, for someone who held all d answers for as
    likely before, with R the likelihood ratio of the law.  Where budgets or levels differ, these are the most.
    """
    laws = promise(plan).laws
    chances = [float(law.likelihood_ratio / (law.likelihood_ratio + law.levels - 1)) for law in laws]
    example, law, chance = max(zip(plan.appliances, laws, chances, strict=True), key=lambda each: each[2])
    at_most = plan.decision is not None or len(set(plan.widths)) > 1
    levels = [watts_words(plan, example, level) for level in range(example.levels)]
    shown = f"{levels[0]} or {levels[1]}" if len(levels) == 2 else f"from {levels[0]} to {levels[-1]}"
    about = f"({plain_name(example.name)}: {shown})"
    right = f"{chance_words(chance, 1 / law.levels, at_most)}{HIDES_LITTLE if chance >= SURE else ''}"
    if law.direct:
        return (
            f"About each it names one level of use {about}, mixed with chance on purpose: whoever believes it is "
            f"{right}."
        )
    return (
        f"About each it names levels of use {about}, one, several or none, mixed with chance on purpose: the true one "
        f"and no other {_times(float(law.truthful), at_most)}. Whoever believes a level that it names alone is {right}."
    )


def _times(chance: float, at_most: bool) -> str:
    """How often out of a hundred, where nothing is compared with guessing."""
    if chance < 0.01:
        return "less than 1 time in 100"
    times = times_in_100(chance, 0.0)
    return f"{'at most ' if at_most else ''}{times} time{'' if times == '1' else 's'} in 100"


def _event(plan: Plan) -> str:
    weighed, found = promise(plan), []
    for appliance, width in zip(plan.appliances, plan.widths, strict=True):
        parts = SentAnswers(plan, appliance, width, {weighed.drawn: 1}, 1, 1).single()
        found.append((best_guess_between(parts), appliance.name))
    chance, name = max(found, key=lambda each: round(each[0], 3))
    words = chance_words(chance, at_most=plan.decision is not None)
    return f"From all of it someone could guess {was_on(name, plan.slot)}, and be {words}."


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."
