"""Moving on to a plan that replaces another: what is offered to the owner, and the change itself.

A home moves on by itself only where its owner allowed that, nothing about the protection is weaker, and
the owner's caps hold with it.  It does so between two slots of the old plan, in one change on disk.  What
was spent before still counts: `PlanLedger` looks at the plans that a plan replaces, too.  The proof is
docs/proofs/moving-on.md.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hushwatt.household.join import Proposal, concurrent_plans, insert_membership
from hushwatt.household.ledger.caps import Caps
from hushwatt.household.ledger.home_ledger import HomeLedger
from hushwatt.household.ledger.objections import objections as cap_objections
from hushwatt.household.ledger.store import Store
from hushwatt.household.membership import NOT_RUNNING, UNKNOWN_CLOCK, Membership
from hushwatt.household.results.own_means import forget_plan
from hushwatt.household.upload.provider_client import Enrolment, Offer, ProviderClient
from hushwatt.household.words.consent_text import consent_terms, plan_changes
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.entropy import Source
from hushwatt.privacy.strategies import affordable
from hushwatt.privacy.successor import promise_of, weaker
from hushwatt.sanitise import quoted
from hushwatt.wire.labels import Labels

NOTHING_WEAKER = "its provider replaced the plan, and nothing about your protection is weaker"
Say = Callable[[str], None]


@dataclass(frozen=True)
class Reserved:
    """A place in a plan that replaces one of the home's, taken and not yet used."""

    offer: Offer
    enrolment: Enrolment

    @classmethod
    def load(cls, store: Store, old: Plan) -> "Reserved | None":
        text = store.read_value(f"successor {old.id}")
        if text is None:
            return None
        found = json.loads(text)
        device = bytes.fromhex(found["device"])
        return cls(
            Offer(Plan.parse(found["plan"]), bytes.fromhex(found["key"])),
            Enrolment(device, found["offered"], found["turn"], Labels.received(found.get("labels", {}))),
        )

    def save(self, store: Store, old: Plan) -> None:
        found = {
            "plan": self.offer.plan.canonical().decode(),
            "key": self.offer.key.hex(),
            "device": self.enrolment.device.hex(),
            "offered": self.enrolment.offered,
            "turn": self.enrolment.turn,
            "labels": self.enrolment.labels.document(),
        }
        store.write_value(f"successor {old.id}", json.dumps(found))


def objections(store: Store, caps: Caps, old: Plan, new: Plan, now: int) -> list[str]:
    """Why the home does not move on from one plan to another by itself, a sentence each."""
    found = [f"weaker: {line}" for line in weaker(old, new)]
    others, spent = concurrent_plans(store, new, old, now), HomeLedger(store, caps).totals.spent
    found += [f"beyond your caps: {each.words}" for each in cap_objections(caps, new, others, spent)]
    if store.value("SELECT 1 FROM plans WHERE plan = ?", (new.id,)):
        found.append("you joined it yourself once, so it is yours to decide")
    if now >= nanoseconds(new.expires):
        found.append(f"it is over since {new.expires:%Y-%m-%d}")
    if store.read_value(f"refiled {new.id}"):
        found.append("its provider would file this home under other labels")
    if not caps.follow_successors:
        found.append("you have not allowed it (follow_successors is off)")
    return found


def show_offer(store: Store, old: Plan, new: Plan, reasons: list[str], say: Say) -> None:
    """Tell the owner, once, of a successor that the home does not follow by itself, and why not."""
    words = (
        f"plan {quoted(old.name, 60)}: its provider offers {quoted(new.name, 60)} ({new.id[:12]}) in its place; "
        f"not followed: {'; '.join(reasons)}. To take part, join it yourself"
    )
    note = json.dumps({"to": new.id, "words": words})
    if store.read_value(f"offered {old.id}") != note:
        store.write_value(f"offered {old.id}", note)
        say(words)


def move_on(member: Membership, caps: Caps, now: int, source: Source, say: Say) -> bool:
    """Leave a plan between two slots for the one that replaces it, if there is one to follow now.

    All is weighed again: the owner may have changed caps or mind since the place was taken.
    """
    store, old = member.store, member.plan
    reserved = Reserved.load(store, old)
    if reserved is None:
        return False
    new = reserved.offer.plan
    if reasons := objections(store, caps, old, new, now):
        with store.transaction() as disk:
            disk.execute("DELETE FROM home WHERE name = ?", (f"successor {old.id}",))
        show_offer(store, old, new, reasons, say)
        return False
    if now < nanoseconds(new.start) and member.slot < old.calendar.slots:
        return False
    words = moved_words(old, new)
    _change(member, reserved, words, now, source)
    forget_plan(store, old.id)
    say(words)
    return True


def moved_words(old: Plan, new: Plan) -> str:
    changes = "; ".join(plan_changes(old, new)) or "only its dates"
    return (
        f"moved on from {quoted(old.name, 60)} ({old.id[:12]}) to {quoted(new.name, 60)} ({new.id[:12]}) because "
        f"{NOTHING_WEAKER}; what changes: {changes}"
    )


def _change(member: Membership, reserved: Reserved, words: str, now: int, source: Source) -> None:
    """The old plan is left, the new one joined from its next slot on: in one transaction."""
    store, old, new = member.store, member.plan, reserved.offer.plan
    row = store.rows("SELECT address, secret FROM plans WHERE place = ?", (member.plan_key,))[0]
    proposal = Proposal(ProviderClient(row["address"]), reserved.offer, promise_of(new), (), old)
    terms = consent_terms(new, proposal.promise, row["address"], reserved.offer.key, reserved.enrolment.labels)
    text = "\n".join([words, "", *(f"{label:<16}{sentence}" for label, sentence in terms)])
    first = int(new.calendar.slot_of([now])[0]) + 1
    note = json.dumps({"to": new.id, "time": now, "words": words})
    with store.transaction() as disk:
        if _is_uncertain(member):
            amount = max(affordable(old), affordable(new))
            member.home_ledger.record([member.ledger.entry(member.slot - 1, "lost", amount, None)])
        insert_membership(store, proposal, text, row["secret"], reserved.enrolment, now, source, first)
        disk.execute("DELETE FROM home WHERE name IN (?, ?)", (f"successor {old.id}", f"offered {old.id}"))
        disk.execute("INSERT OR REPLACE INTO home VALUES (?, ?)", (f"moved {old.id}", note))


def _is_uncertain(member: Membership) -> bool:
    """Whether this ledger may be an old copy, made before a change that it does not know of.

    Then as much counts as either plan could have spent, as if it had been just now.
    """
    query = "SELECT 1 FROM silences WHERE place = ? AND last >= ? AND reason IN (?, ?) LIMIT 1"
    last = member.slot - member.plan.window
    return bool(member.slot and member.store.value(query, (member.plan_key, last, NOT_RUNNING, UNKNOWN_CLOCK)))


def heir_of(store: Store, plan_id: str) -> str:
    """The plan that the home is in now where it moved on from one, however often; else the same plan."""
    seen = {plan_id}
    while (to := _note(store.read_value(f"moved {plan_id}")).get("to")) is not None and to not in seen:
        if not store.value("SELECT 1 FROM plans WHERE plan = ? AND left IS NOT NULL", (plan_id,)):
            return plan_id  # it was joined again since
        plan_id = to
        seen.add(to)
    return plan_id


def notes(store: Store, plan_id: str) -> tuple[str, ...]:
    """What the owner is told about the successors of a plan: moved on, moved here, or only offered."""
    names = ("moved", "offered")
    found = [_note(store.read_value(f"{name} {plan_id}")) for name in names]
    rows = store.rows("SELECT value FROM home WHERE name LIKE 'moved %'")
    here = [each for each in (_note(row["value"]) for row in rows) if each.get("to") == plan_id]
    return tuple(each["words"] for each in (*found, *here) if each)


def _note(text: str | None) -> dict[str, Any]:
    return {} if text is None else json.loads(text)
