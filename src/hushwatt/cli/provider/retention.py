"""`hushwatt provider retention`: what is kept, for how long it may be, and whether the disk will do."""

from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from hushwatt.cli.options import Json
from hushwatt.cli.provider.store_options import USUAL_STORE, StoreOptions, open_existing_store
from hushwatt.cli.terminal import print_json, say, show_bytes

if TYPE_CHECKING:
    from hushwatt.plan.plan import Plan
    from hushwatt.provider.operations.storage import PlanStorage, StorageReport
    from hushwatt.provider.service.config import Config


def retention(*, remove: bool = False, where: StoreOptions = USUAL_STORE, as_json: Json = False) -> None:
    """Check how long reports are kept against `retention`, and what plans need until they end against the disk.

    Exits with 1 when reports are kept too long, payloads are kept that should be gone, or the disk is too small.

    Parameters
    ----------
    remove
        Take the reports out that are kept too long; `export --reports` first keeps them elsewhere. Published
        numbers stay.
    """
    from hushwatt.provider.operations.storage import look_at_storage, remove_reports
    from hushwatt.provider.service.service import schedules_of
    from hushwatt.provider.store.plans import all_plans

    settings = where.settings()
    with closing(open_existing_store(settings)) as database:
        with database.reading() as session:
            schedules = schedules_of(settings, all_plans(session))
        look = (database, schedules, settings.folder, datetime.now(UTC))
        storage = look_at_storage(*look)
        for number, kept in storage.plans.items():
            if remove and kept.too_long(settings.retention_time):
                say(f"removed {remove_reports(database, number):,} reports of plan {schedules[number].plan.id[:12]}")
        storage = look_at_storage(*look)
    findings = [finding(settings, schedules[number].plan, kept) for number, kept in storage.plans.items()]
    (print_json if as_json else _print_lines)({"plans": findings, **_disk(storage)})
    if storage.too_small or any(each["problems"] for each in findings):
        raise SystemExit(1)


def finding(settings: "Config", plan: "Plan", kept: "PlanStorage") -> dict[str, Any]:
    """What is kept of one plan, and what is wrong with it."""
    problems, too_long = [], kept.too_long(settings.retention_time)
    if too_long:
        problems.append(
            f"reports are kept {_days(too_long)} longer than the {settings.retention} that are set: --remove"
        )
    if settings.scrub and kept.payload_slots:
        problems.append(f"{kept.payload_slots:,} published slots have payloads although scrub is on: start the service")
    return {
        "plan": plan.id,
        "name": plan.name,
        "over_days": round(kept.over_for / timedelta(days=1), 1),
        "reports_kept": kept.kept,
        "slots_with_payloads": kept.payload_slots,
        "slots_left": kept.slots_left,
        "problems": problems,
    }


def _disk(storage: "StorageReport") -> dict[str, Any]:
    return {
        "store_bytes": storage.store_bytes,
        "needed_bytes": storage.needed_bytes,
        "free_bytes": storage.disk.free if storage.local else None,
        "too_small": storage.too_small,
    }


def _print_lines(told: dict[str, Any]) -> None:
    for plan in told["plans"]:
        over = plan["over_days"]
        when = f"over for {over:g} days" if over >= 0 else f"runs for {-over:g} days more"
        payloads = f"reports are kept, {plan['slots_with_payloads']:,} published slots with payloads"
        kept = payloads if plan["reports_kept"] else "nothing kept"
        print(f"{plan['plan'][:12]}  {plan['name']}: {when}, {kept}")
        for problem in plan["problems"]:
            print(f"  ✗ {problem}")
    free = "" if told["free_bytes"] is None else f", {show_bytes(told['free_bytes'])} free"
    print(f"store {show_bytes(told['store_bytes'])}, {show_bytes(told['needed_bytes'])} more until the plans end{free}")
    if told["too_small"]:
        print("  ✗ the disk is too small: make room, archive and scrub, or move to PostgreSQL")


def _days(time: timedelta) -> str:
    """A length of time in days.

    >>> _days(timedelta(hours=36))
    '1.5 days'
    """
    return f"{time / timedelta(days=1):.1f} days"
