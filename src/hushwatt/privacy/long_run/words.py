"""The long run in plain words, for someone who never heard of ε."""

from dataclasses import dataclass

from hushwatt.plan.catalogue import entry
from hushwatt.plan.plan import Plan
from hushwatt.privacy.long_run.answers import DAY
from hushwatt.privacy.long_run.long_run import SPANS, YEAR, LongRun, long_run
from hushwatt.sanitise import sanitised

LENGTHS = {YEAR: "a year", 5 * YEAR: "five years"}
MORE = "more than 99"
MAINS, MEASURED = "mains", ", with a meter that tells of it"
ALWAYS = 0.995  # from here on, a chance is "more than 99"
CLOSE = 0.01  # chances closer to guessing than this are told with a decimal


@dataclass(frozen=True)
class Voice:
    """Whom the words speak to, or of."""

    reports: str
    owns: str
    measures: str  # where homes say what they do not measure
    uses: str
    does: str
    home: str


OWNER = Voice("all your reports", "you own", "you own and measure", "you use", "you do", "your home")
ANALYST = Voice("all reports of a home", "it owns", "it owns and measures", "it uses", "the home does", "the home")


def long_run_words(plan: Plan, days: int | None = YEAR, voice: Voice = OWNER) -> list[str]:
    """What someone who watches all reports for so many days can tell: ownership, habits, and the worst case."""
    run = long_run(plan, days)
    return [_owned(plan, run, voice), _constant(plan, run), _worst(run, voice)]


def long_run_sentences(plan: Plan, voice: Voice = OWNER) -> list[tuple[str, str]]:
    """The same as labels and sentences: after a year, how it grows, and the worst case."""
    owned, constant, worst = long_run_words(plan, voice=voice)
    grows = [("over time", told)] if (told := _grows(plan, voice)) else []
    return [("in the long run", owned), *grows, ("a habit", constant), ("at worst", worst)]


def _owned(plan: Plan, run: LongRun, voice: Voice) -> str:
    """The appliance that is told best, and the one that is told least."""
    most, least = (pick(run.told, key=lambda name: run.told[name].ownership) for pick in (max, min))
    high, low = (times_in_100(run.told[name].ownership, 0.5) for name in (most, least))
    who = f"someone who watches {voice.reports} for {length(plan, run)} would tell"
    if run.told[most].ownership <= 0.5:
        return (
            f"{who} no better than by guessing whether {_any(plan, run, voice)}, 50 times in 100, as long as "
            f"{voice.uses} no more of it than is typical: that counts as its lowest level, like nothing at all"
        )
    text = f"{who} right whether {_owns(plan, voice, most)} {_most(run, high)} times in 100; without them 50"
    if low != high:
        return f"{text}. Whether {_owns(plan, voice, least)}: {low} times; all else lies in between"
    return text if len(run.told) == 1 else f"{text}. So it is with each of the {len(run.told)} appliances"


def _constant(plan: Plan, run: LongRun) -> str:
    """The level that is named most often, beside guessing."""
    name = max(run.told, key=lambda each: run.told[each].constant)
    told = run.told[name]
    which = article(name) if len({each.levels for each in run.told.values()}) > 1 else "an appliance"
    return (
        f"if {which} always used the same, they would name its level "
        f"{_most(run, times_in_100(told.constant, 1 / told.levels))} times in 100 after {length(plan, run)}; "
        f"by guessing {100 / told.levels:.0f}"
    )


def _grows(plan: Plan, voice: Voice) -> str | None:
    """The appliance that is told best after a year, from the first month to the end; None where none is told."""
    name = max(plan.names, key=lambda each: long_run(plan).told[each].ownership)
    runs = {run.slots: run for run in (long_run(plan, days) for days in SPANS)}
    told, spans = [times_in_100(run.told[name].ownership, 0.5) for run in runs.values()], list(runs.values())
    if set(told) == {"50"} or len(told) == 1:
        return None
    last = told.index(MORE) if MORE in told else len(told) - 1
    first, *more = (f"after {length(plan, run)}" for run in spans[: last + 1])
    later = "".join(f", {each} {when}" for each, when in zip(told[1:], more, strict=False))
    ever = " and ever after" if last < len(told) - 1 else ""
    return (
        f"whether {_owns(plan, voice, name)} is told right {_most(spans[0], told[0])} times in 100 {first}{later}{ever}"
    )


def _worst(run: LongRun, voice: Voice) -> str:
    """Whatever is known already, and whatever two pasts are weighed against each other."""
    single, home = (times_in_100(chance, 0.5) for chance in (run.appliance_worst, run.worst))
    text = f"that is the typical case; whatever {voice.does}, and whatever else they know,"
    if single == MORE:
        return f"{text} they may be nearly certain, about one appliance and about {voice.home} as a whole"
    text = f"{text} they are right at most {single} times in 100 about one appliance"
    return f"{text}; about {voice.home} as a whole " + (
        "they may be nearly certain" if home == MORE else f"at most {home} times"
    )


def times_in_100(chance: float, guess: float) -> str:
    """How often out of a hundred; never rounded to certainty, nor to guessing when it is more.

    >>> times_in_100(0.534, 0.5), times_in_100(0.5049, 0.5), times_in_100(0.5, 0.5), times_in_100(0.9998, 0.5)
    ('53', '50.5', '50', 'more than 99')
    """
    if chance >= ALWAYS:
        return MORE
    return f"{100 * chance:.1f}".removesuffix(".0") if abs(chance - guess) < CLOSE else f"{100 * chance:.0f}"


def article(name: str) -> str:
    """An appliance with its article, as one speaks of it.

    >>> article("electric_shower"), article("kettle"), article("lights")
    ('an electric shower', 'a kettle', 'lights')
    """
    words = sanitised(name).replace("_", " ")
    if words.endswith("s") and not words.endswith("ss"):
        return words
    return f"{'an' if words[:1].lower() in tuple('aeiou') else 'a'} {words}"


def length(plan: Plan, run: LongRun) -> str:
    """So many days, as one says it.

    >>> from hushwatt.plan.presets import preset
    >>> plan = preset("advised")
    >>> [length(plan, long_run(plan, days)) for days in SPANS]
    ['30 days', '90 days', 'a year', 'five years', 'the whole plan of 3,653 days']
    """
    if run.slots == plan.calendar.slots:
        short = run.slots * plan.slot.seconds < DAY
        whole = plan.slot.lasting(run.slots) if short else _days(long_run(plan, None).after_days)
        return f"the whole plan of {whole}"
    return LENGTHS.get(run.after_days, _days(run.after_days))


def _days(days: int) -> str:
    return f"{days:,} day{'' if days == 1 else 's'}"


def _owns(plan: Plan, voice: Voice, name: str) -> str:
    """What is told of an appliance: that it is there; of the whole house, which nobody is without, that it is used."""
    known = entry(name)
    if known is not None and known.name == MAINS:
        return f"{voice.uses} any electricity from the grid{MEASURED if plan.answers_unmeasured else ''}"
    return f"{voice.measures if plan.answers_unmeasured else voice.owns} {article(name)}"


def _most(run: LongRun, times: str) -> str:
    """So often, or at most so often where it is a bound; a bound near certainty is none."""
    if not run.at_most:
        return times
    return "up to 100" if times == MORE else f"at most {times}"


def _any(plan: Plan, run: LongRun, voice: Voice) -> str:
    if len(run.told) == 1:
        return _owns(plan, voice, next(iter(run.told)))
    return f"{voice.measures if plan.answers_unmeasured else voice.owns} any of the {len(run.told)} appliances"
