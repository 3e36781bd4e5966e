"""OpenTelemetry hears of routes, writes and publications, and of nothing that a home sent or is called."""

import http.server
import json
import socket
import subprocess
import sys
import threading
import time
from datetime import timedelta

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from starlette.testclient import TestClient
from tests.provider.collecting import HERE, ServiceClient, histories, records

from hushwatt.audit.harness.local_service import config_for
from hushwatt.errors import UsageError
from hushwatt.provider.app import make_app
from hushwatt.provider.clock import ManualClock
from hushwatt.provider.opentelemetry import OpenTelemetry
from hushwatt.provider.service import logs
from hushwatt.provider.store import open_store
from hushwatt.provider.telemetry import NoTelemetry, telemetry_from

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
WIDTHS = (40, 60, 30)  # a payload of 17 bytes, which no span has by chance


class TracedClient(ServiceClient):
    """Somebody who talks to a service that tells OpenTelemetry what it does."""

    def __init__(self, folder, plan, telemetry):
        self.config, self.plan, self.clock = config_for(folder, plan), plan, ManualClock(plan.start)
        self.app = make_app(self.config, open_store(self.config.store_address), self.clock, telemetry)
        self.service = self.app.state.service
        self.client = TestClient(self.app, base_url=HERE, raise_server_exceptions=False)


def live(talk):
    """A gateway of three homes reports, somebody refused tries, a slot is published; what nobody may hear of."""
    key, name, devices = talk.gateway(3)
    (sent,) = histories(talk.plan, 3, 1)
    body = records(devices, sent)
    talk.send(key, name, body, traceparent=PARENT)
    talk.client.post("/v1/plans/secret-word/reports", content=b"x")
    talk.client.request("SECRET-METHOD", "/secret-path")
    talk.at_slot(0, late=timedelta(days=1))
    talk.client.portal.call(talk.service.publish_due)
    secrets = [name, *devices, *(row.tobytes() for row in sent.payloads)]
    return [each for secret in secrets for each in (secret, secret.hex().encode())] + [b"secret", b"SECRET"]


@pytest.fixture
def in_memory(tmp_path, plan_of):
    """A service whose spans and numbers stay in memory."""
    spans, numbers = InMemorySpanExporter(), InMemoryMetricReader()
    telemetry = OpenTelemetry(Resource({}), [SimpleSpanProcessor(spans)], [numbers])
    talk = TracedClient(tmp_path, plan_of(*WIDTHS), telemetry)
    with talk.client:
        live(talk)
        yield talk, spans, numbers


def test_spans_say_what_was_done(in_memory):
    """Routes with their status, writes with how much, publications with their plan; an upload in its own trace."""
    talk, exporter, _ = in_memory
    spans = {}
    for span in exporter.get_finished_spans():
        spans.setdefault(span.name, []).append(span)

    upload, refused = spans["POST /v1/plans/{plan_id}/reports"]
    written = [span.attributes["hushwatt.reports"] for span in spans["store write"]]
    (published,) = spans["publish"]
    assert dict(upload.attributes) == {
        "http.request.method": "POST",
        "http.route": "/v1/plans/{plan_id}/reports",
        "http.response.status_code": 200,
    }
    assert f"{upload.context.trace_id:032x}" == PARENT.split("-")[1]
    assert refused.attributes["http.response.status_code"] == 404
    assert refused.parent is None
    assert upload.end_time > upload.start_time
    assert sum(written) == 3
    assert dict(published.attributes) == {"hushwatt.plan": talk.plan.id, "hushwatt.slots": 1}
    assert spans["_OTHER other"]


def test_a_failed_write_is_an_error(in_memory):
    """The span of a write that the disk refused says so, by the kind of failure alone."""
    talk, exporter, _ = in_memory
    exporter.clear()
    talk.service.database._fsync_failed = True
    failed = talk.client.get("/readyz")
    spans = {span.name: span.status for span in exporter.get_finished_spans()}

    assert failed.status_code == 503
    assert (spans["store write"].status_code, spans["store write"].description) == (
        StatusCode.ERROR,
        "StoreUnavailable",
    )
    assert spans["GET /readyz"].status_code == StatusCode.ERROR


def test_numbers_are_the_same_as_for_prometheus(in_memory):
    """Counters and gauges have the values of /metrics, set anew when they are exported; times are histograms."""
    talk, _, reader = in_memory
    (resource,) = reader.get_metrics_data().resource_metrics
    metrics = {metric.name: metric for metric in resource.scope_metrics[0].metrics}

    def value(name, **labels):
        points = metrics[name].data.data_points
        return next(each.value for each in points if labels.items() <= dict(each.attributes).items())

    assert value("hushwatt.reports", plan=talk.plan.id, result="accepted") == 3
    assert value("hushwatt.homes", plan=talk.plan.id) == 3
    assert value("hushwatt.published_slot", plan=talk.plan.id) == 0
    assert sum(each.count for each in metrics["http.server.request.duration"].data.data_points) >= 4
    assert sum(each.count for each in metrics["hushwatt.store.write.duration"].data.data_points) >= 2


@pytest.fixture
def collector():
    """A receiver of OTLP over HTTP: the bodies that came, by path."""
    bodies = {}

    class Receiver(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            bodies.setdefault(self.path, []).append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", bodies
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_collector_hears_nothing_of_homes(collector, tmp_path, plan_of, monkeypatch):
    """Over real OTLP: spans and numbers of a service come, and no device, payload, path or method of a stranger."""
    address, bodies = collector
    variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": address, "OTEL_EXPORTER_OTLP_COMPRESSION": "none"}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    talk = TracedClient(tmp_path, plan_of(*WIDTHS), telemetry_from(variables))
    with talk.client:
        secrets = live(talk)
    traces = [ExportTraceServiceRequest.FromString(body) for body in bodies["/v1/traces"]]
    numbers = [ExportMetricsServiceRequest.FromString(body) for body in bodies["/v1/metrics"]]

    names = {
        span.name
        for each in traces
        for kind in each.resource_spans
        for scope in kind.scope_spans
        for span in scope.spans
    }
    resource = {each.key: each.value.string_value for each in traces[0].resource_spans[0].resource.attributes}
    everything = b"".join(body for each in bodies.values() for body in each)
    assert {"publish", "store write", "POST /v1/plans/{plan_id}/reports"} <= names
    assert resource["service.name"] == "hushwatt"
    assert numbers
    assert [secret for secret in secrets if secret in everything] == []


@pytest.mark.parametrize(
    "variables, paths",
    [
        ({"OTEL_METRICS_EXPORTER": "none"}, {"/v1/traces"}),
        ({"OTEL_TRACES_EXPORTER": "none"}, {"/v1/metrics"}),
        ({"OTEL_SDK_DISABLED": "true"}, set()),
    ],
)
def test_what_is_switched_off_stays_silent(collector, tmp_path, plan_of, monkeypatch, variables, paths):
    """Either signal, or both, by the variables that switch off every SDK."""
    address, bodies = collector
    variables = {**variables, "OTEL_EXPORTER_OTLP_ENDPOINT": address}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    talk = TracedClient(tmp_path, plan_of(3, 4), telemetry_from(variables))
    with talk.client:
        talk.client.get("/healthz")

    assert set(bodies) == paths


def test_nothing_is_imported_unasked():
    """A service that is not told of a collector does not load the SDK."""
    program = (
        "import sys; from hushwatt.provider.telemetry import telemetry_from; import hushwatt.provider.app;"
        "telemetry_from({}); print([name for name in sys.modules if name.startswith('opentelemetry.sdk')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert done.stdout == "[]\n", done.stderr
    assert isinstance(telemetry_from({}), NoTelemetry)


def test_another_protocol_is_refused():
    """One clear line, with what to change."""
    variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}
    with pytest.raises(UsageError) as refused:
        telemetry_from(variables)

    assert str(refused.value) == "OTEL_EXPORTER_OTLP_PROTOCOL is 'grpc'; hushwatt speaks http/protobuf alone"


def test_a_missing_package_is_named(monkeypatch):
    """Without the extra a service says what to install, and does not start as if nothing were asked."""
    monkeypatch.setitem(sys.modules, "hushwatt.provider.opentelemetry", None)
    with pytest.raises(UsageError) as refused:
        telemetry_from({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"})

    assert "pip install 'hushwatt[otel]'" in str(refused.value)


@pytest.mark.parametrize(
    "variables, named",
    [
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4318"}, "http://collector:4318"),
        ({"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "grpc://c"}, "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT is 'grpc://c'"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_BSP_MAX_QUEUE_SIZE": "0"}, "max_queue_size"),
    ],
    ids=["no scheme", "another scheme", "what the SDK itself refuses"],
)
def test_a_wrong_variable_is_refused(monkeypatch, variables, named):
    """One clear line before the service starts, rather than numbers that never arrive."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(UsageError) as refused:
        telemetry_from(variables)

    assert named in str(refused.value)


def test_a_collector_that_is_away_is_told_in_the_log(tmp_path, plan_of, monkeypatch, capsys):
    """As lines of JSON like all others, and the service goes on."""
    variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_EXPORTER_OTLP_TIMEOUT": "1"}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(logs, "_logger", logs._logger)  # it is put back
    logs.start_logs("warning")
    talk = TracedClient(tmp_path, plan_of(3, 4), telemetry_from(variables))
    with talk.client:
        answer = talk.client.get("/healthz")
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]

    assert answer.status_code == 200
    assert {line["event"] for line in lines} == {"telemetry"}
    assert all("export" in line["reason"] for line in lines)


def test_a_silent_collector_does_not_hold_up_the_end(tmp_path, plan_of, monkeypatch):
    """One that takes connections and never answers: the service ends in time all the same."""
    monkeypatch.setattr("hushwatt.provider.opentelemetry.CLOSE_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{silent.getsockname()[1]}"}
        variables["OTEL_EXPORTER_OTLP_TIMEOUT"] = "4"
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        talk = TracedClient(tmp_path, plan_of(3, 4), telemetry_from(variables))
        with talk.client:
            talk.client.get("/healthz")
            began = time.monotonic()
        ended = time.monotonic()
        for sender in [each for each in threading.enumerate() if each.name == "last export"]:
            sender.join()

    assert ended - began < 3
