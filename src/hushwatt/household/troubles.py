"""What is wrong at home, in one list for every door: the page, `household status`, MQTT, Home Assistant.

Each trouble says what is so since when, and what to do about it.  It is worked out from the ledger, the owner's
caps and the note on the sources' health, and holds no reading.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.leave import left_without_erasure
from hushwatt.household.ledger.caps import Caps
from hushwatt.household.ledger.store import Store
from hushwatt.household.next_report import is_behind
from hushwatt.household.sources.guess import near_miss
from hushwatt.household.status import PlanStatus, cap_objections, plan_statuses
from hushwatt.household.upload.delivery_note import IMPOSTOR, UNREACHABLE, read_note
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import nanoseconds, zoned_time
from hushwatt.sanitise import quoted, sanitised

Health = Sequence[Mapping[str, Any]]
"""The note on the sources that the agent leaves: `HomeFolder.health`."""

MAX_NAMES = 4  # appliances that are named one by one
MIN_FREE_BYTES = 1 << 20  # on the ledger's disk; with less, nothing can be written down
AT_THE_START = ("paused", "the agent was not running")  # silences that end by themselves with the next slot
REFUSALS = {
    "too_early": "this machine's clock is ahead of the provider's: see that it is kept right",
    "too_late": "reports came after the provider had closed their slots: see whether this machine was off for long",
    "not_enrolled": "the provider does not know this home any more: leave, and join again",
    "plan_over": "the plan is over at the provider: nothing is to be done",
}


@dataclass(frozen=True)
class Trouble:
    """What is wrong, and what to do about it; nothing in it is a reading."""

    key: str  # the same for as long as it is the same trouble
    words: str
    remedy: str
    plan: str | None = None  # the id of the plan that it is about


def troubles(
    store: Store, caps: Caps, health: Health, now: int, known: list[PlanStatus] | None = None
) -> list[Trouble]:
    """All that the owner should know of, the most urgent first; empty when all is well.

    Whoever has looked at the plans already, at this very time, hands in what is `known` of them.
    """
    every = plan_statuses(store, now, caps) if known is None else known
    found = [*_ledger_troubles(store), *_plans_troubles(store, caps, every, now), *_not_erased(store)]
    here = [each for each in every if each.state == "taking part"]
    if here and not all(is_behind(each.plan, each.next_slot, now) for each in here):
        found += _source_troubles(here[0].plan.timezone, health, HomeFolder(store.path.parent))
        found += [*_unmeasured(here, health), *_unknown(here, health)]
    return found


def not_running(store: Store) -> Trouble:
    """What whoever asks from outside is told where no agent runs on the ledger."""
    command = HomeFolder(store.path.parent).command("run")
    return Trouble(
        "agent", "the agent is not running: nothing is measured, and nothing is sent", f"start it: `{command}`"
    )


def _plans_troubles(store: Store, caps: Caps, every: list[PlanStatus], now: int) -> Iterator[Trouble]:
    beyond = cap_objections(caps, every)
    for each in every:
        if each.state == "retired" and each.retired:
            remedy = "to go on, raise that cap and join again; to have everything erased, leave"
            yield Trouble(f"retired {each.plan.id}", each.retired, remedy, each.plan.id)
        if each.state == "taking part":
            yield from _delivery(store, each.plan)
            yield from _silence(each, now, HomeFolder(store.path.parent))
            yield from _caps(each.plan, beyond[each.plan.id])


def _delivery(store: Store, plan: Plan) -> Iterator[Trouble]:
    note = read_note(store, store.value("SELECT place FROM plans WHERE plan = ?", (plan.id,)))
    if note is None:
        return
    since, name = zoned_time(note.since, plan.timezone), quoted(plan.name, 60)
    if note.kind == UNREACHABLE:
        remedy = "reports wait here and are sent as they are once it answers; see whether this home is online"
        yield Trouble(f"unreachable {plan.id}", f"{name}: out of reach since {since}: {note.words}", remedy, plan.id)
    elif note.kind == IMPOSTOR:
        remedy = "nothing is sent to it; ask the provider whether its server or its key has changed"
        yield Trouble(f"impostor {plan.id}", f"{name}: since {since}: {note.words}", remedy, plan.id)
    else:
        remedy = next((text for key, text in REFUSALS.items() if key in note.words), "ask the provider why")
        words = f"{name}: the provider refuses reports since {since}: {note.words}"
        yield Trouble(f"refused {plan.id}", words, remedy, plan.id)


def _silence(each: PlanStatus, now: int, folder: HomeFolder) -> Iterator[Trouble]:
    """Slots that go by without a report, and why."""
    plan, name = each.plan, quoted(each.plan.name, 60)
    current = int(plan.calendar.slot_of([now])[0])
    first, last, why = next(iter(each.silences), (0, -1, ""))
    ended = max(last, -1 if each.last_report is None else each.last_report)
    if is_behind(plan, each.next_slot, now):
        since = zoned_time(nanoseconds(plan.calendar.start_of(each.next_slot)), plan.timezone)
        words = f"{name}: silent since {since}: the agent is not running, or cannot write"
        yield Trouble(f"silent {plan.id}", words, f"start it with `{folder.command('run')}`", plan.id)
    elif 0 <= current < ended:
        until = zoned_time(nanoseconds(plan.calendar.start_of(each.next_slot)), plan.timezone)
        words = f"{name}: the clock was set back; silent until {until}"
        yield Trouble(f"clock {plan.id}", words, "see that this machine's clock is kept right", plan.id)
    elif last >= each.next_slot - 1 and last > first and why not in AT_THE_START:
        since = zoned_time(nanoseconds(plan.calendar.start_of(first)), plan.timezone)
        yield Trouble(f"silent {plan.id}", f"{name}: silent since {since}: {why}", _speaks_again(each), plan.id)


def _speaks_again(each: PlanStatus) -> str:
    if each.next_report_at is None:
        return "see your caps, and whether this machine's clock is right"
    return f"it speaks again by itself, next at {zoned_time(each.next_report_at, each.plan.timezone)}"


def _caps(plan: Plan, beyond: list[str]) -> Iterator[Trouble]:
    if beyond:
        words = f"{quoted(plan.name, 60)} is held back by your caps: {'; '.join(beyond)}"
        yield Trouble(f"caps {plan.id}", words, "raise these caps, or leave the plan", plan.id)


def _not_erased(store: Store) -> Iterator[Trouble]:
    """Plans that were left while their provider was out of reach."""
    for plan in left_without_erasure(store):
        again = HomeFolder(store.path.parent).command(f"leave --plan {plan.id[:12]}")
        words = f"{quoted(plan.name, 60)} was left, and its provider has not yet erased this home's reports"
        yield Trouble(f"not_erased {plan.id}", words, f"ask again with `{again}`", plan.id)


def _source_troubles(timezone: str, health: Health, folder: HomeFolder) -> Iterator[Trouble]:
    """Sources that are silent, or send what cannot be read."""
    look = f"see whether it has power; `{folder.command('sources --discover')}` shows who speaks"
    for each in health:
        if each["fresh"] or not each.get("measured", True):
            continue
        what = f"{quoted(each['name'], 60)} ({quoted(each['appliance'], 40)})"
        heard = "since the agent started" if each["heard"] is None else f"since {zoned_time(each['heard'], timezone)}"
        why = f": {sanitised(each['trouble'], 100)}" if each["trouble"] else ""
        remedy = "see whether the file is there, and still gains rows" if each["appliance"] == "table" else look
        yield Trouble(f"source {each['name']}", f"{what} is silent {heard}{why}", remedy)


def _unmeasured(here: list[PlanStatus], health: Health) -> Iterator[Trouble]:
    """Appliances that a plan asks about and nothing measures, where the plan has no answer that says so."""
    measured = measured_appliances(health)
    for plan in (each.plan for each in here if not each.plan.answers_unmeasured):
        names = [name for name in plan.names if name not in measured]
        if names:
            words = f"{quoted(plan.name, 60)}: nobody measures {_listed(names)}; that counts as 0 W"
            remedy = "name a plug for each in sources.toml, or leave it so if the home has none"
            yield Trouble(f"unmeasured {plan.id}", words, remedy, plan.id)


def _unknown(here: list[PlanStatus], health: Health) -> Iterator[Trouble]:
    """Sources whose appliance no plan asks about, where one with nearly that name is not measured."""
    measured, asked = measured_appliances(health), {name for each in here for name in each.plan.names}
    for name in sorted(measured - asked):
        meant = near_miss(name, sorted(asked - measured))
        if meant is not None:
            words = f"a source measures {quoted(name, 40)}, of which no plan asks; {quoted(meant, 40)} may be meant"
            remedy = f"write appliance = {quoted(meant, 40)} in sources.toml"
            yield Trouble(f"unknown {name}", words, remedy)


def measured_appliances(health: Health) -> set[str]:
    """The appliances that some source is there for, silent or not."""
    measured = [each for each in health if each.get("measured", True)]
    return {name for each in measured for name in each.get("measures", [each["appliance"]])}


def _listed(names: list[str]) -> str:
    shown = [quoted(name, 40) for name in names[:MAX_NAMES]]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _ledger_troubles(store: Store) -> Iterator[Trouble]:
    """A ledger that takes nothing; its file is not opened, as closing it would let go of SQLite's locks."""
    folder, key = store.path.parent, "ledger"
    disk = os.statvfs(folder)
    if disk.f_flag & os.ST_RDONLY or not os.access(store.path, os.W_OK) or not os.access(folder, os.W_OK):
        words = f"the ledger {store.path} cannot be written; nothing is sent until it can"
        yield Trouble(key, words, "see that the disk is writable and belongs to whoever runs the agent")
    elif disk.f_bavail * disk.f_frsize < MIN_FREE_BYTES:
        yield Trouble(key, f"the disk with {folder} is full; nothing is sent until there is room", "make room on it")
