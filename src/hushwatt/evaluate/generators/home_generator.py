"""What every kind of invented homes can do: say what a block of homes used in a slot."""

from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from hushwatt.evaluate.generators.streams import Streams
from hushwatt.plan.plan import Plan

BLOCK_HOMES = 8_192  # homes that are invented together, so that memory stays bounded

Watts = NDArray[np.float64]


class HomeGenerator(Protocol):
    """One kind of invented homes under one plan.

    A block holds BLOCK homes, the last one what is left.  What is drawn for a
    block depends on the seed, the slot, the block and its size, and on nothing
    drawn before, so blocks may be asked for in any order.
    """

    name: ClassVar[str]  # as the command line calls it
    about: ClassVar[str]  # the law, in a few words

    def __init__(self, plan: Plan, streams: Streams) -> None: ...

    def watts(self, slot: int, block: int, homes: int) -> Watts:
        """The mean watts of each home (row) and each appliance of the plan (column) in `slot`.

        NaN is not measured, where the plan has that answer: what a home does not own has no plug.
        """
        ...
