"""Prior knowledge from what is known by now: an earlier collection's published numbers, or a table of readings.

Published estimates are what anyone may see, so learning from them costs no home anything.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from hushwatt.errors import UsageError
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.plan import Plan
from hushwatt.privacy.advice.prior import Prior, Tail, prior_of
from hushwatt.privacy.tails import learnt_high, prior_weights, tail_weights

DOUBT = 0.7  # of what was thought a mean is: about a factor of two; an estimate counts by how sure it is beside that
LEAST = 1 / 8  # of what was thought: a learnt mean that is smaller is noise


@dataclass(frozen=True)
class Typical:
    """What readings say of one appliance."""

    mean: float  # watts, among homes and slots that measure it
    high: float  # watts, the 95th percentile of slots in use
    measured: float  # share of homes and slots that measure it


def learn_from_estimates(plan: Plan, document: Mapping[str, Any]) -> dict[str, Prior]:
    """What the estimates of an earlier collection say of the plan's appliances, those without an answer left out.

    Means are learnt from any plan's estimates, highs and tails from those of `plan` itself, as levels are
    watts only beside their plan.
    """
    estimates = document.get("appliances")
    if not isinstance(estimates, dict) or not isinstance(document.get("homes"), int):
        raise UsageError("holds no estimates; `hushwatt estimate --json` writes them")
    own = document.get("plan") == plan.id
    learnt = {}
    for appliance in plan.appliances:
        if (numbers := estimates.get(appliance.name)) is not None:
            if not isinstance(numbers, dict):
                raise UsageError(f"{appliance.name}: is no estimate")
            prior = _with_mean(plan, prior_of(plan, appliance), numbers)
            learnt[appliance.name] = _with_tail(appliance, prior, numbers, document["homes"]) if own else prior
    return learnt


def read_estimates(path: Path) -> dict[str, Any]:
    """The document that `hushwatt estimate --json` wrote."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as wrong:
        raise UsageError(f"{path}: {(wrong.strerror or 'cannot be read').lower()}") from None
    except ValueError:
        raise UsageError(f"{path}: is not JSON") from None
    if not isinstance(document, dict):
        raise UsageError(f"{path}: holds no estimates; `hushwatt estimate --json` writes them")
    return document


def learn_from_readings(plan: Plan, typical: Mapping[str, Typical]) -> dict[str, Prior]:
    """What a table of readings says of the plan's appliances."""
    return {
        appliance.name: _of_readings(plan, prior_of(plan, appliance), typical[appliance.name])
        for appliance in plan.appliances
        if appliance.name in typical
    }


def _of_readings(plan: Plan, prior: Prior, found: Typical) -> Prior:
    mean = found.mean if plan.answers_unmeasured else found.mean * found.measured
    measured = found.measured if plan.answers_unmeasured else 1.0
    return replace(prior, mean=mean, high=max(found.high, mean), measured=measured, source="readings")


def _with_mean(plan: Plan, prior: Prior, numbers: Mapping[str, Any]) -> Prior:
    """The prior with an estimated mean, as far as it is sure, among homes that measure where the plan asks for that."""
    mean, measured = max(_number(numbers, "mean_watts"), 0.0), numbers.get("measured")
    noise = _number(numbers, "mean_watts_se") if "mean_watts_se" in numbers else 0.0
    share = None if measured is None else float(np.clip(_number(numbers, "measured"), 0.01, 1.0))
    if plan.answers_unmeasured:
        scale, among = (1 / prior.measured, prior.measured) if share is None else (1.0, share)
    else:
        scale, among = 1.0 if share is None else share, 1.0
    believed = 1 / (1 + (noise * scale / (DOUBT * prior.mean)) ** 2)
    mean = max(believed * mean * scale + (1 - believed) * prior.mean, LEAST * prior.mean)
    return replace(prior, mean=mean, high=max(prior.high, mean), measured=among, source="estimates")


def _with_tail(appliance: Appliance, prior: Prior, numbers: Mapping[str, Any], homes: int) -> Prior:
    """The prior with what the shares of the upper levels say of the tail; half stays with what was thought."""
    try:
        levels, errors = (np.array(numbers.get(key), float) for key in ("levels", "se"))
    except (TypeError, ValueError):
        raise UsageError(f"{appliance.name}: levels and se are not all numbers") from None
    if levels.shape != errors.shape or levels.shape != (appliance.levels,) or homes < 1:
        raise UsageError(f"{appliance.name}: levels and se are not those of the plan")
    weights = tail_weights(levels / homes, (errors / homes) ** 2, appliance.values, prior.high)
    high = learnt_high(weights, prior.high)
    kept = tuple(((weights + prior_weights()) / 2).tolist())
    return replace(prior, high=max(high, prior.mean), tail=Tail(prior.high, kept))


def _number(numbers: Mapping[str, Any], key: str) -> float:
    value = numbers.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise UsageError(f"{key} is missing or no number")
    return float(value)
