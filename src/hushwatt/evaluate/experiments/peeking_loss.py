"""What the printed decision gives away at the paper's size: the loss of whole transcripts, in closed form.

A transcript is what a home sent in w slots.  Given the true bits, how far a
probe is from the last release, and a candidate from the truth, are sums of
coin flips, so the chance of every transcript can be written down; its logarithm
for the home as it is, less that for a home whose every level differs, is the
loss.  The promise is that no transcript loses more than ε.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from math import log
from sys import float_info

import numpy as np
from numpy.typing import NDArray

from hushwatt.evaluate.experiments.experiment import (
    AS_PRINTED,
    NOBODY,
    Experiment,
    Job,
    Measurement,
    Metric,
    Repeats,
    Setting,
    words,
)
from hushwatt.evaluate.experiments.level_counts import METHODS, with_method
from hushwatt.evaluate.paper_mechanism import printed_start
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.privacy.laws import Law, law_for

Chances = NDArray[np.float64]
Bits = NDArray[np.bool_]

EXCEEDED = Metric("runs that lose more than ε", "{:.0%}")
RUNS = 200  # homes that are followed in one repetition
WINDOW = 7
TINY = float_info.min  # in place of a chance of 0


def privacy_at_size() -> Experiment:
    """The loss of the printed decision, by ε."""
    plan = replace(preset("paper"), window=WINDOW)
    settings = tuple(
        Setting(
            f"{label}, ε = {epsilon:g}",
            replace(with_method(plan, METHODS[label]), epsilon=int(epsilon * MICRO)),
            NOBODY,
        )
        for label in ("LBD", "LBA")
        for epsilon in (0.5, 1, 2, 10)
    )
    return Experiment(
        **words("privacy-at-size"),
        settings=settings,
        measure=measure,
        metrics=(EXCEEDED,),
        repeats=Repeats(1, 10),
        columns=(AS_PRINTED,),
        explained={AS_PRINTED: "the paper's decision; a sound one has 0 % by proof"},
    )


def measure(job: Job, setting: Setting) -> Iterable[Measurement]:
    """The share of homes whose transcript tells more than was promised."""
    stream = np.random.default_rng(job.seed_for("peeking", setting.label))
    losses = [loss_of_one(setting.plan, stream) for _ in range(RUNS)]
    exceeded = float(np.mean(np.array(losses) > setting.plan.epsilon / MICRO))
    yield Measurement(setting.label, EXCEEDED.name, AS_PRINTED, exceeded)


def loss_of_one(plan: Plan, stream: np.random.Generator) -> float:
    """Follow one home through a window, and weigh what it sent against a home that differs in everything."""
    width, appliances = plan.widths[0], len(plan.appliances)
    levels = stream.integers(0, width, appliances)
    other = (levels + stream.integers(1, width, appliances)) % width
    truths = tuple(np.eye(width, dtype=bool)[each].ravel() for each in (levels, other))
    state = printed_start(plan)
    release, loss = np.zeros(plan.width, dtype=bool), 0.0
    for _ in range(plan.window):
        offer, published = state.offer(), False
        if offer:
            probing, drawing = (law_for("oue", amount, appliances, width) for amount in (state.probe, offer))
            probe, candidate = answer(truths[0], probing, stream), answer(truths[0], drawing, stream)
            published = bool(np.sum(probe != release) > np.sum(candidate != truths[0]))
            sent = candidate if published else None
            one, two = (log_chance(truth, release, sent, probing, drawing) for truth in truths)
            loss += one - two
            release = candidate if published else release
        state = state.after(published)
    return loss


def answer(truth: Bits, law: Law, stream: np.random.Generator) -> Bits:
    """Bits randomised by a unary law."""
    return np.asarray(stream.random(len(truth)) < np.where(truth, float(law.hold), float(law.rise)))


def log_chance(truth: Bits, release: Bits, sent: Bits | None, probing: Law, drawing: Law) -> float:
    """The logarithm of the chance that a home with these true bits publishes `sent`, or (None) repeats.

    Publishing c: P[c]·P[dis > err(c)].  Repeating: Σ P[err = h]·P[dis ≤ h].
    """
    apart = differing(truth, release, probing)
    below = np.cumsum(apart)
    hold, rise = float(drawing.hold), float(drawing.rise)
    if sent is None:
        off = np.convolve(flips(int(truth.sum()), 1 - hold), flips(int((~truth).sum()), rise))
        return log(max(float(np.dot(off, below)), TINY))
    ones = np.where(truth, hold, rise)
    drawn = float(np.sum(np.log(np.where(sent, ones, 1 - ones))))
    beyond = 1 - float(below[int(np.sum(sent != truth))])
    return drawn + log(max(beyond, TINY))


def differing(truth: Bits, release: Bits, law: Law) -> Chances:
    """The law of the number of bits in which a probe differs from the release."""
    hold, rise = float(law.hold), float(law.rise)
    parts = (
        flips(int(np.sum(truth & release)), 1 - hold),
        flips(int(np.sum(truth & ~release)), hold),
        flips(int(np.sum(~truth & release)), 1 - rise),
        flips(int(np.sum(~truth & ~release)), rise),
    )
    return reduce(np.convolve, parts)


def flips(count: int, chance: float) -> Chances:
    """The binomial law of `count` coins.

    >>> flips(2, 0.5)
    array([0.25, 0.5 , 0.25])
    """
    from scipy.special import comb

    heads = np.arange(count + 1)
    return np.asarray(comb(count, heads) * chance**heads * (1 - chance) ** (count - heads))
