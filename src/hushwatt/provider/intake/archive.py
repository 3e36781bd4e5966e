"""Published slots as files of reports: for engines that read folders, for other stores, for years.

A slot is a file, `slot-000123.parquet`, whole or not there.  (Not a folder `slot=000123`,
which some readers take for a second column of that name and refuse.)  Homes are called by
their devices, so that a store knows them again.  What is there stays, but for homes that
have been erased since: they are taken out.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from os import PathLike
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hushwatt.errors import UsageError
from hushwatt.provider.intake.collect import Collection
from hushwatt.provider.intake.device_names import devices_of, names_of
from hushwatt.provider.store.reports.by_device import reports_by_device
from hushwatt.provider.store.reports.stored import count_reports, drop_reports
from hushwatt.provider.store.session import Database, Session
from hushwatt.provider.store.slots import PublishedSlot, published_slots
from hushwatt.provider.store.tallies import reported_slots
from hushwatt.provider.tally.draws import PUBLICATION
from hushwatt.wire.reports import ReportBatch, ReportWriter
from hushwatt.wire.reports.report_file import ReportFile
from hushwatt.wire.storage import Location, atomic_write_to, location


@dataclass
class Archived:
    """What became of the slots, by number."""

    written: list[int] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)  # were there already
    gone: list[int] = field(default_factory=list)  # whose payloads the store no longer has
    dropped: int = 0  # reports that are in the files alone now


def archive(
    database: Database,
    collection: Collection,
    folder: str | PathLike[str] | Location,
    first: int | None = None,
    last: int | None = None,
    advance: Callable[[int], None] = lambda slots: None,
    drop: bool = False,
) -> Archived:
    """Write the published slots `first` to `last` into a folder, each by itself; then `drop` them from the store."""
    folder = location(folder)
    if folder.is_file():
        raise UsageError(f"{folder} is a file, not a folder")
    archived = Archived()
    for slot in slots_between(database, collection, first, last):
        path = folder / f"slot-{slot.slot:06d}.parquet"
        with database.reading() as session:
            if path.exists():
                archived.kept.append(slot.slot)
                _take_out_erased(session, collection, slot, path)
            elif _write(path, collection, slot, _stored(session, collection, slot.slot)):
                archived.written.append(slot.slot)
            else:
                archived.gone.append(slot.slot)
        if drop and path.exists():
            archived.dropped += _drop(database, collection, slot.slot, path)
        advance(1)
    if drop:
        database.drop_empty_partitions(collection.number)
    return archived


def _drop(database: Database, collection: Collection, slot: int, path: Location) -> int:
    """Take a slot's reports out of the store when the file has all of them; how many.

    A home that is erased meanwhile is in neither, or the slot stays until the next time.
    """
    rows = ReportFile(collection.plan, path).rows
    with database.writing() as session:
        if count_reports(session, collection.number, slot) != rows:
            return 0
        return drop_reports(session, collection.number, slot)


def slots_between(
    database: Database, collection: Collection, first: int | None, last: int | None
) -> list[PublishedSlot]:
    """The published slots with reports of a stretch of time; None is open."""
    with database.reading() as session:
        published = published_slots(session, collection.number)
        reported = set(reported_slots(session, collection.number))
    return [
        slot
        for slot in published
        if slot.slot in reported and (first is None or slot.slot >= first) and (last is None or slot.slot <= last)
    ]


def _write(path: Location, collection: Collection, slot: PublishedSlot, batches: Iterator[ReportBatch]) -> bool:
    """Write a slot's file, whole or not at all; not when there is nothing to write."""
    first = next(batches, None)
    if first is None:
        return False
    if isinstance(path, Path):
        path.parent.mkdir(parents=True, exist_ok=True)
        for left in path.parent.glob(f".*-{path.name}"):  # by a run that was killed
            left.unlink()
    with atomic_write_to(path) as temporary, ReportWriter(temporary, collection.plan, slot.homes) as writer:
        for batch in chain([first], batches):
            writer.write_batch(batch)
    return True


def _stored(session: Session, collection: Collection, slot: int) -> Iterator[ReportBatch]:
    """What the store has of a slot; nothing when it has been scrubbed."""
    for devices, reports in reports_by_device(session, collection.number, slot):
        if reports.payloads.shape[1] != collection.layout.size:
            return
        yield ReportBatch(
            pa.array(names_of(devices)),
            np.full(len(reports), slot, dtype=np.int32),
            np.full(len(reports), PUBLICATION, dtype=np.int8),
            reports.spent,
            reports.drawn,
            reports.payloads,
        )


def _take_out_erased(session: Session, collection: Collection, slot: PublishedSlot, path: Location) -> None:
    """Write a file anew without the homes that are no longer enrolled; nothing is ever added to it."""
    file = ReportFile(collection.plan, path)
    if count_reports(session, collection.number, slot.slot) == file.rows:
        return
    left = sum(int(enrolled.sum()) for _, enrolled in _enrolled(session, collection, file))
    if left < file.rows and not _write(path, collection, slot, _left(session, collection, file)):
        path.unlink()


def _left(session: Session, collection: Collection, file: ReportFile) -> Iterator[ReportBatch]:
    for batch, enrolled in _enrolled(session, collection, file):
        if enrolled.any():
            yield batch.taken(np.flatnonzero(enrolled))


def _enrolled(
    session: Session, collection: Collection, file: ReportFile
) -> Iterator[tuple[ReportBatch, NDArray[np.bool_]]]:
    """The rows of a file, and which of them are of homes that are enrolled."""
    for batch in file.batches(collection.layout.size):
        devices = devices_of(collection.plan, batch.households)
        yield batch, session.find_devices(collection.number, devices).homes >= 0
