"""A histogram that takes many equal observations at once: an upload brings thousands of reports of one slot."""

import threading
from bisect import bisect_left
from collections.abc import Iterator

from prometheus_client.core import HistogramMetricFamily
from prometheus_client.registry import Collector


class CountedHistogram(Collector):
    """Observations by plan, in buckets.

    >>> late = CountedHistogram("late_seconds", "How late.", (0, 60))
    >>> late.observe("5f", 30.0, count=7)
    >>> [(sample.labels.get("le"), sample.value) for sample in next(iter(late.collect())).samples]
    [('0', 0.0), ('60', 7.0), ('+Inf', 7.0)]
    """

    def __init__(self, name: str, about: str, bounds: tuple[int, ...]) -> None:
        self._name, self._about, self._bounds = name, about, bounds
        self._lock = threading.Lock()
        self._counts: dict[str, list[int]] = {}

    def observe(self, plan: str, value: float, count: int = 1) -> None:
        """Count `count` observations of one value."""
        with self._lock:
            counts = self._counts.setdefault(plan, [0] * (len(self._bounds) + 1))
            counts[bisect_left(self._bounds, value)] += count

    def collect(self) -> Iterator[HistogramMetricFamily]:
        """The buckets of every plan; without a sum, as values may be below zero."""
        family = HistogramMetricFamily(self._name, self._about, labels=["plan"])
        with self._lock:
            for plan, counts in self._counts.items():
                sums = [float(sum(counts[: place + 1])) for place in range(len(counts))]
                names = [*map(str, self._bounds), "+Inf"]
                family.add_metric([plan], list(zip(names, sums, strict=True)), sum_value=None)
        yield family
