"""An analyst's questions, and whether answers are as sure as they say: folds, contrasts, ranks, and a campaign."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hushwatt.evaluate.experiments.columns import advised, held_watts, source_of
from hushwatt.evaluate.experiments.experiment import (
    NOBODY,
    Experiment,
    Goal,
    HomesSpec,
    Job,
    Measurement,
    Metric,
    Repeats,
    Setting,
    words,
)
from hushwatt.evaluate.experiments.homes import PAPER, watts_of
from hushwatt.evaluate.experiments.question_homes import (
    DISHWASHER,
    EVENING,
    HOURS,
    LASTS,
    LESS,
    LIVES,
    MORNING,
    NIGHT,
    NOON,
    REAL,
    ROWS,
    TIME,
    WEEK,
    WEEKS,
    Campaign,
    campaign,
    lived,
    nothing_differs,
    plan_for,
)
from hushwatt.fleet.aggregate import aggregate
from hushwatt.fleet.simulate import simulate
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.privacy.advice.compared_slots import ComparedSlots
from hushwatt.privacy.advice.detect import DetectionSearch
from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.estimate.contrasts.contrast import Contrast, contrasts
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.ranking.ranks import sidak_quantile
from hushwatt.provider.estimate.results import PeriodEstimates
from hushwatt.provider.estimate.times.time_filter import TimeFilter
from hushwatt.provider.tally.tally import Tallies

Numbers = NDArray[np.float64]

FOLDS, BY_HOURS, BY_WEEKS, TWICE = "folds", "evening, night", "week, week", "difference in differences"
KINDS = (BY_HOURS, BY_WEEKS, TWICE)
GROUPS = "group, group"
RANKS, REAL_RANKS = "ranks of 15 appliances", "ranks by real watts"
CAMPAIGN = "two dishwashers of five less, one week of four"
TOGETHER, ALONE = "all together", "each by itself"
EIGHT, ENOUGH = "8,000 homes", "as many as foretold"
FEW = 8_000

COVERED = Metric("95 % intervals that hold", "{:.1f}", better="higher", unit="%")
ALARMS = Metric("runs with a false alarm", "{:.1f}", unit="%")
POWER = Metric("a detectable difference, found", "{:.0f}", better="higher", unit="%")
WIDTH = Metric("places left open, over those of all pairs (Bonferroni)", "{:.2f}")
FOUND = Metric("the campaign, found", "{:.0f}", better="", unit="%")
FORETOLD = Metric("homes that are needed, as foretold", "{:,.0f}", better="")

THROUGH_BYTES = 40  # one repetition of so many goes through reports' bytes
WITH_EFFECT = 4  # one of so many looks for a difference that is there


def questions() -> Experiment:
    """Coverage, false alarms and power of what is said about times, and of ranks."""
    homes = HomesSpec("", ROWS, 0)
    lives = tuple(Setting(life, plan_for(life), homes) for life in LIVES)
    paper = HomesSpec(PAPER, ROWS, 30)
    ranked = tuple(Setting(label, preset("advised"), paper) for label in (RANKS, REAL_RANKS))
    others = (*ranked, Setting(CAMPAIGN, plan_for(REAL), NOBODY))
    covered = tuple(
        Goal(life, COVERED.name, column, least=93.0, doubt=2.0) for life in LIVES for column in (FOLDS, *KINDS, GROUPS)
    )
    alarms = tuple(Goal(life, ALARMS.name, kind, most=5.0, doubt=2.0) for life in LIVES for kind in (*KINDS, GROUPS))
    ranks = tuple(
        Goal(label, COVERED.name, column, least=95.0, doubt=2.0)
        for label in (RANKS, REAL_RANKS)
        for column in (TOGETHER, ALONE)
    )
    return Experiment(
        **words("questions"),
        settings=(*lives, *others),
        measure=_measure,
        metrics=(COVERED, ALARMS, POWER, WIDTH, FOUND, FORETOLD),
        repeats=Repeats(8, 500),
        columns=(FOLDS, *KINDS, GROUPS, TOGETHER, ALONE, EIGHT, ENOUGH),
        explained={
            FOLDS: "estimate --fold hour",
            BY_HOURS: "compare --a hours=17-21 --b hours=1-5",
            BY_WEEKS: "compare, one week against the next",
            TWICE: "compare --versus: the first beyond 9 to 13 h against 5 to 9 h",
            GROUPS: "compare, of two groups of as many homes, over both weeks",
            TOGETHER: "rank_ci95: all places at once",
            ALONE: "the places of one appliance by itself",
            EIGHT: "8,000 homes",
            ENOUGH: "the homes that `plan advise --detect 40%` asks for",
        },
        goals=(
            *covered,
            *alarms,
            *ranks,
            *(Goal(life, POWER.name, kind, least=75.0, doubt=2.0) for life in LIVES for kind in KINDS),
            *(Goal(RANKS, WIDTH.name, column, most=most) for column, most in ((TOGETHER, 0.99), (ALONE, 0.92))),
            Goal(CAMPAIGN, FOUND.name, ENOUGH, least=70.0, most=90.0, doubt=2.0),
        ),
        figure="none",
        only_named=True,
    )


def _measure(job: Job, setting: Setting) -> Iterable[Measurement]:
    if setting.label in (RANKS, REAL_RANKS):
        return _ranks(job, setting)
    return _campaign(job, setting) if setting.label == CAMPAIGN else _times(job, setting)


def _times(job: Job, setting: Setting) -> Iterable[Measurement]:
    """Folds, and contrasts where nothing differs; now and then where something does."""
    plan, life = setting.plan, setting.label
    rng = np.random.default_rng(job.seed_for("life", life))
    watts = lived(life, rng)
    equal = nothing_differs(watts, life, rng)
    found = _compared(plan, _reported(job, plan, equal, "null"))
    for kind, each in (found | {GROUPS: _groups(job, plan, equal)}).items():
        yield Measurement(life, ALARMS.name, kind, 100.0 * any(one.p_adjusted < 0.05 for one in each))
        yield Measurement(life, COVERED.name, kind, 100 * float(np.mean([one.low <= 0 <= one.high for one in each])))
    if job.repeat % WITH_EFFECT == 0:
        yield _folds(job, plan, life, watts)
        kind = KINDS[job.repeat // WITH_EFFECT % len(KINDS)]
        yield from _effect(job, plan, life, equal, kind, found[kind][0].detectable)


def _folds(job: Job, plan: Plan, life: str, watts: Numbers) -> Measurement:
    told = estimate(plan, _reported(job, plan, watts, "folds"), fold="hour").folds
    truth = watts.mean(axis=(0, 2))
    inside = [
        each.low <= truth[hour, place] <= each.high
        for hour, fold in enumerate(told)
        for place, each in enumerate(fold.by_period.values())
        if each is not None
    ]
    return Measurement(life, COVERED.name, FOLDS, 100 * float(np.mean(inside)))


def _effect(job: Job, plan: Plan, life: str, equal: Numbers, kind: str, detectable: float) -> Iterable[Measurement]:
    """As many uses of the first appliance left out on side a as make a detectable difference."""
    watts, rng = equal.copy(), np.random.default_rng(job.seed_for("effect", life))
    part = watts[:WEEK, ..., 0] if kind == BY_WEEKS else watts[:, EVENING : EVENING + LASTS, :, 0]
    before = part.mean()
    if detectable > before:  # nobody can use so much less
        return
    part *= rng.random(part.shape) >= detectable / before
    each = _compared(plan, _reported(job, plan, watts, "effect"))[kind][0]
    yield Measurement(life, POWER.name, kind, 100.0 * (each.p_adjusted < 0.05))
    yield Measurement(life, COVERED.name, kind, 100.0 * (each.low <= part.mean() - before <= each.high))


def _compared(plan: Plan, tallies: Tallies) -> dict[str, list[Contrast]]:
    """The three ways to compare times."""
    hours = [
        CollectedSlots.of(plan, tallies, times=TimeFilter.parse(f"{first}-{first + LASTS}", None))
        for first in (EVENING, NIGHT, NOON, MORNING)
    ]
    weeks = [CollectedSlots.of(plan, tallies, 0, WEEK * HOURS - 1), CollectedSlots.of(plan, tallies, WEEK * HOURS)]
    sides = zip(KINDS, (hours[:2], weeks, hours), strict=True)
    return {kind: [each for each in contrasts(some).by_appliance.values() if each] for kind, some in sides}


def _groups(job: Job, plan: Plan, equal: Numbers) -> list[Contrast]:
    """Two groups that do the same, the one a week before the other."""
    groups = [_reported(job, plan, each, name) for name, each in (("a", equal), ("b", np.roll(equal, WEEK, axis=0)))]
    found = contrasts([CollectedSlots.of(plan, tallies) for tallies in groups], same_homes=False)
    return [each for each in found.by_appliance.values() if each]


def _reported(job: Job, plan: Plan, watts: Numbers, *labels: object) -> Tallies:
    """What the provider counts: drawn at once, and now and then byte by byte."""
    slots, source = watts.reshape(-1, *watts.shape[2:]), source_of(job, plan, *labels)
    drawn = simulate if job.repeat % THROUGH_BYTES == 1 else aggregate
    return drawn(plan, slots, watts.shape[2], source)


def _ranks(job: Job, setting: Setting) -> Iterable[Measurement]:
    """Appliances of homes with habits in all of them, asked about all at once: their errors go together."""
    watts = watts_of(setting.homes, setting.plan, replace(job, data=None))
    plan = advised(replace(job, data=None), setting.plan, setting.homes, "ranking")
    if setting.label == RANKS:
        plan = replace(plan, appliances=tuple(clipped(each) for each in plan.appliances))
    told = estimate(plan, aggregate(plan, watts, FEW, source_of(job, plan)), consistency="none").by_period
    periods = [each for each in told.values() if each is not None]
    truth = held_watts(plan, watts)
    rank = 1 + np.array([(truth > own).sum() for own in truth])
    pairs = _places_of_all_pairs(periods)
    for column, best, worst in (
        (TOGETHER, [each.rank_best for each in periods], [each.rank_worst for each in periods]),
        (ALONE, [each.rank_best_alone for each in periods], [each.rank_worst_alone for each in periods]),
    ):
        inside = (np.array(best) <= rank) & (rank <= np.array(worst))
        yield Measurement(
            setting.label, COVERED.name, column, 100.0 * float(inside.all() if column == TOGETHER else inside.mean())
        )
        yield Measurement(
            setting.label, WIDTH.name, column, float((np.array(worst) - np.array(best) + 1).mean() / pairs)
        )


def clipped(appliance: Appliance) -> Appliance:
    """The appliance without prior knowledge: means are of clipped watts."""
    return Appliance.of(appliance.name, values=appliance.values, mapping="dither")


def _places_of_all_pairs(periods: list[PeriodEstimates]) -> float:
    """How many places are open on average when every pair is compared as one of all."""
    watts, low, high = (np.array([getattr(each, key) for each in periods]) for key in ("watts", "low", "high"))
    below, above = (watts - low) / sidak_quantile(1), (high - watts) / sidak_quantile(1)
    pairs = len(watts) * (len(watts) - 1) // 2
    sure = watts[:, None] - watts > sidak_quantile(pairs) * np.sqrt(below[:, None] ** 2 + above**2)
    return float((len(watts) - sure.sum(axis=0) - sure.sum(axis=1)).mean())


def _campaign(job: Job, setting: Setting) -> Iterable[Measurement]:
    """What is foretold beforehand, and what 8,000 homes and as many as foretold then show."""
    asked = campaign(job.seed, job.data)
    needed = foretold(asked)
    rng = np.random.default_rng(job.seed_for("campaign", "less"))
    slots = asked.less(rng).reshape(-1, *asked.watts.shape[2:])
    yield Measurement(setting.label, FORETOLD.name, ENOUGH, float("inf") if needed is None else needed)
    for column, homes in ((EIGHT, FEW), (ENOUGH, needed)):
        if homes is not None:
            tallies = aggregate(asked.plan, slots, homes, source_of(job, asked.plan, column))
            each = contrasts(list(_weeks(asked.plan, tallies))).by_appliance[DISHWASHER]
            yield Measurement(setting.label, FOUND.name, column, 100.0 * (each is not None and each.p_adjusted < 0.05))


def _weeks(plan: Plan, tallies: Tallies) -> Iterable[CollectedSlots]:
    """The evenings of the last week, and of those before."""
    last, times = (WEEKS - 1) * WEEK * HOURS, TimeFilter.parse(f"{TIME.start}-{TIME.stop}", None)
    yield CollectedSlots.of(plan, tallies, last, None, times)
    yield CollectedSlots.of(plan, tallies, 0, last - 1, times)


def foretold(asked: Campaign) -> int | None:
    """How many homes it takes, by what is known beforehand."""
    slots = np.arange(WEEKS * WEEK * HOURS).reshape(WEEKS * WEEK, HOURS)[:, TIME]
    sides = ComparedSlots(slots[-WEEK:].ravel(), slots[:-WEEK].ravel(), groups=False)
    search = DetectionSearch(asked.plan, asked.priors, FEW, len(sides.a), LESS, sides)
    return search.found().appliances[DISHWASHER].stretches.homes
