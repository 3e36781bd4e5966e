"""`hushwatt provider ingest` and `export`: reports in bulk, into the store and out of it."""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from hushwatt.cli.estimate import Above, CustomersOption, Using
from hushwatt.cli.options import Json, Place
from hushwatt.cli.provider.store_options import USUAL_STORE, PlanName, StoreOptions, open_existing_store, plan_number
from hushwatt.cli.terminal import print_json, say
from hushwatt.errors import HushwattError, UsageError

if TYPE_CHECKING:
    from hushwatt.plan.plan import Plan
    from hushwatt.provider.intake.collect import Collection
    from hushwatt.provider.intake.ingest import IngestResult
    from hushwatt.provider.schedule import SlotSchedule
    from hushwatt.provider.service.config import Config
    from hushwatt.provider.store.session import Database
    from hushwatt.wire.reports.refused_files import RefusedFile
    from hushwatt.wire.reports.rejected import RejectedWriter


def ingest(
    *files: Place,
    homes: int | None = None,
    rejected: Place | None = None,
    watch: Place | None = None,
    every: float = 10.0,
    labels: Path | None = None,
    plan: PlanName = None,
    where: StoreOptions = USUAL_STORE,
    as_json: Json = False,
) -> None:
    """Take FILES of reports (Parquet, or folders of them) into the store; each report counts once.

    The checks and the answers are those of uploads. A run that was stopped, even by a power cut, goes on
    where it was. It may run beside the service. With a plan's file for --plan, a store is made if there is
    none.

    Parameters
    ----------
    files
        Files of reports, or folders of them, all of one plan; or their addresses, as s3://bucket/folder.
    homes
        How many homes take part, instead of what the files say.
    rejected
        A new file (.parquet, .csv) for the reports that are refused or late, with the file, row and reason of each.
        Once mended, it can be taken in like any other; give --homes with it. With it, a damaged file is left out as
        a whole, told, and kept there by its name; the others go on.
    watch
        A folder or an address: take files in as they land there, and publish slots on time, until Ctrl-C or SIGTERM.
    every
        How many seconds lie between two looks at it.
    labels
        A table of what you know of homes anyway (CSV or Parquet): a column household, and one for each label. New
        homes get theirs from it; a home keeps those that it came with.
    """
    from hushwatt.cli.progress import progress
    from hushwatt.provider.clock import SystemUtcClock
    from hushwatt.provider.intake.delivery import open_deliveries
    from hushwatt.provider.intake.file_labels import FileLabels
    from hushwatt.provider.intake.ingest import Ingest

    check_homes(homes)
    known = None if labels is None else FileLabels.read(labels)
    if watch is not None:
        from hushwatt.cli.provider.watch import watch_place

        if files or rejected is not None:
            raise UsageError("--watch stands alone: without files, and without --rejected")
        watch_place(watch, every, homes, known, plan, where, as_json)
        return
    database, collection, schedule = open_collection(where.settings(), plan)
    with closing(database):
        refused: list[RefusedFile] = []
        opened = open_deliveries(collection.plan, files, None if rejected is None else refused)
        began, total = time.perf_counter(), sum(file.reports.rows for file in opened)
        declared = max(file.reports.homes for file in opened) if homes is None else homes
        with (
            kept_rejected(rejected, collection.plan, declared) as writer,
            progress("taking reports in", total) as advance,
        ):
            if writer is not None:
                for file in refused:
                    writer.write_file(file)
            clock = SystemUtcClock()
            ingested = Ingest(database, collection, schedule, clock, homes, known, writer).take(opened, advance)
    ingested.refused_files[:0] = refused
    for file in ingested.refused_files:
        say(str(file))
    _print_summary(collection, ingested, time.perf_counter() - began, as_json)
    if writer is not None:
        say(f"wrote {_kept(writer)} to {rejected}")


@contextmanager
def kept_rejected(where: Path | None, plan: "Plan", homes: int) -> "Iterator[RejectedWriter | None]":
    """A file for what is refused; what the store has gone past is written also when the run ends early."""
    from hushwatt.wire.reports.rejected import rejected_file

    if where is None:
        yield None
        return
    if where.exists():
        raise UsageError(f"{where} is there already: move it, or name another file for what is refused now")
    stopped: BaseException | None = None
    with rejected_file(where, plan, homes) as writer:
        try:
            yield writer
        except (HushwattError, KeyboardInterrupt) as problem:
            stopped = problem
    if stopped is not None:
        say(f"wrote {_kept(writer)} to {where}")
        raise stopped


def _kept(writer: "RejectedWriter") -> str:
    files = f" and {writer.files:,} damaged files" if writer.files else ""
    return f"{writer.rows:,} refused or late reports{files}"


def export(
    output: Place,
    /,
    *,
    reports: bool = False,
    drop: bool = False,
    plan: PlanName = None,
    start: Annotated[str | None, Parameter(name="--from")] = None,
    end: Annotated[str | None, Parameter(name="--to")] = None,
    consistency: Literal["norm-sub", "none"] = "norm-sub",
    smooth: bool = False,
    by: Annotated[
        str | None, Parameter(help="Answer every kind of home by itself too: one label or several, as tariff,region.")
    ] = None,
    customers: CustomersOption = None,
    above: Above = None,
    using: Using = False,
    where: StoreOptions = USUAL_STORE,
) -> None:
    """Write the estimates of all published slots to OUTPUT, or with --reports the reports themselves.

    Estimates go to a file that ends in .csv, .parquet or .json. Reports go to a folder, a Parquet file for
    each slot; slots that are there already are left, and homes erased since are taken out. Where files alone
    feed a collection, slots that are over are published first.

    Parameters
    ----------
    output
        The file to write, which is replaced; or the folder for reports.
    reports
        Write an archive of reports instead of estimates.
    drop
        With --reports: take out of the store what is in the archive, slot by slot, once the file is complete.
        Published numbers stay; keep the archive, and export into it again after a home was erased.
    start
        The first slot, by a date or time in it; local to the plan unless it has an offset.
    end
        The last slot, likewise; a date includes the whole day.
    consistency
        Whether histograms are shown without negative counts (norm-sub), or as estimated (none). Averages over
        slots are to be taken of homes_unbiased, or with none.
    smooth
        Let every slot learn from the slots before it, its season too.
    """
    from hushwatt.cli.estimate_tables import AVERAGING
    from hushwatt.provider.estimate.export import export as write
    from hushwatt.provider.estimate.homes_above.threshold import thresholds
    from hushwatt.provider.estimate.times.time_range import parse_time_range
    from hushwatt.provider.estimate.totals.customers import Customers
    from hushwatt.provider.service.collection_reader import NO_QUESTIONS, BoardQuestions
    from hushwatt.provider.service.service import open_reader
    from hushwatt.provider.store.reports.compaction import compact

    if by is not None and reports:
        raise UsageError("--by is for estimates; reports carry no labels")
    asked = BoardQuestions(None if customers is None else Customers.parse(customers), thresholds(above or (), using))
    if asked != NO_QUESTIONS and (reports or output.suffix.lower() != ".json"):
        raise UsageError("--customers, --above and --using are for estimates in a file that ends in .json")
    if drop and not reports:
        raise UsageError("--drop goes with --reports: only what is in an archive can be dropped")
    settings = where.settings()
    database = open_existing_store(settings)
    read = open_reader(settings, database)
    with database.reading() as session:
        agreed = read.plan_of(plan_number(session, plan))
    collection = read.collections[agreed.id]
    first, last = parse_time_range(agreed, start, end)
    _publish(database, collection, read.schedule(agreed))
    compact(database, collection.number, scrub=False)
    if reports:
        _archive(database, collection, output, first, last, drop)
    else:
        labels = [each.strip() for each in by.split(",")] if by is not None else ()
        write(read.estimates(agreed, first, last, consistency, smooth, by=labels, board=asked), output)
        say(f"wrote {output}")
        if consistency != "none":
            say(AVERAGING)
    database.close()


def check_homes(homes: int | None) -> None:
    from hushwatt.wire.reports.report_file import MAX_HOMES

    if homes is not None and not 0 <= homes <= MAX_HOMES:
        raise UsageError(f"--homes must be between 0 and {MAX_HOMES:,}")


def open_collection(settings: "Config", word: str | None) -> "tuple[Database, Collection, SlotSchedule]":
    """The store, the plan that is meant, and when its slots open and close."""
    from hushwatt.provider.intake.collect import Collection
    from hushwatt.provider.service.folder import make_folder
    from hushwatt.provider.service.service import load_plans, schedules_of
    from hushwatt.provider.store import open_store
    from hushwatt.provider.store.plans import add_plan, all_plans

    if word and Path(word).is_file():
        (given,) = load_plans([word])
        if not settings.store:
            make_folder(settings.folder)
        database = open_store(settings.store_address, settings.migrates_by_hand)
        with database.writing() as session:
            number = add_plan(session, given)
            plans = all_plans(session)
    else:
        database = open_existing_store(settings)
        with database.reading() as session:
            number, plans = plan_number(session, word), all_plans(session)
    return database, Collection(number, plans[number]), schedules_of(settings, plans)[number]


def _publish(database: "Database", collection: "Collection", schedule: "SlotSchedule") -> None:
    from hushwatt.provider.clock import SystemUtcClock
    from hushwatt.provider.service.publish_files import count_unpublished, publish_file_slots

    clock = SystemUtcClock()
    slots = publish_file_slots(database, collection.number, schedule, clock)
    if slots:
        which = f"{len(slots):,} slots, {slots[0]} to {slots[-1]}"
        say(f"published {which}: whatever comes for them from now on is late")
    elif count := count_unpublished(database, collection.number, schedule, clock):
        say(f"left out {count:,} closed slots: {_why_unpublished(schedule.plan)}")


def _why_unpublished(plan: "Plan") -> str:
    from hushwatt.plan.periods import how_often

    if plan.publish == 1:
        return "the service of these homes has not published them yet"
    return f"results are published {how_often(plan.publish, plan.slot)}, and theirs are not yet"


def _archive(
    database: "Database", collection: "Collection", folder: Path, first: int | None, last: int | None, drop: bool
) -> None:
    from hushwatt.cli.progress import progress
    from hushwatt.provider.intake.archive import archive, slots_between

    total = len(slots_between(database, collection, first, last))
    with progress("writing slots", total) as advance:
        done = archive(database, collection, folder, first, last, advance, drop)
    say(f"wrote {len(done.written):,} slots to {folder}; {len(done.kept):,} were there")
    if drop:
        say(f"dropped {done.dropped:,} reports from the store")
    if done.gone:
        say(f"{len(done.gone):,} slots could not be written: the store no longer has their payloads")


def _print_summary(collection: "Collection", ingested: "IngestResult", seconds: float, as_json: bool) -> None:
    rate = ingested.rows / seconds
    if as_json:
        document = {"plan": collection.plan.id} | ingested.document()
        print_json(document | {"seconds": round(seconds, 3), "reports_per_second": round(rate)})
        return
    print(f"accepted  {ingested.accepted:,}")
    print(f"repeated  {ingested.repeated:,} that were in the store, or in the files more than once")
    print(f"late      {ingested.late:,} of slots that were published before")
    print(
        f"rejected  {ingested.rejected.total():,}" + "".join(f", {n:,} {why}" for why, n in ingested.rejected.items())
    )
    print(f"known     {ingested.known:,} from earlier runs")
    print(f"homes     {ingested.homes:,} new")
    print(f"took      {seconds:,.1f} s, {rate:,.0f} reports a second")
