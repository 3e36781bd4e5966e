"""`hushwatt provider compact`: pack what is published, now and not when a service comes to it."""

from contextlib import closing
from typing import Any

from hushwatt.cli.options import Json
from hushwatt.cli.provider.store_options import USUAL_STORE, PlanName, StoreOptions, open_existing_store, plan_number
from hushwatt.cli.terminal import print_json, show_bytes


def compact(*, plan: PlanName = None, where: StoreOptions = USUAL_STORE, as_json: Json = False) -> None:
    """Pack the reports of published slots into a fifth of the space; answers, archives and erasure stay as they are.

    A service does so by itself after every slot, and so do --watch and `export`; this is for stores of before, and for
    collections of files. With `scrub` the payloads go as well. It may run beside a service, and be stopped and go on
    later. PostgreSQL gives the space back to the disk, SQLite to the reports that are to come.

    Parameters
    ----------
    plan
        The plan's id, or the first letters of it; needed when the store has several.
    """
    from hushwatt.cli.provider.erase import overwrite_erased
    from hushwatt.provider.store.reports.compaction import compact as pack

    settings = where.settings()
    with closing(open_existing_store(settings)) as database:
        with database.reading() as session:
            number = plan_number(session, plan)
        before = database.size()
        done = pack(database, number, settings.scrub)
        if settings.scrub:
            overwrite_erased(database)
        found = {"slots": len(done.slots), "reports": done.reports, "draws_forgotten": done.draws}
        _print(found | {"bytes_before": before, "bytes": database.size()}, as_json)


def _print(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    print(f"packed  {found['reports']:,} reports of {found['slots']:,} published slots")
    print(f"store   {show_bytes(found['bytes_before'])} before, {show_bytes(found['bytes'])} now")
