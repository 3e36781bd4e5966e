"""The paper's synthetic four: one law for all homes, appliances and slots.

Values lie in [0, 3000] W.  The paper names the shapes and the range, not the
parameters; the choices made here are stated with each law.  As in the paper
all appliances share one law, so such data has level histograms worth
estimating, but no top appliance.
"""

from typing import ClassVar

import numpy as np

from hushwatt.evaluate.generators.home_generator import Watts
from hushwatt.evaluate.generators.streams import Streams, label
from hushwatt.plan.plan import Plan

MAX_WATTS = 3_000.0  # watts
MEAN = 1_500.0  # watts, of the normal law before it is cut off
DEVIATION = 500.0  # watts, likewise
STEEPNESS = 12  # b of the skewed laws' Beta(2, b)


class IndependentReadings:
    """Readings that are independent draws from one law."""

    name: ClassVar[str]
    about: ClassVar[str]

    def __init__(self, plan: Plan, streams: Streams) -> None:
        self.appliances = len(plan.appliances)
        self.streams = streams

    def watts(self, slot: int, block: int, homes: int) -> Watts:
        """Fresh draws for every home and appliance."""
        stream = self.streams.open(label(self.name), slot, block)
        return self.draw(stream, homes, self.appliances)

    @staticmethod
    def draw(stream: np.random.Generator, homes: int, appliances: int) -> Watts:
        """Draws from the law, a row for each home."""
        raise NotImplementedError


class UniformReadings(IndependentReadings):
    """Every reading in [0, 3000) W is equally likely."""

    name = "uniform"
    about = "uniform in [0, 3000) W"

    @staticmethod
    def draw(stream: np.random.Generator, homes: int, appliances: int) -> Watts:
        """3000·U, U uniform in [0, 1)."""
        return MAX_WATTS * stream.random((homes, appliances))


class NormalReadings(IndependentReadings):
    """Readings around 1500 W with a standard deviation of 500 W, those outside [0, 3000] drawn again."""

    name = "normal"
    about = "normal, mean 1500 W, sd 500 W, truncated to [0, 3000] W"

    @staticmethod
    def draw(stream: np.random.Generator, homes: int, appliances: int) -> Watts:
        """1500 + 500·N, N standard normal given that |N| ≤ 3."""
        watts = MEAN + DEVIATION * stream.standard_normal(homes * appliances)
        outside = np.flatnonzero((watts < 0) | (watts > MAX_WATTS))
        while outside.size:
            watts[outside] = MEAN + DEVIATION * stream.standard_normal(outside.size)
            outside = outside[(watts[outside] < 0) | (watts[outside] > MAX_WATTS)]
        return watts.reshape(homes, appliances)


class RightSkewedReadings(IndependentReadings):
    """Mostly small readings with a long tail to the right: 3000 W times Beta(2, 12).

    So steep that about four of ten equal levels stay empty among 10,000 homes,
    as the p-values that the paper prints for its skewed data imply.
    """

    name = "right-skewed"
    about = "right-skewed, 3000 W times Beta(2, 12)"

    @staticmethod
    def draw(stream: np.random.Generator, homes: int, appliances: int) -> Watts:
        """3000·(1 − e^−(E₁/13 + E₂/12)), E₁ and E₂ standard exponential.

        1 − X is then U₁^(1/13)·U₂^(1/12), the second largest of 13 uniform
        numbers, so X follows Beta(2, 12).
        """
        exponent = stream.standard_exponential((homes, appliances))
        exponent /= STEEPNESS + 1
        exponent += stream.standard_exponential((homes, appliances)) / STEEPNESS
        return -MAX_WATTS * np.expm1(-exponent)


class LeftSkewedReadings(IndependentReadings):
    """Mostly large readings with a long tail to the left: the mirror of `RightSkewedReadings`."""

    name = "left-skewed"
    about = "left-skewed, 3000 W times Beta(12, 2)"

    @staticmethod
    def draw(stream: np.random.Generator, homes: int, appliances: int) -> Watts:
        """3000 − a right-skewed reading."""
        return MAX_WATTS - RightSkewedReadings.draw(stream, homes, appliances)
