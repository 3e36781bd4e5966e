"""`hushwatt provider ingest --watch`: files are taken in as they land."""

import signal
import threading
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from hushwatt.cli.provider.store_options import StoreOptions
from hushwatt.cli.terminal import say
from hushwatt.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from hushwatt.provider.intake.file_labels import FileLabels
    from hushwatt.provider.service.watch import Round
    from hushwatt.provider.store.session import Database

MIN_SECONDS = 0.05  # between two looks


def watch_place(
    place: Path,
    every: float,
    homes: int | None,
    labels: "FileLabels | None",
    plan: str | None,
    where: StoreOptions,
    as_json: bool,
) -> None:
    """Take files in as they land, until a signal says stop; a line for each file."""
    from hushwatt.cli.provider.import_export import open_collection
    from hushwatt.provider.clock import SystemUtcClock
    from hushwatt.provider.intake.ingest import Ingest
    from hushwatt.provider.service.watch import Watch, watch
    from hushwatt.wire.storage import location

    if not every >= MIN_SECONDS:
        raise UsageError(f"--every is {every}; it must be at least {MIN_SECONDS} seconds")
    folder = location(place)
    if not folder.is_dir() and isinstance(folder, Path):
        raise UsageError(f"{folder}: there is no such folder")
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    settings = where.settings()
    database, collection, schedule = open_collection(settings, plan)
    with closing(database):
        clock = SystemUtcClock()
        run = Ingest(database, collection, schedule, clock, homes, labels)
        files = Watch(folder, run, database, collection, schedule, clock, stop.is_set)
        say(f"watching {folder}; stop with Ctrl-C")
        for done in watch(files.look, lambda: stop.wait(every), stop.is_set):
            _print(done, as_json)
            if done.published:
                pack_published(database, collection.number, settings.scrub, stop.is_set)
    say("stopped; what was taken in stays")


def pack_published(database: "Database", plan: int, scrub: bool, stopped: "Callable[[], bool]") -> None:
    """Pack what is published, and scrub it where that is set; while the store is busy, that waits."""
    from hushwatt.cli.provider.erase import overwrite_erased
    from hushwatt.provider.store.reports.compaction import compact
    from hushwatt.provider.store.session import StoreUnavailable

    try:
        compact(database, plan, scrub, stopped)
    except StoreUnavailable as busy:
        say(f"{busy}; what is published is packed with the slots that come next")
    if scrub:
        overwrite_erased(database)


def _print(done: "Round", as_json: bool) -> None:
    import json

    for name, taken in done.taken:
        if as_json:
            print(json.dumps({"file": name} | taken.document()), flush=True)
        else:
            counts = f"{taken.accepted:,} accepted, {taken.repeated:,} repeated, {taken.late:,} late"
            print(f"{name}: {counts}, {taken.rejected.total():,} rejected", flush=True)
    for line in done.aside:
        say(line)
    if done.published:
        say(f"published {len(done.published):,} slots, {done.published[0]} to {done.published[-1]}")
