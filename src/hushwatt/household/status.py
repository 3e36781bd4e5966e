"""How a home stands: plans, budgets, reports, silences.  Everything here may be shown to its owner."""

from dataclasses import dataclass
from math import ceil
from typing import Any

from hushwatt.household.ledger.caps import NO_LIMITS, UNLIMITED, Caps
from hushwatt.household.ledger.home_ledger import HomeLedger
from hushwatt.household.ledger.monotonic_clock import MonotonicClock
from hushwatt.household.ledger.objections import objections
from hushwatt.household.ledger.plan_ledger import spends_before_window
from hushwatt.household.ledger.store import DEFAULTS, Store
from hushwatt.household.next_report import next_report_slot
from hushwatt.household.successor import notes as successor_notes
from hushwatt.household.upload.home_labels import kept_labels
from hushwatt.plan.amounts import plain
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import nanoseconds
from hushwatt.wire.labels import NO_LABELS, Labels

CLOCK_REASON = "the clock was moved or the machine was off, and a window is not shown to have passed since"


@dataclass(frozen=True)
class BudgetMeter:
    """A budget over an interval: amounts in millionths of ε.

    Slots that nobody knows about count as the most they could have cost, which may be more than
    the cap.  No more than the cap was ever sent, so no more is shown.
    """

    words: str
    counted: int
    cap: int  # 0: none
    when: str = ""  # in which interval, where the words do not say it

    @property
    def spent(self) -> int:
        return min(self.counted, self.cap) if self.cap else self.counted

    @property
    def left(self) -> int:
        return max(0, self.cap - self.spent)


@dataclass(frozen=True)
class PlanStatus:
    """One plan as its home sees it."""

    plan: Plan
    address: str
    state: str  # taking part, paused, retired, left, not enrolled, over
    next_slot: int
    window_spent: int  # in the last w slots, the current one included; never more than its ε
    window_why: str  # why some of that counts that was not sent, or not in these slots; else empty
    spent: int  # ever, under this plan
    reports: int
    waiting: int
    sent: int  # what the provider has answered, whatever it said; nothing that was withheld
    last_report: int | None  # slot
    last_report_at: int | None  # when that slot ended, in nanoseconds since 1970
    next_report_at: int | None  # when the next slot ends in which the home speaks, if nothing happens
    silences: tuple[tuple[int, int, str], ...]  # the latest, first slot, last slot, why
    successors: tuple[str, ...] = ()  # moved on, moved here, or only offered, a sentence each
    retired: str | None = None  # that and why, in a sentence
    agreed_before: bool = False  # joined before there were caps on a lifetime
    labels: Labels = NO_LABELS  # under which its provider files this home


def meters(store: Store, caps: Caps, now: int) -> list[BudgetMeter]:
    """What the home spent in the last day, the last year, and ever, over all plans."""
    held, home_ledger = caps_in_force(store, caps), HomeLedger(store, caps)
    intervals = [
        BudgetMeter(limit.words, home_ledger.spent_since(now - limit.length, limit.length), _shown(limit.amount))
        for limit in held.limits
    ]
    return [*intervals, BudgetMeter("lifetime", home_ledger.lifetime, _shown(held.epsilon_lifetime))]


def appliance_meters(store: Store, caps: Caps, now: int) -> list[BudgetMeter]:
    """What the home spent on the appliance it spent most on, in each stretch of the caps on one, and ever."""
    held, home_ledger = caps_in_force(store, caps), HomeLedger(store, caps)
    found = []
    for name, limit in zip(
        ("appliance", "appliance_year"), held.appliance_limits(home_ledger.appliances.cap_interval(now)), strict=True
    ):
        spent = home_ledger.appliances.spent_since(now - limit.length, limit.length)
        found.append(BudgetMeter(name, ceil(max(spent.values(), default=0)), _shown(limit.amount), limit.when))
    counted = ceil(max(home_ledger.totals.spent.appliances.values(), default=0))
    last = BudgetMeter("appliance_lifetime", counted, _shown(held.appliance_epsilon_lifetime), "in the lifetime")
    return [*found, last]


def caps_in_force(store: Store, caps: Caps) -> Caps:
    """The caps that bind the home's plans; some may have been joined when others were the default."""
    query = "SELECT 1 FROM plans WHERE left IS NULL AND device IS NOT NULL AND defaults < ? LIMIT 1"
    return caps.as_agreed_before() if store.value(query, (DEFAULTS,)) else caps


def _shown(amount: int) -> int:
    return 0 if amount >= UNLIMITED else amount


def cap_objections(caps: Caps, every: list[PlanStatus]) -> dict[str, list[str]]:
    """What each plan that the home takes part in asks beyond the caps that bind it now, by its id."""
    here = [each for each in every if each.state in ("taking part", "paused")]
    found = {}
    for each in here:
        binding = caps.as_agreed_before() if each.agreed_before else caps
        others = [other.plan for other in here if other is not each]
        found[each.plan.id] = [line.words for line in objections(binding, each.plan, others)]
    return found


def plan_statuses(store: Store, now: int, caps: Caps = NO_LIMITS) -> list[PlanStatus]:
    """Every plan that this home ever joined; the next report heeds the owner's `caps`, where they are given."""
    return [_status(store, row, now, caps) for row in store.rows("SELECT * FROM plans ORDER BY place")]


def _status(store: Store, row: dict[str, Any], now: int, caps: Caps) -> PlanStatus:
    plan, plan_key = Plan.parse(row["canonical"]), row["place"]
    current = min(int(plan.calendar.slot_of([now])[0]), plan.calendar.slots)

    def number(query: str, *values: object) -> int:
        return int(store.value(query, (plan_key, *values)) or 0)

    counted, why = _window(store, plan, plan_key, current)
    silences = store.rows("SELECT * FROM silences WHERE place = ? ORDER BY first DESC LIMIT 5", (plan_key,))
    state = _state(row, current >= plan.calendar.slots)
    last = store.value("SELECT max(slot) FROM reports WHERE place = ?", (plan_key,))
    following = next_report_slot(store, caps, plan, row, now) if state == "taking part" else None
    return PlanStatus(
        plan=plan,
        address=row["address"],
        state=state,
        next_slot=row["slot"],
        window_spent=min(counted, plan.epsilon),
        window_why=why,
        spent=number("SELECT sum(amount) FROM spends WHERE place = ?"),
        reports=number("SELECT count(*) FROM reports WHERE place = ?"),
        waiting=number("SELECT count(*) FROM reports WHERE place = ? AND due IS NOT NULL"),
        sent=number("SELECT count(*) FROM reports WHERE place = ? AND due IS NULL AND answer != 'withheld'"),
        last_report=last,
        last_report_at=_end_of(plan, last),
        next_report_at=_end_of(plan, following),
        silences=tuple((each["first"], each["last"], each["reason"]) for each in silences),
        successors=successor_notes(store, plan.id),
        retired=row["retired"],
        agreed_before=row["defaults"] < DEFAULTS,
        labels=kept_labels(store, plan.id),
    )


def _end_of(plan: Plan, slot: int | None) -> int | None:
    return None if slot is None else nanoseconds(plan.calendar.end_of(slot))


def _window(store: Store, plan: Plan, plan_key: int, slot: int) -> tuple[int, str]:
    """What counts in the window that ends with a slot, and why, where the slots do not show it."""
    first = slot - plan.window + 1
    moved, values = spends_before_window(plan, MonotonicClock(store), slot)
    row = store.rows(
        "SELECT coalesce(sum(amount), 0) AS counted, coalesce(sum(amount * (slot < ?)), 0) AS earlier, "
        "coalesce(sum(amount * (purpose = 'lost')), 0) AS lost, "
        "max(CASE WHEN purpose = 'lost' THEN slot END) AS last "
        f"FROM spends WHERE place = ? AND (slot >= ? OR {moved})",
        (first, plan_key, first, *values),
    )[0]
    why = store.value(
        "SELECT reason FROM silences WHERE place = ? AND first <= ? ORDER BY first DESC LIMIT 1",
        (plan_key, row["last"]),
    )
    reasons = {"lost": f"counted as spent: {why or 'nobody knows'}", "earlier": f"from earlier slots: {CLOCK_REASON}"}
    told = [f"ε {plain(min(row[kind], plan.epsilon))} of it {words}" for kind, words in reasons.items() if row[kind]]
    return row["counted"], "; ".join(told)


def _state(row: dict[str, Any], over: bool) -> str:
    if row["left"] is not None:
        return "left"
    if row["device"] is None:
        return "not enrolled"
    if row["retired"] is not None:
        return "retired"
    if over:
        return "over"
    return "paused" if row["paused"] is not None else "taking part"


def sent_reports(store: Store, last: int | None = None) -> list[dict[str, Any]]:
    """Everything that ever left this home or waits to leave, by when its slot `ended`, with its bytes."""
    found = []
    for row in store.rows("SELECT place, plan, canonical FROM plans"):
        plan = Plan.parse(row["canonical"])
        rows = store.rows(
            "SELECT slot, spent, drawn, payload, due, tries, answer FROM reports WHERE place = ? "
            "ORDER BY slot DESC LIMIT ?",
            (row["place"], -1 if last is None else last),
        )
        known = {"plan": plan.id, "timezone": plan.timezone, "labels": kept_labels(store, plan.id).document()}
        found += [({**known, **each, "ended": _end_of(plan, each["slot"])}, row["place"]) for each in rows]
    found.sort(key=lambda each: (each[0]["ended"], each[1]))
    first = 0 if last is None else max(0, len(found) - last)
    return [each for each, _ in found[first:]]
