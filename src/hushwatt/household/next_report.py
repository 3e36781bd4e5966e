"""When a home will speak next: its turn, its budget and the calendar say so, and no reading does.

A copy of the home in memory goes on from slot to slot, as the agent would, until one in which it has something
to say and may pay for it.  Nothing is written.
"""

from dataclasses import replace
from typing import Any

from hushwatt.errors import HushwattError
from hushwatt.household.agent import entry_slack
from hushwatt.household.ledger.caps import Caps
from hushwatt.household.ledger.home_ledger import HomeLedger
from hushwatt.household.ledger.monotonic_clock import MonotonicClock
from hushwatt.household.ledger.objections import bars
from hushwatt.household.ledger.store import Store
from hushwatt.household.membership import Membership
from hushwatt.household.report.serialise import strategy_of
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.entropy import OperatingSystem

MAX_REFUSED_SLOTS = 200  # slots in a row that are weighed and found too dear; beyond, nobody knows


def next_report_slot(store: Store, caps: Caps, plan: Plan, row: dict[str, Any], now: int) -> int | None:
    """The next slot that ends in a report of a home that takes part, if nothing happens; None if none will.

    `row` is the plan's in the ledger.  An agent that has let a slot go by does not run, and says nothing.
    """
    if is_behind(plan, row["slot"], now) or bars(caps, plan):
        return None
    try:
        member = Membership(plan, row["place"], HomeLedger(store, caps), OperatingSystem())
        return _first_affordable(member, max(row["slot"], int(plan.calendar.slot_of([now])[0])))
    except HushwattError:
        return None


def is_behind(plan: Plan, slot: int, now: int) -> bool:
    """Whether a home that is at `slot` should have ended it by now, with a little time to do so."""
    return slot < plan.calendar.slots and now > nanoseconds(plan.calendar.end_of(slot)) + entry_slack(plan)


def _first_affordable(member: Membership, slot: int) -> int | None:
    homes, slots = member.homes, member.plan.calendar.slots
    homes.skip_to(slot)
    for _ in range(MAX_REFUSED_SLOTS):
        while homes.slot < slots and not (homes.drawn[0] or strategy_of(homes).offer()):
            homes.skip_to(homes.slot + max(1, strategy_of(homes).wait))  # nothing to say before its turn
        if homes.slot >= slots:
            return None
        _let_time_pass(member.home_ledger.monotonic, nanoseconds(member.plan.calendar.end_of(homes.slot)))
        if member.lifetime_refusal() is not None:  # it will retire
            return None
        if member.can_afford():
            return homes.slot
        homes.skip_to(homes.slot + 1)
    return None


def _let_time_pass(monotonic: MonotonicClock, until: int) -> None:
    """As if the machine had run until then, by an honest clock."""
    sample = monotonic.sample
    if sample is not None and until > sample.wall:
        ahead = until - sample.wall
        monotonic.sample = replace(sample, wall=until, alive=sample.alive + ahead, running=sample.running + ahead)
