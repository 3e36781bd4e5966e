"""Where an experiment's homes come from: invented, or augmented from the user's own folder."""

from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

import numpy as np

from hushwatt.errors import ReadingsError
from hushwatt.evaluate.experiments.experiment import HomesSpec, Job
from hushwatt.evaluate.generators import generate
from hushwatt.evaluate.generators.augment import Profile, augment
from hushwatt.evaluate.generators.home_generator import Watts
from hushwatt.evaluate.generators.paper_homes import paper_homes
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.plan import Plan

PAPER = "paper homes"
WEEKLY = "weekly homes"
SWING = 0.4  # of the mean, by which weekly homes' use rises and falls
ANY_TIME = datetime(1990, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
HIGH = 95  # the percentile of users' readings that prior knowledge calls high

ABOUT = {
    PAPER: "synthetic: invented homes with the paper's shares and ownership",
    WEEKLY: "synthetic: invented homes with the paper's shares whose use rises and falls with the week",
}


INVENTED = {  # by the experiments themselves
    "drifting": "synthetic: homes whose levels follow shares that drift, step or jump",
    "steady": "synthetic: homes that never change",
}


MEASURED = {  # in the user's own folder
    "hourly homes": "measured: hourly means of real homes",
    "daily homes": "measured: daily means of real homes",
    "reassembled homes": "semi-synthetic: daily means of real appliances that were dealt out to homes",
}


def about(kind: str, data: Path | None) -> str:
    """What the homes of a kind are, in words that say when they are synthetic."""
    if data is not None and kind in ABOUT:
        return f"synthetic: augmented, as in the paper, from the homes in {data.name}"
    if data is not None and kind in MEASURED:
        return f"{MEASURED[kind]}, drawn with replacement from the tables in {data.name}"
    return (ABOUT | INVENTED).get(kind, f"synthetic: {kind} in [0, 3000] W")


def watts_of(homes: HomesSpec, plan: Plan, job: Job, *population: object) -> Watts:
    """Slots × homes × appliances of the plan; `population` names another set of homes."""
    slots = homes.quick_slots if job.quick and homes.quick_slots else homes.slots
    seed = job.seed_for("homes", homes.kind, *population)
    if homes.kind not in ABOUT:
        return np.stack([now for _, now in generate(homes.kind, plan, homes.count, slots, seed)])
    if job.data is None:
        watts = paper_homes(homes.count, slots, seed)
    else:
        fleet = augment(base_of(job.data, plan.names), plan, homes.count, slots, seed)
        watts = np.stack([now for _, now in fleet.arrays()])
    return watts * weekly(watts.shape) if homes.kind == WEEKLY else watts


def weekly(shape: tuple[int, ...]) -> Watts:
    """A factor for every slot and appliance: a week's rise and fall, every appliance on another day."""
    days = np.arange(shape[0])[:, None] + 7 * np.arange(shape[2]) / shape[2]
    return np.asarray(1 + SWING * np.sin(2 * np.pi * days / 7))[:, None, :]


@lru_cache(maxsize=4)
def base_of(folder: Path, names: tuple[str, ...]) -> Profile:
    """The profile of the homes in a folder of tidy tables."""
    from hushwatt.evaluate.datasets import read
    from hushwatt.evaluate.datasets.arrays import measured_watts
    from hushwatt.plan.presets import preset

    if not folder.exists():
        raise ReadingsError(
            f"{folder}: there is no such file or folder; --data wants readings as `hushwatt data convert` "
            "writes them, and `hushwatt data list` says where to get IDEAL"
        )
    plan = replace(preset("paper"), start=ANY_TIME[0], expires=ANY_TIME[1])
    assert plan.names == names
    return Profile.of(measured_watts(read("tidy", folder), plan).watts)


def with_prior_knowledge(plan: Plan, other: Watts) -> Plan:
    """The plan with what another population tells: each appliance's mean, and a high reading of its users."""
    known = tuple(_typical(each, other[:, :, place]) for place, each in enumerate(plan.appliances))
    return replace(plan, appliances=known)


def _typical(appliance: Appliance, watts: Watts) -> Appliance:
    """The appliance with whole watts, as people would know them."""
    users = watts[:, watts.max(axis=0) > 0]
    mean = max(1.0, float(np.rint(watts.mean())))
    high = float(np.rint(np.percentile(users, HIGH))) if users.size else mean
    return replace(appliance, typical_mean=mean, typical_high=max(high, mean))
