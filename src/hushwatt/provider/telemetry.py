"""What OpenTelemetry is told, where it is set up by its usual variables; nothing of it is imported otherwise.

A span says which route answered what and how long it took, never who asked or what was sent.
"""

import time
from collections.abc import Callable, Mapping
from typing import Protocol

from hushwatt.errors import UsageError

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
ENDPOINTS = (ENDPOINT, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT")
PROTOCOLS = ("OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL")
PROTOCOL = "http/protobuf"
Values = Callable[[], list[tuple[dict[str, str], float]]]  # the values of a counter or a gauge, by its labels


class Telemetry(Protocol):
    """Where a service tells what it does; times are nanoseconds since 1970."""

    def request(self, began: int, ended: int, method: str, route: str, status: int, parent: str | None) -> None:
        """A request was answered; `parent` is the trace that it belongs to, as W3C's `traceparent` has it."""

    def write(self, began: int, ended: int, uploads: int, reports: int, failure: str | None) -> None:
        """A group of uploads was written, or was not for this reason."""

    def published(self, began: int, ended: int, plan: str, slots: int) -> None:
        """Some slots of a plan were published."""

    def watch(self, counters: Mapping[str, Values], gauges: Mapping[str, Values], refresh: Callable[[], None]) -> None:
        """Export these numbers from now on; `refresh` sets the gauges."""

    def close(self) -> None:
        """Send what waits."""


class NoTelemetry:
    """Nobody listens."""

    def request(self, began: int, ended: int, method: str, route: str, status: int, parent: str | None) -> None: ...
    def write(self, began: int, ended: int, uploads: int, reports: int, failure: str | None) -> None: ...
    def published(self, began: int, ended: int, plan: str, slots: int) -> None: ...
    def watch(
        self, counters: Mapping[str, Values], gauges: Mapping[str, Values], refresh: Callable[[], None]
    ) -> None: ...
    def close(self) -> None: ...


def span_since(began: int) -> tuple[int, int]:
    """Begin and end, in nanoseconds since 1970, of what began at this reading of `perf_counter_ns` and ends now."""
    elapsed, ended = time.perf_counter_ns() - began, time.time_ns()
    return ended - elapsed, ended


def telemetry_from(environment: Mapping[str, str]) -> Telemetry:
    """What the standard variables of OpenTelemetry ask for.

    >>> telemetry_from({"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"})
    <hushwatt.provider.telemetry.NoTelemetry object at ...>
    """
    asked = [name for name in ENDPOINTS if environment.get(name)]
    if not asked or environment.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return NoTelemetry()
    for name in PROTOCOLS:
        if environment.get(name, PROTOCOL) != PROTOCOL:
            raise UsageError(f"{name} is {environment[name]!r}; hushwatt speaks {PROTOCOL} alone")
    for name in asked:
        if not environment[name].startswith(("http://", "https://")):
            raise UsageError(f"{name} is {environment[name]!r}; write an address like http://collector:4318")
    try:
        from hushwatt.provider.opentelemetry import otlp_telemetry
    except ModuleNotFoundError as missing:
        raise UsageError(f"{asked[0]} is set, which needs {missing.name}: pip install 'hushwatt[otel]'") from None
    try:
        return otlp_telemetry(environment)
    except ValueError as wrong:  # the SDK reads variables of its own
        raise UsageError(f"OpenTelemetry does not take one of its OTEL_ variables: {wrong}") from None
