"""Ten faults raise ten alerts, and a quiet day none: real services, a real Prometheus, a real Alertmanager."""

import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import apsw
import pytest
from tests.provider.collecting import histories, records
from tests.provider.delivering import names, write_file
from tests.provider.operations.certificates import certificate
from tests.provider.operations.monitoring import PATIENCE, Crowd, Watch, needs_prometheus

from hushwatt.provider.intake import delivery
from hushwatt.provider.intake.delivery import open_deliveries
from hushwatt.provider.intake.ingest import Ingest
from hushwatt.provider.store.sqlite import Sqlite

HOMES = 24


class SlowFile(apsw.VFSFile):
    """A file on a disk that takes its time to be sure."""

    seconds = 0.0

    def xSync(self, flags):
        time.sleep(self.seconds)
        super().xSync(flags)


class SlowVfs(apsw.VFS):
    """A disk of such files."""

    def __init__(self):
        self.vfs_name, self.below = "slow-for-alerts", apsw.vfs_names()[0]
        super().__init__(self.vfs_name, base=self.below)

    def xOpen(self, name, flags):
        return SlowFile(self.below, name, flags)


class Gateway:
    """A gateway of some homes, and what they send."""

    def __init__(self, talk, homes=HOMES, slots=3):
        self.talk, self.sent = talk, 0
        self.key, self.name, self.devices = talk.gateway(homes)
        self.bodies = [records(self.devices, sent) for sent in histories(talk.plan, homes, slots)]

    def send(self, slot, **more):
        return self.talk.send(self.key, self.name, self.bodies[slot], **more)

    def send_next(self, slot):
        """The report of one home more."""
        size = len(self.bodies[slot]) // len(self.devices)
        self.sent += size
        return self.talk.send(self.key, self.name, self.bodies[slot][self.sent - size : self.sent])


def quiet(talk):
    """Homes report slot after slot, the slots are published, and one repeats itself."""
    homes = Gateway(talk)
    for slot in range(2):
        talk.at_slot(slot)
        homes.send(slot)
    talk.at_slot(1, late=timedelta(days=1, minutes=1))
    return lambda: homes.send(1)


def disk_full(talk):
    """SQLite is not given one page more, as on a full disk."""
    homes = Gateway(talk, homes=5_000)
    talk.at_slot(0)
    with talk.service.database._lock:
        writer = talk.service.database._writer
        writer.pragma("max_page_count", writer.pragma("page_count"))
    return lambda: homes.send(0)


def clock_skew(talk):
    """All homes believe that it is seven minutes earlier."""
    homes = Gateway(talk)
    talk.at_slot(0)
    return lambda: [homes.send(0, time=talk.now - 420) for _ in range(6)]


def slots_not_closing(talk):
    """Another program holds the store, and a slot is due."""
    homes = Gateway(talk)
    talk.at_slot(0)
    homes.send(0)
    talk.other = apsw.Connection(talk.config.store_address)
    talk.other.execute("BEGIN IMMEDIATE")
    talk.at_slot(0, late=timedelta(days=1, hours=1))
    return lambda: None


def reports_rejected(talk):
    """A third of the reports come when their slot is closed."""
    punctual, late = Gateway(talk), Gateway(talk, homes=12)
    talk.at_slot(0)
    punctual.send(0)
    talk.at_slot(0, late=timedelta(days=1, minutes=1))
    return lambda: (punctual.send(0), late.send(0))


def gateway_silent(talk):
    """Of two gateways one reports no more."""
    heard, silent = Gateway(talk), Gateway(talk)
    talk.client.get("/metrics")
    silent.send(0)
    for slot in range(3):
        talk.at_slot(slot)
        heard.send(slot)
    talk.at_slot(2, late=timedelta(minutes=1))
    return lambda: heard.send(2)


def store_slow(talk):
    """The disk takes most of a second to be sure."""
    homes = Gateway(talk, homes=100)
    talk.at_slot(0)
    SlowFile.seconds = 0.8
    return lambda: homes.send_next(0)


def certificate_ends(talk):
    """The certificate that was set up has three days left."""
    return lambda: None


def too_few_homes(talk):
    """A slot is published with fewer homes than its plan wants."""
    homes = Gateway(talk, homes=19)
    talk.at_slot(0)
    homes.send(0)
    talk.at_slot(0, late=timedelta(days=1, minutes=1))
    return lambda: None


def ingest_stuck(talk):
    """A run that takes in a file ends after a third of it."""
    talk.at_slot(0)
    folder, service = Path(talk.config.data), talk.service
    file = write_file(folder / "reports.parquet", talk.plan, histories(talk.plan, 60, 1), names(60))

    def killed(rows):
        if rows:
            raise KeyboardInterrupt

    (collection,) = service.read.collections.values()
    run = Ingest(service.database, collection, service.schedules[collection.number], talk.clock)
    with pytest.raises(KeyboardInterrupt):
        run.take(open_deliveries(talk.plan, [file]), killed)
    return lambda: None


def forging_suspected(talk):
    """Somebody's homes send what costs more than their plan lets them spend."""
    homes = Gateway(talk)
    (sent,) = histories(talk.plan, HOMES, 1)
    talk.at_slot(0)
    homes.bodies[0] = records(homes.devices, replace(sent, spent=sent.spent * 2))
    return lambda: homes.send(0)


FAULTS = {
    disk_full: {"HushwattDiskFull"},
    clock_skew: {"HushwattClockSkew"},
    slots_not_closing: {"HushwattSlotsNotClosing"},
    reports_rejected: {"HushwattReportsRejected"},
    gateway_silent: {"HushwattGatewaySilent"},
    store_slow: {"HushwattStoreSlow"},
    certificate_ends: {"HushwattCertificateEnds"},
    too_few_homes: {"HushwattTooFewHomes"},
    ingest_stuck: {"HushwattIngestStuck"},
    forging_suspected: {"HushwattForgingSuspected"},
}
FOLLOWS = {  # who holds the store for long holds up all else too
    ("slots_not_closing", "HushwattStoreUnavailable"),
    ("slots_not_closing", "HushwattStoreSlow"),
}


@pytest.fixture
def services(plan_of, tmp_path, monkeypatch):
    """A service for each fault and one for a quiet day, each with a plan of its own."""
    needs_prometheus()
    monkeypatch.setattr(delivery, "BATCH_ROWS", 20)
    slow = SlowVfs()
    settings = {
        "certificate_ends": {"watched_certificate": certificate(tmp_path, days=3)},
        "quiet": {"watched_certificate": certificate(tmp_path, days=200)},
        "store_slow": {"opened": lambda path: Sqlite(path, slow.vfs_name)},
    }
    crowd = Crowd()
    for name in [*(fault.__name__ for fault in FAULTS), "quiet"]:
        plan = plan_of(3, 4, name=f"A plan for {name}", minimum_homes=20)
        crowd.add(name, tmp_path / name, plan, **settings.get(name, {}))
    yield crowd.services
    SlowFile.seconds = 0
    for service in crowd.services.values():
        getattr(service, "other", service.client).close()
    crowd.stop()


def test_ten_faults_raise_ten_alerts(services, tmp_path):
    """Each fault in a running service is told to Alertmanager by its own alert; a quiet day is not."""
    expected = {(fault.__name__, alert) for fault, alerts in FAULTS.items() for alert in alerts}
    watch, told = Watch(tmp_path, services), set()
    try:
        until = time.monotonic() + PATIENCE
        while not watch.ready():
            assert time.monotonic() < until, (tmp_path / "prometheus.log").read_text()
            time.sleep(0.1)
        steps = [fault(services[fault.__name__]) for fault in (*FAULTS, quiet)]
        while not told >= expected and time.monotonic() < until:
            for step in steps:
                step()
            told |= watch.alerts()
    finally:
        watch.stop()

    assert told - FOLLOWS == expected
