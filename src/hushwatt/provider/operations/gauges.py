"""Set the gauges when somebody asks: how far each plan is, what is silent, what storage needs."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from prometheus_client import Gauge

from hushwatt.privacy.rotation import has_turns
from hushwatt.provider.estimate.arrays import HomesHeard
from hushwatt.provider.operations.certificate import certificate_end
from hushwatt.provider.operations.gateways import GatewayLog
from hushwatt.provider.operations.storage import StorageReport, look_at_storage
from hushwatt.provider.schedule import SlotSchedule
from hushwatt.provider.service.service import Service
from hushwatt.provider.store.deliveries import rows_left
from hushwatt.provider.store.plans import PlanState, plan_state
from hushwatt.provider.store.session import Session
from hushwatt.provider.store.tallies import read_tallies


class GaugeReader:
    """Looks at the store and the disk of one service, and sets its gauges."""

    def __init__(self, service: Service, gateways: GatewayLog) -> None:
        self._config, self._database, self._schedules = service.config, service.database, service.schedules
        self._metrics, self._clock, self._gateways = service.metrics, service.clock, gateways
        self._heard: dict[int, tuple[int, int]] = {}  # by plan: the last slot published, and the homes heard in it

    def refresh(self) -> None:
        now = self._clock.now()
        with self._database.reading() as session:
            for number, schedule in self._schedules.items():
                self._set_progress(session, number, schedule, now)
        self._set_storage(look_at_storage(self._database, self._schedules, self._config.folder, now))
        self._set_certificates()

    def _set_progress(self, session: Session, number: int, schedule: SlotSchedule, now: datetime) -> None:
        plan, metrics, state = schedule.plan, self._metrics, plan_state(session, number)
        slot_seconds = plan.slot.seconds
        for gauge, value in (
            (metrics.homes, state.homes),
            (metrics.minimum_homes, plan.minimum_homes),
            (metrics.published, state.published),
            (metrics.due, schedule.last_due(now)),
            (metrics.overdue, overdue(schedule, state.published, now).total_seconds()),
            (metrics.turn, slot_seconds * (plan.window if has_turns(plan) else 1)),
            (metrics.rows_left, rows_left(session, number)),
        ):
            gauge.labels(plan.id).set(value)
        if schedule.over(now):
            with suppress(KeyError):  # it was not there
                metrics.homes_heard.remove(plan.id)
        elif state.published >= 0:
            metrics.homes_heard.labels(plan.id).set(self._homes_heard(session, number, schedule, state))
        silent = self._gateways.silent(session, number, state.homes, now.timestamp())
        _replace(metrics.gateway_silent, plan.id, {} if schedule.over(now) else silent)

    def _set_storage(self, storage: StorageReport) -> None:
        metrics = self._metrics
        for number, kept in storage.plans.items():
            plan = self._schedules[number].plan.id
            metrics.payload_slots.labels(plan).set(kept.payload_slots if self._config.scrub else 0)
            metrics.kept_too_long.labels(plan).set(kept.too_long(self._config.retention_time).total_seconds())
        metrics.store_bytes.set(storage.store_bytes)
        metrics.needed_bytes.set(storage.needed_bytes)
        metrics.store_local.set(storage.local)
        metrics.disk_free.set(storage.disk.free)
        metrics.disk_size.set(storage.disk.size)

    def _homes_heard(self, session: Session, number: int, schedule: SlotSchedule, state: PlanState) -> int:
        """How many homes spoke of one appliance, at least, in what was published last; looked up once for each."""
        published, heard = self._heard.get(number, (-1, 0))
        if published != state.published:
            first = schedule.plan.periods.first_of(state.published)
            groups = read_tallies(session, number, first, state.published)
            heard = HomesHeard.of(schedule.plan, groups).of_one_appliance.get(first, 0)
            self._heard[number] = state.published, heard
        return heard

    def _set_certificates(self) -> None:
        for name in {self._config.tls_certificate, self._config.watched_certificate} - {""}:
            end = certificate_end(Path(name))
            self._metrics.certificate.labels(Path(name).name).set(0 if end is None else end)


def overdue(schedule: SlotSchedule, published: int, now: datetime) -> timedelta:
    """Since when the first slot that is not published could have been, with all that are published with it."""
    if schedule.last_due(now) <= published:
        return timedelta(0)
    return now - schedule.closes(schedule.plan.periods.last_of(published + 1))


def _replace(gauge: Gauge, plan: str, values: dict[int, float]) -> None:
    """Give a plan these series alone."""
    _forget(gauge, [labels for labels in _labels(gauge) if labels[0] == plan and int(labels[1]) not in values])
    for number, value in values.items():
        gauge.labels(plan, str(number)).set(value)


def _labels(gauge: Gauge) -> list[tuple[str, ...]]:
    return [tuple(sample.labels.values()) for metric in gauge.collect() for sample in metric.samples]


def _forget(gauge: Gauge, gone: Iterable[tuple[str, ...]]) -> None:
    for labels in gone:
        gauge.remove(*labels)
