"""Traces and metrics through OpenTelemetry's SDK, with its own providers: nothing else in the process is watched."""

import time
from collections.abc import Callable, Iterable, Mapping
from threading import Thread

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import CallbackOptions, Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from hushwatt import __version__
from hushwatt.provider.telemetry import Telemetry, Values

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER = "_OTHER"  # what the conventions call a method that is none
CLOSE_SECONDS = 5.0  # seconds to send what waits when the service ends
NANOSECONDS = 1e9  # in a second
SERVER_ERROR = 500


class OpenTelemetry:
    """Spans of what a service did, and its numbers."""

    def __init__(
        self, resource: Resource, processors: Iterable[SpanProcessor], readers: Iterable[MetricReader]
    ) -> None:
        self._traces = TracerProvider(resource=resource, shutdown_on_exit=False)
        for processor in processors:
            self._traces.add_span_processor(processor)
        self._numbers = MeterProvider(list(readers), resource=resource, shutdown_on_exit=False)
        self._tracer = self._traces.get_tracer("hushwatt", __version__)
        self._meter = self._numbers.get_meter("hushwatt", __version__)
        self._request_time = self._meter.create_histogram("http.server.request.duration", "s", "Time to an answer.")
        self._write_time = self._meter.create_histogram("hushwatt.store.write.duration", "s", "Time to write durably.")

    def request(self, began: int, ended: int, method: str, route: str, status: int, parent: str | None) -> None:
        attributes: dict[str, str | int] = {
            "http.request.method": method if method in METHODS else OTHER,
            "http.route": route,
            "http.response.status_code": status,
        }
        context = TraceContextTextMapPropagator().extract({"traceparent": parent}) if parent else None
        name = f"{attributes['http.request.method']} {route}"
        span = self._tracer.start_span(name, context, SpanKind.SERVER, attributes, start_time=began)
        if status >= SERVER_ERROR:
            span.set_status(Status(StatusCode.ERROR))
        span.end(ended)
        self._request_time.record((ended - began) / NANOSECONDS, attributes)

    def write(self, began: int, ended: int, uploads: int, reports: int, failure: str | None) -> None:
        attributes = {"hushwatt.uploads": uploads, "hushwatt.reports": reports}
        span = self._tracer.start_span("store write", None, SpanKind.INTERNAL, attributes, start_time=began)
        if failure:
            span.set_status(Status(StatusCode.ERROR, failure))
        span.end(ended)
        self._write_time.record((ended - began) / NANOSECONDS, {"error.type": failure} if failure else {})

    def published(self, began: int, ended: int, plan: str, slots: int) -> None:
        attributes: dict[str, str | int] = {"hushwatt.plan": plan, "hushwatt.slots": slots}
        self._tracer.start_span("publish", None, SpanKind.INTERNAL, attributes, start_time=began).end(ended)

    def watch(self, counters: Mapping[str, Values], gauges: Mapping[str, Values], refresh: Callable[[], None]) -> None:
        def observed(values: Values, first: bool) -> Callable[[CallbackOptions], Iterable[Observation]]:
            def observe(_: CallbackOptions) -> Iterable[Observation]:
                if first:
                    refresh()
                return [Observation(value, labels) for labels, value in values()]

            return observe

        for place, (name, values) in enumerate(gauges.items()):
            self._meter.create_observable_gauge(name, [observed(values, first=place == 0)])
        for name, values in counters.items():
            self._meter.create_observable_counter(name, [observed(values, first=False)])

    def close(self) -> None:
        """Send what waits, for some seconds: a collector that is away does not hold up the end of a service."""
        senders = [
            Thread(target=each.shutdown, name="last export", daemon=True) for each in (self._traces, self._numbers)
        ]
        until = time.monotonic() + CLOSE_SECONDS
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join(max(0.0, until - time.monotonic()))


def otlp_telemetry(environment: Mapping[str, str]) -> Telemetry:
    """To the collector that the variables name; the SDK itself reads the others, such as headers and sampling."""
    named = "OTEL_SERVICE_NAME" in environment or "service.name=" in environment.get("OTEL_RESOURCE_ATTRIBUTES", "")
    resource = Resource.create({"service.version": __version__} | ({} if named else {"service.name": "hushwatt"}))

    def wanted(signal: str) -> bool:
        return environment.get(f"OTEL_{signal}_EXPORTER", "otlp") != "none" and any(
            environment.get(f"OTEL_EXPORTER_OTLP_{part}ENDPOINT") for part in ("", f"{signal}_")
        )

    processors = [BatchSpanProcessor(OTLPSpanExporter())] if wanted("TRACES") else []
    readers = [PeriodicExportingMetricReader(OTLPMetricExporter())] if wanted("METRICS") else []
    return OpenTelemetry(resource, processors, readers)
