"""What must hold between the values of a plan, wherever they came from."""

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hushwatt.errors import PlanError
from hushwatt.plan.amounts import plain
from hushwatt.plan.appliance import check_name
from hushwatt.plan.choices import DECISIONS, MAPPINGS, METHODS, ORACLES, UNMEASURED
from hushwatt.plan.shown import shown
from hushwatt.plan.times import show_instant

if TYPE_CHECKING:
    from hushwatt.plan.plan import Plan

LONGEST_TEXT = 10_000  # characters
MOST_SLOTS = 2**31 - 1  # a report's slot is a 32-bit number
MOST_APPLIANCES = 1_000
MOST_LEVELS = 10_000  # of one appliance; levels and places of appliances are kept as 16-bit numbers
MOST_CELLS = 16_384  # levels of all appliances: 2 KiB a report, where every level has its bit
EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = datetime(2262, 1, 1, tzinfo=UTC)  # moments are 64-bit nanoseconds
END_OF_DATES = datetime(9999, 12, 31, tzinfo=UTC)
PLAN_ID = re.compile(r"[0-9a-f]{64}")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def check(plan: "Plan") -> None:
    """Refuse a plan that could not be carried out as it stands."""
    _check_words(plan)
    _check_times(plan)
    _check_numbers(plan)
    _check_appliances(plan)
    _check_mechanism(plan)
    _check_decision(plan)


def _check_words(plan: "Plan") -> None:
    check_name(plan.name, "name")
    for key in ("description", "contact"):
        text: str = getattr(plan, key)
        if not text.strip():
            raise PlanError(f"{key} is empty; people who are asked to take part will read it")
        if len(text) > LONGEST_TEXT:
            raise PlanError(f"{key} has {len(text)} characters; at most {LONGEST_TEXT} are allowed")
        if CONTROL.search(text):
            raise PlanError(f"{key} holds control characters; it must be plain text")
    if plan.replaces is not None and not PLAN_ID.fullmatch(plan.replaces):
        raise PlanError(f"replaces is {shown(plan.replaces)}; it must be the id of a plan, 64 digits of 0-9 and a-f")


def _check_numbers(plan: "Plan") -> None:
    _check_between("window", plan.window, 1, MOST_SLOTS)
    _check_between("publish", plan.publish, 1, MOST_SLOTS)
    _check_between("minimum_homes", plan.minimum_homes, 1, 2**31 - 1)


def check_dates(start: datetime, expires: datetime) -> None:
    """Refuse dates between which slots could not be counted."""
    if expires <= start:
        raise PlanError(f"expires is {show_instant(expires)}; it must be after start, which is {show_instant(start)}")
    if not EARLIEST <= start < LATEST:
        raise PlanError(f"start is {show_instant(start)}; it must lie between 1970 and 2262")
    if expires > END_OF_DATES:
        raise PlanError(f"expires is {show_instant(expires)}; it must be at most 9999-12-31")


def _check_times(plan: "Plan") -> None:
    check_dates(plan.start, plan.expires)
    if plan.calendar.slots > MOST_SLOTS:
        raise PlanError(
            f"{plan.calendar.slots:,} slots of {plan.slot} lie between start and expires; "
            f"at most {MOST_SLOTS:,} are allowed: bring expires forward, or lengthen slot"
        )


def _check_appliances(plan: "Plan") -> None:
    names = [each.name for each in plan.appliances]
    if not names:
        raise PlanError("has no appliance; write at least one [[appliance]]")
    if len(names) > MOST_APPLIANCES:
        raise PlanError(f"has {len(names):,} appliances; at most {MOST_APPLIANCES:,} are allowed")
    _check_levels(plan)
    for place, name in enumerate(names):
        if name in names[:place]:
            raise PlanError(f"two appliances are called {shown(name)}; each name must be unique")
    _check_between("appliances_per_report", plan.appliances_per_report, 1, len(names), " (all appliances)")
    for each in plan.appliances:
        if plan.mapping == "range" and each.edges is None:
            raise PlanError(f"{each.name}: has no edges, which mapping = 'range' needs")


def _check_levels(plan: "Plan") -> None:
    for each in plan.appliances:
        if each.levels > MOST_LEVELS:
            raise PlanError(f"{each.name}: has {each.levels:,} levels; at most {MOST_LEVELS:,} are allowed")
    if plan.width > MOST_CELLS:
        raise PlanError(
            f"its {len(plan.appliances):,} appliances have {plan.width:,} levels together; "
            f"at most {MOST_CELLS:,} are allowed: give them fewer edges"
        )


def _check_mechanism(plan: "Plan") -> None:
    for key, options in (("method", METHODS), ("oracle", ORACLES), ("mapping", MAPPINGS), ("unmeasured", UNMEASURED)):
        if getattr(plan, key) not in options:
            raise PlanError(f"{key} is {shown(getattr(plan, key))}; it must be one of {', '.join(options)}")
    parts = METHODS[plan.method].shares(plan.window)
    if plan.epsilon < parts:
        raise PlanError(
            f"epsilon is {plain(plan.epsilon)}; with window = {plan.window}, {plan.method} divides it "
            f"by {parts}, which leaves less than 0.000001 for a slot: "
            f"raise epsilon to at least {plain(parts)}, or lower window"
        )


def _check_decision(plan: "Plan") -> None:
    usual = METHODS[plan.method].decided_by
    if usual is None:
        if plan.decision is not None:
            raise PlanError(f"decision is {shown(plan.decision)}, but {plan.method} decides nothing; remove it")
        return
    if plan.decision not in DECISIONS:
        raise PlanError(f"decision is {shown(plan.decision)}; it must be one of {', '.join(DECISIONS)}")
    if plan.decision == "household":
        _check_household(plan, usual)


def _check_household(plan: "Plan", usual: str) -> None:
    if usual == "provider":
        raise PlanError(
            f"decision is 'household', but with {plan.method} only the provider can decide; "
            f"set decision = 'provider', or choose lbd or lba"
        )
    count = len(plan.appliances)
    if plan.appliances_per_report < count:
        raise PlanError(
            f"appliances_per_report is {plan.appliances_per_report}, but with {plan.method} "
            f"the household decides by looking at all {count} appliances; "
            f"set appliances_per_report = {count}, or decision = 'provider', or choose lbu, lsp or lpu"
        )


def _check_between(key: str, value: int, low: int, high: int, why: str = "") -> None:
    if not low <= value <= high:
        raise PlanError(f"{key} is {shown(value)}; it must be at least {low} and at most {high:,}{why}")
