"""Numbers that are true of real homes: intervals against real watts, on measured homes of the user's folder."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushwatt.evaluate.experiments.experiment import (
    EVERY_ROW,
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
from hushwatt.evaluate.experiments.measured_homes import (
    DAILY,
    DAYS,
    HOURLY,
    REASSEMBLED,
    SLOTS_A_DAY,
    BootstrappedFleet,
    Recordings,
    halves,
    populations,
)
from hushwatt.evaluate.experiments.real_plans import (
    ASKED,
    CLIPPED,
    LEARNT,
    MEASURED,
    PAPER,
    PRIORS,
    REAL,
    plans_before,
    successor,
)
from hushwatt.evaluate.metrics import interval_score, ranking
from hushwatt.fleet.aggregate import aggregate
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.privacy.entropy import Simulation
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.results import Estimates

Numbers = NDArray[np.float64]

EXPLAINED = {
    PAPER: "ten equal ranges up to the high, OUE, ε/w in every slot; what is not measured is 0 W",
    CLIPPED: "advised for a ranking, about clipped watts; what is not measured is 0 W",
    ASKED: "the same levels, with not measured as an answer: what is left is clipping",
    REAL: "advised for watts; not measured is an answer, what may lie above the top is part of the interval",
    LEARNT: "the same, with levels learnt from the answers of other homes at an earlier time, under the plan beside",
}
SIZES = (1_000, 10_000, 100_000)
KINDS = 1_000  # different homes in a fleet
DRAWS = {HOURLY: 3, DAILY: 4, REASSEMBLED: 4}  # fleets of a repetition
LEAST_COVERED = 93.0  # per cent, of all intervals together
LEAST_OF_ONE = 90.0  # of each appliance's
DOUBT = 2.0  # standard errors by which fewer must be held to be too few

COVERED = Metric("95 % intervals that hold the real mean", "{:.1f}", better="higher", unit="%")
SCORE = Metric("interval score", "{:.2f}", unit="means")
AHEAD = Metric("clipped interval score over it", "{:.1f}", better="higher", unit="×")
ERROR = Metric("error of a middling mean", "{:.1f}", unit="%")
SHARES = Metric("intervals of shares that hold", "{:.1f}", better="higher", unit="%")
RANKS = Metric("intervals of ranks that hold", "{:.1f}", better="higher", unit="%")
UNTOLD = Metric("appliances without an answer", "{:.1f}", unit="%")
BY_PRIOR = Metric("95 % intervals that hold, by what was known", "{:.1f}", better="higher", unit="%")
BY_APPLIANCE = Metric("95 % intervals that hold, by appliance", "{:.1f}", better="higher", unit="%")
SHARES_BY_APPLIANCE = Metric("intervals of shares that hold, by appliance", "{:.1f}", better="higher", unit="%")
RANKS_BY_APPLIANCE = Metric("intervals of ranks that hold, by appliance", "{:.1f}", better="higher", unit="%")
EVERY_APPLIANCE = (BY_APPLIANCE, SHARES_BY_APPLIANCE, RANKS_BY_APPLIANCE)


def label_of(kind: str, homes: int) -> str:
    """The name of a row.

    >>> label_of("hourly homes", 1000)
    '1,000 hourly homes'
    """
    return f"{homes:,} {kind}"


def real_homes() -> Experiment:
    """Coverage, score and error against real watts, at every size and for every kind of homes."""
    cases = [(kind, homes) for kind in SLOTS_A_DAY for homes in SIZES]
    return Experiment(
        **words("real-homes"),
        settings=tuple(
            Setting(label_of(kind, homes), preset("paper"), HomesSpec(kind, homes, DAYS * SLOTS_A_DAY[kind]))
            for kind, homes in cases
        ),
        measure=_real_homes,
        metrics=(COVERED, SCORE, AHEAD, ERROR, SHARES, RANKS, UNTOLD, BY_PRIOR, *EVERY_APPLIANCE),
        repeats=Repeats(2, 12),
        columns=(PAPER, CLIPPED, ASKED, REAL, LEARNT),
        explained=EXPLAINED,
        goals=(
            *(goal for kind, homes in cases for goal in _goals(label_of(kind, homes), homes)),
            *(
                Goal(EVERY_ROW, metric.name, column, least=LEAST_OF_ONE, doubt=DOUBT)
                for metric in EVERY_APPLIANCE
                for column in (REAL, LEARNT)
            ),
        ),
        logarithmic=True,
        charted=SCORE.name,
        needs_data=True,
    )


def _goals(label: str, homes: int) -> Iterator[Goal]:
    for metric in (COVERED, SHARES, RANKS):
        for column in (REAL, LEARNT):
            yield Goal(label, metric.name, column, least=LEAST_COVERED, doubt=DOUBT)
    if homes >= 10_000:
        yield Goal(label, AHEAD.name, REAL, least=5.0 if homes < 100_000 else 10.0)
    if homes >= 100_000:
        yield Goal(label, ERROR.name, REAL, most=5.0)
        yield Goal(label, ERROR.name, LEARNT, most=3.0)


def _real_homes(job: Job, setting: Setting) -> Iterable[Measurement]:
    assert job.data is not None
    kind, homes = setting.homes.kind, setting.homes.count
    recordings = populations(job.data).get(kind)
    if recordings is None:
        return
    prior = prior_of(job, homes)
    plans = plans_before(kind, homes, prior, job.data)
    earlier, later = halves(recordings)
    for draw in range(DRAWS[kind]):
        fleet = _fleet(job, later, kind, homes, draw)
        before = _collect(job, plans[REAL], _fleet(job, earlier, kind, homes, "before", draw), homes, "before", draw)
        tried = plans if draw == 0 else {REAL: plans[REAL]}  # what real watts are compared with is drawn once
        answers = {
            column: _collect(job, plan, fleet, homes, column, draw)
            for column, plan in {**tried, LEARNT: successor(before, homes)}.items()
        }
        truth = fleet.true_means(homes)
        judged = {column: judge(one, truth) for column, one in answers.items()}
        yield from _measurements(setting.label, kind, prior, judged, tuple(recordings))


def prior_of(job: Job, homes: int) -> str:
    """What is known beforehand in a repetition: every size begins elsewhere, so that few repetitions meet all."""
    return list(PRIORS)[(job.repeat + 2 * SIZES.index(homes)) % len(PRIORS)]


def _fleet(job: Job, recordings: Recordings, kind: str, homes: int, *labels: object) -> BootstrappedFleet:
    stream = np.random.default_rng(job.seed_for("homes", kind, *labels))
    return BootstrappedFleet.of(recordings, min(KINDS, homes), MEASURED, stream)


def _collect(job: Job, plan: Plan, fleet: BootstrappedFleet, homes: int, *labels: object) -> Estimates:
    """What the provider says of a fleet."""
    source = Simulation(job.seed_for("noise", *labels), plan.id)
    missing = np.nan if plan.answers_unmeasured else 0.0
    return estimate(plan, aggregate(plan, fleet.matrices(missing), homes, source), consistency="none")


@dataclass(frozen=True)
class Judged:
    """An answer against the truth, appliance by appliance; NaN where there is none."""

    covered: Numbers  # 1 or 0
    score: Numbers  # over the real mean
    error: Numbers  # over the real mean
    share: Numbers  # 1 or 0
    rank: Numbers


def judge(estimates: Estimates, truth: Numbers) -> Judged:
    """How an answer about every appliance's period stands up to the real means.

    Among the appliances that have one: where too few homes measure something, nobody knows its share.
    """
    periods = list(estimates.by_period.values())
    told = np.array([one is not None and np.isfinite([one.watts, one.low, one.high]).all() for one in periods])
    told &= np.nan_to_num(truth) > 0
    found = Judged(*(np.full(len(truth), np.nan) for _ in range(5)))
    real = truth[told]
    rows = [one for one, there in zip(periods, told, strict=True) if there and one is not None]
    watts, low, high, share_low, share_high, best, worst = (
        np.array([(p.watts, p.low, p.high, p.share_low, p.share_high, p.rank_best, p.rank_worst) for p in rows])
        .reshape(-1, 7)
        .T
    )
    share, rank = real / real.sum(), np.argsort(ranking(real)) + 1
    found.covered[told] = (low <= real) & (real <= high)
    found.score[told] = interval_score(low, high, real) / real
    found.error[told] = np.abs(watts - real) / real
    found.share[told] = (share_low <= share) & (share <= share_high)
    found.rank[told] = (best <= rank) & (rank <= worst)
    return found


def _measurements(
    label: str, kind: str, prior: str, judged: dict[str, Judged], names: tuple[str, ...]
) -> Iterator[Measurement]:
    for column, one in judged.items():
        told = ~np.isnan(one.score)
        yield Measurement(label, UNTOLD.name, column, 100 * float(np.mean(~told)))
        by_appliance = (one.covered, one.share, one.rank) if column in (REAL, LEARNT) else (one.covered,)
        for metric, held in zip(EVERY_APPLIANCE, by_appliance, strict=False):
            for place in np.flatnonzero(told):
                yield Measurement(f"{names[place]}, {kind}", metric.name, column, 100 * float(held[place]))
        if told.any():
            covered = 100 * float(np.nanmean(one.covered))
            yield Measurement(label, COVERED.name, column, covered)
            yield Measurement(f"{prior}, {kind}", BY_PRIOR.name, column, covered)
            yield Measurement(label, SCORE.name, column, float(np.nanmean(one.score)))
            yield Measurement(label, ERROR.name, column, 100 * float(np.nanmedian(one.error)))
            yield Measurement(label, SHARES.name, column, 100 * float(np.nanmean(one.share)))
            yield Measurement(label, RANKS.name, column, 100 * float(np.nanmean(one.rank)))
        if CLIPPED in judged and column in (ASKED, REAL, LEARNT):
            yield Measurement(label, AHEAD.name, column, _ahead(judged[CLIPPED], one))


def _ahead(today: Judged, one: Judged) -> float:
    """How many times smaller the score is, over the appliances that both answer."""
    both = ~np.isnan(today.score + one.score)
    return float(today.score[both].sum() / one.score[both].sum()) if both.any() else float("nan")
