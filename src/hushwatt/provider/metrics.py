"""What Prometheus is told: how much arrives, what is refused and why, how long the disk takes, what is due.

No label names a home, a device or an address.  Gauges are set when somebody asks, by `operations.gauges`.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import product

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Metric, generate_latest
from prometheus_client.registry import Collector

from hushwatt.provider.counted_histogram import CountedHistogram
from hushwatt.provider.telemetry import NoTelemetry, Telemetry, Values

SKEWS = (-300, -60, -10, -1, 1, 10, 60, 300)
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
STORE_ERRORS = ("full", "held", "broken", "unconfirmed", "unreachable", "behind")
LATENESS = (0, 60, 300, 900, 3600, 14_400, 43_200, 86_400, 259_200)


class Metrics:
    """The counters of one service; each service has its own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.telemetry: Telemetry = NoTelemetry()

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
        self.lateness = CountedHistogram(
            "hushwatt_lateness_seconds", "How long after the end of their slot reports came.", LATENESS
        )
        self.registry.register(self.lateness)
        self.store_errors = counter("store_errors", "Writes that the store did not take, by reason.", "reason")

        def gauge(name: str, about: str, *labels: str) -> Gauge:
            return Gauge(f"hushwatt_{name}", about, labels, registry=self.registry)

        self.homes = gauge("homes", "Homes enrolled.", "plan")
        self.minimum_homes = gauge("minimum_homes", "Homes that an answer needs.", "plan")
        self.homes_heard = gauge("homes_heard", "Homes heard of one appliance in what was published last.", "plan")
        self.published = gauge("published_slot", "The last slot published.", "plan")
        self.due = gauge("due_slot", "The last slot that should be published.", "plan")
        self.overdue = gauge("publish_overdue_seconds", "Since when a slot should have been published.", "plan")
        self.turn = gauge("turn_seconds", "The time in which every home has its turn once.", "plan")
        self.gateway_silent = gauge("gateway_silent_seconds", "Since a large gateway was heard.", "plan", "gateway")
        self.rows_left = gauge("ingest_rows_left", "Rows of files begun that are not taken in.", "plan")
        self.payload_slots = gauge("payload_slots", "Published slots whose payloads should be gone.", "plan")
        self.kept_too_long = gauge(
            "retention_exceeded_seconds",
            "How much too long reports of a plan that is over are kept.",
            "plan",
        )
        self.store_bytes = gauge("store_bytes", "Bytes of the store.")
        self.needed_bytes = gauge("store_needed_bytes", "Bytes that the plans will add until their ends.")
        self.store_local = gauge("store_local", "1: the store is a file beside this service, 0: elsewhere.")
        self.disk_free = gauge("disk_free_bytes", "Free bytes where the data folder is.")
        self.disk_size = gauge("disk_size_bytes", "Bytes of the disk where the data folder is.")
        self.certificate = gauge("certificate_expires_timestamp_seconds", "When the certificate ends.", "file")

    def expect(self, plans: Iterable[str], results: Iterable[str]) -> None:
        """Begin to count at 0, so that the first of something is seen to be one more than before."""
        for plan, result in product(plans, results):
            self.reports.labels(plan, result)
        for reason in STORE_ERRORS:
            self.store_errors.labels(reason)

    def watched_by(self, telemetry: Telemetry, refresh: Callable[[], None]) -> None:
        """Tell OpenTelemetry too what happens, and export counters and gauges to it."""
        self.telemetry = telemetry
        named = {family.name.replace("hushwatt_", "hushwatt."): family for family in self.registry.collect()}

        def of_kind(kind: str) -> dict[str, Values]:
            return {name: partial(self._values, f.name) for name, f in named.items() if f.type == kind}

        telemetry.watch(of_kind("counter"), of_kind("gauge"), refresh)

    def _values(self, name: str) -> list[tuple[dict[str, str], float]]:
        return [
            (sample.labels, sample.value)
            for family in self.registry.collect()
            if family.name == name
            for sample in family.samples
            if not sample.name.endswith("_created")
        ]

    def text(self) -> bytes:
        """Everything in Prometheus' format."""
        return generate_latest(self.registry)

    def counted(self) -> bytes:
        """The same without gauges: what is known while the store is away."""
        registry = CollectorRegistry()
        registry.register(_Counted(self.registry))
        return generate_latest(registry)

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


class _Counted(Collector):
    """What a registry counted, without its gauges."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry

    def collect(self) -> Iterator[Metric]:
        return (family for family in self._registry.collect() if family.type != "gauge")
