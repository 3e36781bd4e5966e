"""Homes whose habits make questions hard, by the hour; and homes in which nothing differs, to count false alarms on.

Some run a thing much and others hardly ever; some run it in the evening and never at night; all of them more at
one time of the day, or with watts far above the last level.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hushwatt.errors import ReadingsError
from hushwatt.evaluate.experiments.experiment import Job
from hushwatt.evaluate.experiments.measured_homes import DAYS, HOURLY, BootstrappedFleet, PriorKnowledge, populations
from hushwatt.evaluate.generators import generate
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.privacy.advice import Prior

Numbers = NDArray[np.float64]

HOURS, WEEK = 24, 7
ROWS, DAYS_OF_LIFE, APPLIANCES, WATTS = 1_000, 14, 4, 1000.0
NIGHT, EVENING, MORNING, NOON = 1, 17, 5, 9  # first hours of four that are compared
LASTS = 4  # hours

HABITS, EXCLUSIVE, CYCLE, REAL = "habits", "the one or the other", "a daily cycle", "real watts"


def _habits(rng: np.random.Generator) -> Numbers:
    """Chances by hour, home and appliance: much or hardly ever."""
    return np.broadcast_to(0.5 * rng.beta(0.3, 0.7, size=(ROWS, APPLIANCES)), (HOURS, ROWS, APPLIANCES)).copy()


def _exclusive(rng: np.random.Generator) -> Numbers:
    """One appliance of a home alone, and in one half of the day alone."""
    chance = _habits(rng) * 2
    chance *= rng.integers(APPLIANCES, size=ROWS)[:, None] == np.arange(APPLIANCES)
    late = np.arange(ROWS) < ROWS // 2
    chance[:12, late], chance[12:, ~late] = 0, 0
    return chance


def _cycle(rng: np.random.Generator) -> Numbers:
    """More at one hour of the day than at others."""
    hours = 2 * np.pi * (np.arange(HOURS)[:, None, None] - rng.normal(19, 3, size=(ROWS, APPLIANCES))) / HOURS
    return np.asarray(_habits(rng) * (1 + 0.9 * np.cos(hours)))


LIVES: dict[str, Callable[[np.random.Generator], Numbers]] = {
    HABITS: _habits,
    EXCLUSIVE: _exclusive,
    CYCLE: _cycle,
    REAL: _cycle,
}
PLANS = {  # windows that the day does not divide into, and one that is a day; each of four appliances has ε/4
    HABITS: {"window": 36, "oracle": "grr", "epsilon": 24},
    EXCLUSIVE: {"window": 24, "oracle": "grr", "epsilon": 24},
    CYCLE: {"window": 25, "oracle": "oue", "mapping": "dither", "epsilon": 4},
    REAL: {"window": 36, "oracle": "grr", "mapping": "dither", "epsilon": 12},
}


def plan_for(life: str) -> Plan:
    """An hourly plan of four appliances, whose homes take turns."""
    known = "typical_mean = 100\ntypical_high = 1000\n" if life == REAL else ""
    values = [0, 400, WATTS] if life in (CYCLE, REAL) else [0, WATTS]
    named = [f'[[appliance]]\nname = "appliance {each}"\nvalues = {values}\n{known}' for each in range(APPLIANCES)]
    choices = "".join(f"{key} = {value!r}\n" for key, value in PLANS[life].items())
    return Plan.parse(
        f'name = "Questions"\ndescription = "Homes that make questions hard."\ncontact = "homes@example.org"\n'
        f'start = "2024-01-01"\nexpires = "2024-12-31"\nslot = "1h"\nmethod = "lpu"\n'
        f"minimum_homes = 20\n{choices}{''.join(named)}"
    )


def lived(life: str, rng: np.random.Generator) -> Numbers:
    """Two weeks, by day, hour, home and appliance."""
    chance = LIVES[life](rng)
    used = rng.random((DAYS_OF_LIFE, *chance.shape)) < chance
    watts = rng.exponential(WATTS / np.log(20), used.shape) if life == REAL else WATTS
    return np.asarray(used * watts, dtype=np.float64)


def nothing_differs(watts: Numbers, life: str, rng: np.random.Generator) -> Numbers:
    """The same with equal totals in both weeks, and at four times of the day: homes do the same on other days."""
    copied = watts.copy()
    for first in (EVENING, MORNING, NOON):
        own = 0 if life != EXCLUSIVE or first == MORNING else ROWS // 2
        copied[:, first : first + LASTS] = np.roll(watts[:, NIGHT : NIGHT + LASTS], own, axis=2)
    shifts = rng.integers(WEEK, size=ROWS)
    days = (np.arange(WEEK)[:, None] + shifts) % WEEK
    copied[WEEK:] = np.take_along_axis(copied[:WEEK], days[:, None, :, None], axis=0)
    return copied


DISHWASHER = "dishwasher"
ASKED = (DISHWASHER, "kettle", "washing_machine", "microwave")  # of invented homes
LESS = 0.4
WEEKS = 4
TIME = slice(18, 22)  # the evening
EACH_EPSILON = 6 * MICRO
CAMPAIGN_WINDOW = 37  # hours: as it shares no factor with a day, every evening asks other homes
TOPS = 2.0  # highs, up to which levels reach


@dataclass(frozen=True)
class Campaign:
    """Four weeks by the hour, in the last of which dishwashers run less in the evening; and prior knowledge."""

    plan: Plan
    watts: Numbers  # days × hours × homes × appliances, before anyone runs them less
    priors: tuple[Prior, ...]  # of the evenings

    @classmethod
    def of(cls, names: tuple[str, ...], watts: Numbers, others: Numbers) -> "Campaign":
        """Prior knowledge is that of `others`."""
        evenings = others[:, TIME]
        known = [PriorKnowledge.of([evenings[..., place].reshape(-1, 1)]) for place in range(len(names))]
        priors = tuple(Prior(each.mean, each.high, "readings") for each in known)
        appliances = tuple(
            Appliance.of(name, values=(0.0, round(TOPS * prior.high)), mapping="dither")
            for name, prior in zip(names, priors, strict=True)
        )
        base = plan_for(CYCLE)
        epsilon, count = EACH_EPSILON * len(names), len(names)
        asked = replace(base, epsilon=epsilon, appliances_per_report=count, appliances=appliances)
        asked = replace(asked, oracle="grr", window=CAMPAIGN_WINDOW, minimum_homes=100)
        return cls(asked, watts, priors)

    def less(self, rng: np.random.Generator) -> Numbers:
        """With two of five evenings of a dishwasher left out in the last week."""
        watts = self.watts.copy()
        place = self.plan.names.index(DISHWASHER)
        last = watts[-WEEK:, TIME, :, place]
        last *= rng.random((WEEK, 1, last.shape[2])) >= LESS
        return watts


@lru_cache(maxsize=2)
def campaign(seed: int, data: Path | None) -> Campaign:
    """From measured homes where there are some, else from invented ones."""
    job = Job("questions", 0, 0, seed, False, data)
    if data is None:
        return Campaign.of(ASKED, *(_invented(job.seed_for("campaign", each)) for each in range(2)))
    recordings = populations(data).get(HOURLY, {})
    if DISHWASHER not in recordings:
        raise ReadingsError(f"{data}: no dishwasher was measured by the hour; leave out --data for invented homes")
    names = tuple(sorted(recordings, key=lambda name: (name != DISHWASHER, -len(recordings[name]))))[:APPLIANCES]
    chosen = {name: recordings[name] for name in names}
    return Campaign.of(names, *(_measured(chosen, job.seed_for("campaign", each)) for each in range(2)))


def _invented(seed: int) -> Numbers:
    asked = replace(plan_for(HABITS), appliances=tuple(_of_catalogue(name) for name in ASKED))
    slots = [watts for _, watts in generate("ideal", asked, ROWS, WEEKS * WEEK * HOURS, seed)]
    return np.stack(slots).reshape(WEEKS * WEEK, HOURS, ROWS, len(ASKED))


def _of_catalogue(name: str) -> Appliance:
    known = next(each for each in preset("everyday").appliances + preset("paper").appliances if each.name == name)
    return Appliance.of(known.name, values=(0.0, 1000.0))


def _measured(recordings: dict[str, tuple[Numbers, ...]], seed: int) -> Numbers:
    fleet = BootstrappedFleet.of(recordings, ROWS, 1.0, np.random.default_rng(seed))
    watts = np.stack(list(fleet.matrices(missing=0.0))).reshape(DAYS, HOURS, ROWS, -1)
    return watts[: WEEKS * WEEK]
