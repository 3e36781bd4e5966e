"""What Prometheus is told: how much arrives, what is refused and why, how long the disk takes.

No label names a home, a device or an address.
"""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

SKEWS = (-300, -60, -10, -1, 1, 10, 60, 300)
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)


class Metrics:
    """The counters of one service; each service has its own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()

        def counter(name: str, about: str, *labels: str) -> Counter:
            return Counter(f"hushwatt_{name}", about, labels, registry=self.registry)

        def histogram(name: str, about: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
            return Histogram(f"hushwatt_{name}", about, labels, buckets=buckets, registry=self.registry)

        self.reports = counter("reports", "Reports by what became of them.", "plan", "result")
        self.requests = counter("requests", "Requests by route and status.", "route", "status")
        self.problems = counter("problems", "Requests refused as a whole, by reason.", "problem")
        self.seconds = histogram("request_seconds", "Time to an answer.", SECONDS, "route")
        self.commit_seconds = histogram("commit_seconds", "Time to write a batch durably.", SECONDS)
        self.skew = histogram("clock_skew_seconds", "How far signers' clocks are behind ours.", SKEWS)
        self.homes = Gauge("hushwatt_homes", "Homes enrolled.", ["plan"], registry=self.registry)
        self.published = Gauge("hushwatt_published_slot", "The last slot published.", ["plan"], registry=self.registry)

    def text(self) -> bytes:
        """Everything in Prometheus' format."""
        return generate_latest(self.registry)

    def count(self, name: str) -> dict[tuple[str, ...], int]:
        """A counter's values by its labels' values, since the service started."""
        counter: Counter = getattr(self, name)
        return {
            tuple(sample.labels.values()): int(sample.value)
            for metric in counter.collect()
            for sample in metric.samples
            if sample.name.endswith("_total")
        }

    def skews(self) -> dict[str, int]:
        """How many requests came with clocks behind ours by up to so many seconds."""
        samples = [each for metric in self.skew.collect() for each in metric.samples if "le" in each.labels]
        counts = [int(each.value) for each in samples]
        return {
            each.labels["le"]: count - before
            for each, count, before in zip(samples, counts, [0, *counts], strict=False)
        }
