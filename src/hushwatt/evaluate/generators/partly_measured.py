"""Homes with plugs on some of their appliances: what has none is not measured."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hushwatt.errors import UsageError
from hushwatt.evaluate.generators.home_generator import HomeGenerator, Watts
from hushwatt.evaluate.generators.streams import Streams, label
from hushwatt.plan.plan import Plan

CACHED_BLOCKS = 16


class PartlyMeasured:
    """Homes of another kind, each of which measures an appliance with a chance, always or never."""

    def __init__(self, plan: Plan, homes: HomeGenerator, streams: Streams, share: float) -> None:
        if not 0 < share <= 1:
            raise UsageError(f"the share that is measured is {share:g}; it must be more than 0 and at most 1")
        if not plan.answers_unmeasured:
            raise UsageError('a share that is measured is for plans with unmeasured = "answer"; others know only 0 W')
        self._plan, self._homes, self._streams, self._share = plan, homes, streams, share
        self._plugs = lru_cache(CACHED_BLOCKS)(self._draw_plugs)

    def watts(self, slot: int, block: int, homes: int) -> Watts:
        """The mean watts of each home and appliance in a slot; NaN without a plug."""
        return np.where(self._plugs(block, homes), self._homes.watts(slot, block, homes), np.nan)

    def _draw_plugs(self, block: int, homes: int) -> NDArray[np.bool_]:
        random = self._streams.open(label("measured"), block)
        return random.random((homes, len(self._plan.appliances))) < self._share
