"""How finely time is told: by the finest measure at which the numbers say something.

A number says something where its noise (1.96 standard errors) is at most a quarter of the appliance's mean, or at
most what the appliance itself goes up and down by.  The rule looks at a typical number, the one with the median
noise.  What lies above the top level is no noise: it makes intervals wide, and no longer range makes them narrower.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean, median, pvariance

from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.provider.dashboard import formatting
from hushwatt.provider.dashboard.page_context import PageContext, SlotCell
from hushwatt.provider.dashboard.query import RESOLUTIONS
from hushwatt.provider.dashboard.time_marks import TimeSeries, course_series, slot_series
from hushwatt.provider.estimate.intervals import Z95
from hushwatt.provider.estimate.times.fold import fold_rows

PART = 4  # noise is at most so many-th of the mean


@dataclass(frozen=True)
class Precision:
    """What a typical number of an appliance is worth."""

    reach: float  # noise of a typical number, 1.96 standard errors, watts
    mean: float
    varies: float  # by how much it goes up and down beyond the noise: a standard deviation

    @property
    def says(self) -> bool:
        """Whether the numbers say something."""
        return self.reach <= max(abs(self.mean) / PART, self.varies)

    @classmethod
    def of(cls, cells: Sequence[SlotCell]) -> "Precision | None":
        known = [cell for cell in cells if not cell.missing]
        if not known:
            return None
        values, reaches = [cell.value for cell in known], [Z95 * cell.noise for cell in known]
        noise = fmean((reach / Z95) ** 2 for reach in reaches)
        return cls(median(reaches), fmean(values), max(pvariance(values) - noise, 0.0) ** 0.5)


@dataclass(frozen=True)
class Resolution:
    """How finely time is told, the numbers, and why so."""

    per: str
    series: TimeSeries
    why: str
    choices: tuple[tuple[str, str], ...]  # what could be asked for, and its name


def resolved(page: PageContext, names: Sequence[str], most: int) -> Resolution:
    """The series of these appliances, as finely as was asked for, or as says something."""
    choices = tuple((per, _name(page.plan, per)) for per in _sensible(page))
    if page.query.smooth and not page.query.per:
        return Resolution("slot", slot_series(page, names, most), "", choices)
    if page.query.per:
        series = _told(page, names, most, page.query.per)
        return Resolution(page.query.per, series, _asked_for(page, series), choices)
    return _finest(page, names, most, choices)


def _finest(page: PageContext, names: Sequence[str], most: int, choices: tuple[tuple[str, str], ...]) -> Resolution:
    finer: tuple[str, float] | None = None  # the measure before, and its typical reach
    for place, (per, name) in enumerate(choices):
        series = _told(page, names, most, per)
        found = _typical(series)
        if found is None or found.says or place == len(choices) - 1:
            return Resolution(per, series, _why(page.plan, per, found, finer, len(names)), choices)
        finer = name, found.reach
    raise AssertionError("slots are always a choice")


def _told(page: PageContext, names: Sequence[str], most: int, per: str) -> TimeSeries:
    if per == "slot":
        return slot_series(page, names, most)
    return course_series(page, page.courses(f"each-{per}", names))


def _sensible(page: PageContext) -> Iterator[str]:
    """What is published, and the longer measures of time that hold it whole and that there are several of."""
    yield "slot"
    before = len(page.estimates.slots)
    for per in RESOLUTIONS[1:]:
        try:
            keys = len(fold_rows(page.plan, page.collected.timeline, f"each-{per}"))
        except UsageError:
            continue
        if 1 < keys < before:
            yield per
            before = keys


def _typical(series: TimeSeries) -> Precision | None:
    """The precision of the middling appliance, by how large the interval is beside what it may be."""
    found = [each for each in map(Precision.of, series.rows.values()) if each is not None]
    if not found:
        return None
    return sorted(found, key=lambda each: each.reach / max(abs(each.mean) / PART, each.varies, 1e-9))[len(found) // 2]


def _why(plan: Plan, per: str, found: Precision | None, finer: tuple[str, float] | None, names: int) -> str:
    """Which measure was taken, and by which rule."""
    if found is None:
        return ""
    watts: Callable[[float], str] = partial(_watts, digits=formatting.decimals(found.reach))
    who = "the appliance" if names == 1 else "the middling appliance"
    shown, typical = f"Shown {_by(plan, per)}", f"the noise of a typical number of {who} is ±{watts(found.reach)}"
    if not found.says:
        rule = f"more than a quarter of its mean ({watts(found.mean)}) and than its ups and downs"
        return f"{shown}, the coarsest there is: even so {typical}, {rule}. More homes or a longer range would help."
    by_mean = found.reach <= abs(found.mean) / PART
    reason = (
        f"within a quarter of its mean ({watts(found.mean)})"
        if by_mean
        else f"less than its own ups and downs (±{watts(found.varies)})"
    )
    line = f"{shown}, the finest measure at which the numbers say something: {typical}, {reason}."
    return f"{line} {finer[0]} it would be ±{watts(finer[1])}, which is mostly noise." if finer else line


def _asked_for(page: PageContext, series: TimeSeries) -> str:
    found = _typical(series)
    if found is None:
        return ""
    reach = _watts(found.reach, formatting.decimals(found.reach))
    doubt = "" if found.says else "; that is more than a quarter of the mean and than the ups and downs: mostly noise"
    return f"Shown {_by(page.plan, page.query.per)}, as asked for: the noise of a typical number is ±{reach}{doubt}."


def _watts(value: float, digits: int) -> str:
    return f"{formatting.number(value, digits)}{formatting.THIN}W"


def _by(plan: Plan, per: str) -> str:
    return f"by the {plan.periods.word}" if per == "slot" else f"by the {per}"


def _name(plan: Plan, per: str) -> str:
    return _by(plan, per).capitalize()
