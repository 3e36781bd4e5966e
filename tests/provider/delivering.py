"""Files of reports on their way into a store, without a service: what a data engineer has."""

from datetime import timedelta

import pyarrow as pa

from hushwatt.provider.clock import ManualClock
from hushwatt.provider.intake.collect import Collection
from hushwatt.provider.intake.delivery import open_deliveries
from hushwatt.provider.intake.file_labels import FileLabels
from hushwatt.provider.intake.ingest import Ingest
from hushwatt.provider.intake.take_back import take_back
from hushwatt.provider.metrics import Metrics
from hushwatt.provider.schedule import SlotSchedule
from hushwatt.provider.service.collection_reader import CollectionReader
from hushwatt.provider.store import open_store
from hushwatt.provider.store.cells import all_cells
from hushwatt.provider.store.plans import add_plan
from hushwatt.provider.store.slots import publish
from hushwatt.provider.store.tallies import read_tallies
from hushwatt.wire.reports import ReportWriter

LAST = 400  # a slot after all of them


def names(count, first=0):
    """Homes as a head-end calls them."""
    return [f"home {number:05d}" for number in range(first, first + count)]


def write_file(path, plan, sent, households, homes=None):
    """What homes sent, as a file; `homes` take part."""
    with ReportWriter(path, plan, homes or len(households)) as writer:
        for each in sent:
            called = pa.array([households[home] for home in each.homes], pa.string())
            writer.write(called, each.slot, 0, each.spent, each.drawn, each.payloads)
    return path


class Depot:
    """A store that files are taken into."""

    def __init__(self, address, plan, days=380.0):
        self.plan, self.database = plan, open_store(address)
        with self.database.writing() as session:
            self.collection = Collection(add_plan(session, plan), plan)
        self.schedule = SlotSchedule(plan, timedelta(days=1), timedelta(0))
        self.clock = ManualClock(plan.start + timedelta(days=days))

    @property
    def number(self):
        return self.collection.number

    def take(self, *paths, labels=None):
        """Take files in, as a new run of the command does; with a table of labels, if there is one."""
        known = None if labels is None else FileLabels.read(labels)
        run = Ingest(self.database, self.collection, self.schedule, self.clock, labels=known)
        return run.take(open_deliveries(self.plan, paths))

    def publish(self, until=LAST - 1):
        with self.database.writing() as session:
            return publish(session, self.number, until, 0)

    def take_back(self, number):
        with self.database.writing() as session:
            return take_back(session, self.collection, number)

    def cells(self):
        with self.database.reading() as session:
            return all_cells(session, self.number)

    def tallies(self):
        with self.database.reading() as session:
            return read_tallies(session, self.number, 0, LAST)

    def told(self, by=()):
        """The answer of the service, as JSON."""
        read = CollectionReader(self.database, {self.number: self.schedule}, self.clock, Metrics())
        return read.document(self.plan, by=by)

    def all(self, statement, *values):
        with self.database.reading() as session:
            return session.all(statement, *values)

    def close(self):
        self.database.close()


def same(some, other):
    """Whether tallies are the same to the last number."""
    return {key: _plain(tally) for key, tally in some.items()} == {key: _plain(tally) for key, tally in other.items()}


def _plain(tally):
    return tally.rows, tally.reports.tolist(), tally.counts.tolist()
