"""The tallies of one appliance, debiased: one row for each group of homes.

A group is the homes that in one slot stand by answers drawn in the same slot with the
same budget.  Every group is debiased by its own law, and every home counts once, however
much budget it drew with.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.privacy.laws import Law, debias, law_for, noise
from hushwatt.provider.estimate.array_types import Floats, Indices, Integers
from hushwatt.provider.estimate.arrays import TallyArrays


@dataclass(frozen=True)
class DebiasedGroups:
    """The debiased tallies of one appliance: what each group says about its levels and its watts."""

    as_of: Integers  # the slot they were drawn in
    reports: Floats  # homes that speak of it, m
    held: Floats  # homes estimated to hold each level
    noise: Floats  # variance of each, given who holds what
    watts: Floats  # the group's watts above those of an average level, estimated
    watts_noise: Floats  # variance of that, given who holds what
    watts_noise_held: Floats  # noise of one home's watts, when it holds each level
    watts_jump: Floats  # the third moment of its size: how coarse it is
    squares: Floats  # the squares of the homes' watts above the average level, estimated
    noise_not_held: Floats  # noise of one home about a level it does not hold
    noise_held: Floats  # noise of one home about the level it does hold
    step: Floats  # homes that one answer stands for
    lowest: Floats  # homes estimated, per home, when nobody answers for a level
    highest: Floats  # when everybody does

    @classmethod
    def of(cls, plan: Plan, arrays: TallyArrays, appliance: int, worth: Floats | None = None) -> "DebiasedGroups":
        """Debias the tallies of the appliance with this number in the plan.

        Each answer counts as the watts of its level, or as what it is `worth`.
        """
        first = sum(plan.widths[:appliance])
        counts = arrays.counts[:, first : first + plan.widths[appliance]]
        reports = arrays.reports[:, appliance].astype(float)
        offsets = centred(answer_watts(plan, appliance) if worth is None else worth)
        if len(reports) and (arrays.drawn == arrays.drawn[0]).all():
            law = law_for(plan.oracle, int(arrays.drawn[0]), plan.appliances_per_report, plan.widths[appliance])
            return cls(arrays.as_of, reports, **_columns(_debiased(counts, reports, offsets, law), counts))
        columns = {name: np.zeros(len(reports)) for name in GROUP_COLUMNS}
        columns |= {name: np.zeros(counts.shape) for name in LEVEL_COLUMNS}
        for drawn, rows in rows_by_value(arrays.drawn):
            law = law_for(plan.oracle, drawn, plan.appliances_per_report, plan.widths[appliance])
            for name, values in _debiased(counts[rows], reports[rows], offsets, law).items():
                columns[name][rows] = values
        return cls(arrays.as_of, reports, **columns)


def rows_by_value(values: Integers) -> Iterator[tuple[int, Indices]]:
    """The rows of each value, ascending: found in one go, for budgets may be as many as groups.

    >>> [(value, rows.tolist()) for value, rows in rows_by_value(np.array([7, 3, 7]))]
    [(3, [1]), (7, [0, 2])]
    """
    order = np.argsort(values, kind="stable")
    different, starts = np.unique(values[order], return_index=True)
    return zip(different.tolist(), np.split(order, starts[1:]), strict=False)


def _columns(values: dict[str, Floats | float], counts: Integers | Floats) -> dict[str, Floats]:
    """What all groups have in common, repeated for each."""
    shapes = dict.fromkeys(GROUP_COLUMNS, counts.shape[:1]) | dict.fromkeys(LEVEL_COLUMNS, counts.shape)
    return {
        name: each if isinstance(each, np.ndarray) and each.shape == shapes[name] else np.full(shapes[name], each)
        for name, each in values.items()
    }


LEVEL_COLUMNS = ("held", "noise", "watts_noise_held", "watts_jump")
GROUP_COLUMNS = ("watts", "watts_noise", "squares", "noise_not_held", "noise_held", "step", "lowest", "highest")


def answer_watts(plan: Plan, appliance: int) -> Floats:
    """The watts that each answer about an appliance stands for: those of the levels, none for "not measured"."""
    return np.array([*plan.appliances[appliance].values, *[0.0] * plan.answers_unmeasured])


def centred(values: tuple[float, ...] | Floats) -> Floats:
    """Watts of each level above those of an average level.

    As every home holds one level, the average adds nothing to the noise once it is taken out.
    """
    watts: Floats = np.asarray(values, dtype=float)
    return watts - float(watts.mean())


def weighted_sums(rows: Floats, weights: Floats) -> Floats:
    """The weighted sum of each row: to the last bit the same, whatever rows stand beside it.

    A product of matrices may add up in another order when there are more rows.
    """
    return np.asarray((rows * weights).sum(axis=1))


def _debiased(counts: Integers | Floats, reports: Floats, offsets: Floats, law: Law) -> dict[str, Floats | float]:
    """Everything the groups of one law say."""
    each = reports[:, None]
    held = debias(counts, each, law)
    cells = noise(counts, each, law)
    squared = offsets**2
    if_held, jump = watts_moments(offsets, law)
    return {
        "held": held,
        "noise": cells,
        "watts": weighted_sums(held, offsets),
        "watts_noise": _clip_noise(weighted_sums(held, if_held), reports, if_held)
        if law.correlated
        else weighted_sums(cells, squared),
        "watts_noise_held": if_held,
        "watts_jump": jump,
        "squares": weighted_sums(held, centred(squared)) + reports * squared.mean(),
        "noise_not_held": float(noise(float(law.rise), 1, law)),
        "noise_held": float(noise(float(law.hold), 1, law)),
        "step": float(debias(1, 0, law)),
        "lowest": float(debias(0, 1, law)),
        "highest": float(debias(1, 1, law)),
    }


def _clip_noise(noise: Floats, reports: Floats, if_held: Floats) -> Floats:
    """An estimate of noise, kept between what it is when all homes hold the quietest or the loudest level."""
    return np.clip(noise, reports * if_held.min(), reports * if_held.max())


def watts_moments(offsets: Floats, law: Law) -> tuple[Floats, Floats]:
    """The second and third moment of the size of the noise in one home's watts, for each level it may hold.

    A direct answer is one level; bits answer for every level on their own, and their moments add up.
    """
    chances = np.full((law.levels, law.levels), float(law.rise))  # [true level, level answered for]
    np.fill_diagonal(chances, float(law.hold))
    step = float(debias(1, 0, law))
    if law.correlated:
        sizes = np.abs(offsets - (chances @ offsets)[:, None])
        second, third = (chances * sizes**2).sum(axis=1), (chances * sizes**3).sum(axis=1)
    else:
        bit = chances * (1 - chances)
        second, third = bit @ offsets**2, (bit * (1 - 2 * bit)) @ np.abs(offsets) ** 3
    return second * step**2, third * step**3
