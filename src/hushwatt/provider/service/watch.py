"""Files are taken in as they land in a folder or under an address, and slots are published on time.

A file is looked at twice before it is taken, a moment apart, and must end as Parquet does: one that is still being
written waits.  An object is there whole when it is there.  What cannot be taken is told once, in words, and holds up
nothing else; it is tried again when it has changed.

What has been taken is known by its content, in the transaction that takes it: a process that is killed anywhere starts
anew with an empty memory, looks at every file, and counts nothing twice.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePath
from typing import Any

from hushwatt.errors import HushwattError, StorageError
from hushwatt.provider.clock import ManualClock, UtcClock
from hushwatt.provider.intake.collect import Collection
from hushwatt.provider.intake.delivery import Delivery, file_stamp, open_deliveries
from hushwatt.provider.intake.ingest import Ingest, IngestResult, NotBegun
from hushwatt.provider.schedule import SlotSchedule
from hushwatt.provider.service.publish_files import publish_file_slots
from hushwatt.provider.store.deliveries import was_taken_back
from hushwatt.provider.store.session import Database, StoreUnavailable
from hushwatt.wire.reports.reader import SUFFIXES
from hushwatt.wire.storage import Location, ObjectPath
from hushwatt.wire.storage.location import inside

Stamp = tuple[int, int, int]


class WatchStopped(Exception):
    """Somebody asked the watch to end; what was taken in stays."""


@dataclass
class WatchedFile:
    """What is known of a file since it was first seen."""

    landed: datetime | None  # it came after this; None: it was there at the start
    stamp: Stamp | None = None  # as it was when it was looked at last
    settled: Stamp | None = None  # as it was when it was taken in, or set aside
    retry: int | None = None  # it waits for this slot to begin


@dataclass
class Round:
    """What one look at the folder led to."""

    taken: list[tuple[str, IngestResult]] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)  # why, a line each
    published: list[int] = field(default_factory=list)


class Watch:
    """Takes the files of one place into the collection of one plan."""

    def __init__(
        self,
        folder: Location,
        ingest: Ingest,
        database: Database,
        collection: Collection,
        schedule: SlotSchedule,
        clock: UtcClock,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._folder, self._ingest, self._stopped = folder, ingest, stopped
        self._database, self._collection, self._schedule, self._clock = database, collection, schedule, clock
        self._files: dict[PurePath, WatchedFile] = {}
        self._last: datetime | None = None  # when the folder was listed before this time
        self._told = ""  # why the folder could not be listed

    def look(self) -> Round:
        """Take in what is there and complete, then publish what is due; WatchStopped when somebody asked for it."""
        began, done = self._clock.now(), Round()
        try:
            names = self._list()
        except (OSError, HushwattError) as problem:
            done.aside += [str(problem)] if str(problem) != self._told else []
            self._told = str(problem)
            return done
        self._told = ""
        self._files = {name: self._files.get(name) or WatchedFile(self._last) for name in names}
        for name in names:
            self._look_at(name, done)
        self._last = began
        done.published = self._publish(began)
        return done

    def _list(self) -> list[PurePath]:
        """The Parquet files that are not hidden, by name."""
        if not isinstance(self._folder, ObjectPath) and not self._folder.is_dir():
            raise HushwattError(f"{self._folder}: there is no such folder")
        names = [name for name in sorted(inside(self._folder)) if name.suffix.lower() in SUFFIXES]
        return [name for name in names if not any(part.startswith((".", "_")) for part in name.parts)]

    def _look_at(self, name: PurePath, done: Round) -> None:
        """Take a file in if it is new and complete; or set it aside, in words."""
        path, file = self._folder / name, self._files[name]
        try:
            stamp = file_stamp(path)
        except (OSError, StorageError):  # it has gone, or the store is busy: it is looked at again
            return
        waits = file.retry is not None and self._schedule.last_begun(self._clock.now()) < file.retry
        if file.settled == stamp and (file.retry is None or waits):
            return
        complete, file.stamp = isinstance(path, ObjectPath) or file.stamp == stamp, stamp
        if not complete:
            return
        again, file.retry = file.retry is not None, None
        try:
            if (taken := self._take(path)) is not None:
                done.taken.append((str(path), taken))
            file.settled = stamp
        except NotBegun as coming:
            file.settled, file.retry = stamp, coming.slot
            done.aside += [] if again else [f"{coming}; what follows is taken then"]
        except (StorageError, StoreUnavailable) as busy:  # file.settled stays: it is tried again
            done.aside.append(f"{busy}; it is tried again")
        except FileNotFoundError:  # it has gone in between
            return
        except HushwattError as wrong:
            file.settled = stamp
            done.aside.append(f"{wrong}; set aside until it changes")

    def _take(self, path: Location) -> IngestResult | None:
        """Take a file in; None when it was taken back before, or is known whole."""
        (delivery,) = open_deliveries(self._collection.plan, [path])
        if self._is_taken_back(delivery):
            return None
        taken = self._ingest.take([delivery], self._check_stopped)
        return taken if taken.rows else None

    def _is_taken_back(self, delivery: Delivery) -> bool:
        with self._database.reading() as session:
            return was_taken_back(session, self._collection.number, delivery.content)

    def _check_stopped(self, rows: int) -> None:
        if self._stopped():
            raise WatchStopped

    def _publish(self, began: datetime) -> list[int]:
        """Publish what was closed when all files had been taken in that had landed by then."""
        waiting = [file for file in self._files.values() if file.settled is None or file.settled != file.stamp]
        moments = [file.landed for file in waiting] + [began]
        known = [moment for moment in moments if moment is not None]
        if len(known) < len(moments):  # not even what was there at the start is done
            return []
        clock = ManualClock(min(known))
        return publish_file_slots(self._database, self._collection.number, self._schedule, clock)


def watch(look: Callable[[], Round], wait: Callable[[], Any], stopped: Callable[[], bool]) -> Iterator[Round]:
    """One round after the other until somebody asks to stop."""
    while not stopped():
        try:
            yield look()
        except WatchStopped:
            return
        wait()
