"""Join a plan, and pause it: what a home agrees to, bound to the plan's id.

Agreeing never gives budget back.  A plan joined again goes on where it was; a plan that
takes the place of another begins only when the other's last window is over.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.errors import HushwattError, StateError, UsageError
from hushwatt.household.clock import SECOND
from hushwatt.household.ledger.caps import Caps
from hushwatt.household.ledger.demand import lifetime_appliance_cost, lifetime_cost
from hushwatt.household.ledger.home_ledger import HomeLedger
from hushwatt.household.ledger.lasting import Lasting, lasting
from hushwatt.household.ledger.monotonic_clock import STATE_KEY, MonotonicClock
from hushwatt.household.ledger.objections import LifetimeSpent, Objection, objections, raised
from hushwatt.household.ledger.plan_ledger import chain
from hushwatt.household.ledger.store import DEFAULTS, Store
from hushwatt.household.membership import first_memory, with_turn
from hushwatt.household.upload.home_labels import OtherLabels, keep_labels, labels_behind, same_labels
from hushwatt.household.upload.provider_client import Enrolment, Offer, ProviderClient, ProviderRefused
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.entropy import Source
from hushwatt.privacy.promise import Promise, promise
from hushwatt.privacy.rotation import order_of
from hushwatt.sanitise import quoted, sanitised
from hushwatt.wire.labels import NO_LABELS, Labels


@dataclass(frozen=True)
class Proposal:
    """A plan that could be joined: checked, and weighed against the owner's caps."""

    client: ProviderClient
    offer: Offer
    promise: Promise
    objections: tuple[Objection, ...]
    replaces: Plan | None = None
    follows: bool = False  # whether the owner lets the home move on to successors
    raised: tuple[str, ...] = ()  # the caps that are higher than they are by themselves, a phrase each
    lasting: Lasting | None = None  # how long the caps on a lifetime let it run
    labels: Labels = NO_LABELS  # under which the provider files this home, as it says before the home joins

    @property
    def plan(self) -> Plan:
        return self.offer.plan


def propose(
    store: Store,
    caps: Caps,
    client: ProviderClient,
    plan_id: str,
    key: bytes | None = None,
    now: int = 0,
    code: str | None = None,
) -> Proposal:
    """Fetch a plan, believe only what is signed, and say what stands against it.

    It is weighed together with the plans that the home takes part in and that are not over at `now`.  Where
    nothing stands against it, the provider is asked what it knows of the home that a `code` is for.
    """
    pinned = key or pinned_key(store, client.address)
    offer = client.offer(plan_id, pinned)
    weighed, replaces = promise(offer.plan), _replaced_plan(store, offer)
    others = concurrent_plans(store, offer.plan, replaces, now)
    spent = _with_unvouched(store, offer.plan, HomeLedger(store, caps).totals.spent, now)
    against = objections(caps, offer.plan, others, spent)
    if not weighed.kept:
        against.append(Objection("it does not keep its own promise"))
    lasts = lasting(caps, offer.plan, others, spent, now)
    labels = labels_behind(store, client, offer, code) if code and not against else NO_LABELS
    follows, higher = caps.follow_successors, raised(caps)
    return Proposal(client, offer, weighed, tuple(against), replaces, follows, higher, lasts, labels)


def _with_unvouched(store: Store, plan: Plan, spent: LifetimeSpent, now: int) -> LifetimeSpent:
    """What counts as spent, with the slots since a plan ended, which count when it is joined again."""
    row = _plan_row(store, plan.id)
    if not _has_ended(row):
        return spent
    assert row is not None
    last = min(int(plan.calendar.slot_of([now])[0]), plan.calendar.slots - 1)
    slots = max(0, last - row["slot"] + 1)
    single = lifetime_appliance_cost(plan, slots)
    appliances = {name: spent.appliances.get(name, Fraction(0)) + single for name in plan.names}
    return LifetimeSpent(spent.home + lifetime_cost(plan, slots), spent.appliances | appliances)


def concurrent_plans(store: Store, plan: Plan, replaces: Plan | None, now: int) -> list[Plan]:
    """The plans that this home will take part in at the same time, paused ones included."""
    rows = store.rows("SELECT canonical FROM plans WHERE left IS NULL AND retired IS NULL AND plan != ?", (plan.id,))
    here = [each for each in (Plan.parse(row["canonical"]) for row in rows) if each != replaces]
    begins = max(now, nanoseconds(plan.start))
    return [each for each in here if nanoseconds(each.expires) > begins and each.start < plan.expires]


def pinned_key(store: Store, address: str) -> bytes | None:
    """The key that this home has for a provider, if it knows one.

    A plan that the home is in comes before one that it left, whose row keeps the key that held then: when a provider
    loses its key, the owner agrees to the new one for the plans that go on, and for no other.  Among these the last
    consent decides, since nothing but the owner's word puts a key there that the one before does not vouch for.
    Where every plan was left, the last consent still pins: an address that this home knows is never taken on trust
    again, and whoever shows another key there is refused, or has to be named by the owner.
    """
    query = (
        "SELECT provider FROM plans WHERE address = ? ORDER BY left IS NULL AND device IS NOT NULL DESC, "
        "(SELECT max(rowid) FROM consents WHERE consents.plan = plans.plan) DESC, place DESC LIMIT 1"
    )
    key: bytes | None = store.value(query, (address,))
    return key


def agree(store: Store, proposal: Proposal, words: str, code: str | None, now: int, source: Source) -> Plan:
    """Enrol, write the consent down, and take part from the next slot on; refused, nothing stays."""
    plan = proposal.plan
    if proposal.objections:
        raise UsageError(f"{quoted(plan.name)}: {'; '.join(each.words for each in proposal.objections)}")
    if now >= nanoseconds(plan.expires):
        raise UsageError(f"{quoted(plan.name)} is over since {plan.expires:%Y-%m-%d}")
    row = _plan_row(store, plan.id)
    if row is not None and row["left"] is None and row["device"] is not None and row["retired"] is None:
        raise UsageError(f"this home already takes part in {quoted(plan.name)}")
    secret = _device_key(store, plan.id, row)
    try:
        with proposal.client.plan_session(plan.id, proposal.offer.key) as provider:
            key = Ed25519PrivateKey.from_private_bytes(secret)
            enrolment = provider.enrol(plan, key, code)
            if not same_labels(enrolment.labels, proposal.labels):
                if enrolment.device != (row or {}).get("device"):
                    with suppress(HushwattError):
                        provider.erase(key, enrolment.device, now // SECOND)
                raise OtherLabels(enrolment.labels)
    except ProviderRefused:  # a definite no: nothing of it stays
        with store.transaction() as disk:
            disk.execute("DELETE FROM home WHERE name = ?", (f"joining {plan.id}",))
        raise
    _record_membership(store, proposal, words, secret, enrolment, now, source)
    return plan


def _device_key(store: Store, plan_id: str, row: dict[str, Any] | None) -> bytes:
    """The device's key, on disk before anyone sees it: an answer that is lost can be asked for again."""
    kept = (row or {}).get("secret") or store.read_value(f"joining {plan_id}")
    secret: bytes = kept or Ed25519PrivateKey.generate().private_bytes_raw()
    if not kept:
        store.write_value(f"joining {plan_id}", secret)
    return secret


def _record_membership(
    store: Store, proposal: Proposal, words: str, secret: bytes, enrolment: Enrolment, now: int, source: Source
) -> None:
    """Consent, keys and the first slot, in one change; a plan joined before goes on where it was."""
    with store.transaction():
        first = _first_slot(store, proposal, now)
        insert_membership(store, proposal, words, secret, enrolment, now, source, first)


def insert_membership(
    store: Store,
    proposal: Proposal,
    words: str,
    secret: bytes,
    enrolment: Enrolment,
    now: int,
    source: Source,
    first: int,
) -> None:
    """The same from a given slot on, as part of a running change."""
    plan, disk = proposal.plan, store.disk
    slot, memory = first_memory(plan, first, source)
    row = (plan.id, plan.canonical(), proposal.client.address, proposal.offer.key, now, secret, slot, memory)
    before = _plan_row(store, plan.id)
    disk.execute("INSERT INTO consents VALUES (?, ?, ?)", (plan.id, now, words))
    disk.execute("DELETE FROM plans WHERE plan = ? AND device IS NULL AND left IS NULL", (plan.id,))
    disk.execute(
        "INSERT INTO plans (plan, canonical, address, provider, joined, secret, slot, memory) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (plan) DO UPDATE SET secret = excluded.secret, "
        "address = excluded.address, provider = excluded.provider",
        row,
    )
    if enrolment.offered and (before or {}).get("device") != enrolment.device:
        _adopt_turn(store, plan, enrolment)
    disk.execute(
        "UPDATE plans SET device = ?, left = NULL, paused = NULL, retired = NULL, defaults = ? WHERE plan = ?",
        (enrolment.device, DEFAULTS, plan.id),
    )
    disk.execute("DELETE FROM home WHERE name IN (?, ?)", (f"joining {plan.id}", f"leaving {plan.id}"))
    keep_labels(store, plan.id, enrolment.labels)
    if _has_ended(before):  # nobody vouches for the time since then
        disk.execute("DELETE FROM home WHERE name = ?", (STATE_KEY,))
    if proposal.replaces is not None:
        disk.execute("UPDATE plans SET left = ? WHERE plan = ?", (now, proposal.replaces.id))


def _adopt_turn(store: Store, plan: Plan, enrolment: Enrolment) -> None:
    """Speak at the turn that is offered, in the order that belongs to the new device."""
    row = store.rows("SELECT slot, memory FROM plans WHERE plan = ?", (plan.id,))[0]
    memory = with_turn(plan, row["slot"], row["memory"], enrolment.turn, order_of(plan, enrolment.device))
    store.disk.execute("UPDATE plans SET memory = ? WHERE plan = ?", (memory, plan.id))


def _first_slot(store: Store, proposal: Proposal, now: int) -> int:
    """The slot after the current one, or the first that shares no window with the plan it replaces."""
    calendar, plan = proposal.plan.calendar, proposal.plan
    first = int(calendar.slot_of([now])[0]) + 1
    if proposal.replaces is None:
        return first
    last = _last_spend(store, proposal.replaces, now)
    if last is None:
        return first
    ended = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=last // 1_000)
    inside = int(calendar.slot_of([nanoseconds(max(ended, plan.start))])[0])
    return max(first, inside + plan.window)


def _last_spend(store: Store, plan: Plan, now: int) -> int | None:
    """When the last slot that spent under a plan ended, by the clock as it is now."""
    row = store.rows(
        "SELECT max(end) AS end, max(running) AS running FROM spends "
        "WHERE place = (SELECT place FROM plans WHERE plan = ?)",
        (plan.id,),
    )[0]
    end: int | None = row["end"]
    sample = MonotonicClock(store).sample
    if end is None or sample is None or row["running"] is None:
        return end
    return max(end, now - (sample.running - int(row["running"])))


def _replaced_plan(store: Store, offer: Offer) -> Plan | None:
    """The plan that this home takes part in and that another replaces: by its own word, by its name, or going back."""
    rows = store.rows(
        "SELECT plan, canonical FROM plans WHERE provider = ? AND left IS NULL AND plan != ?",
        (offer.key, offer.plan.id),
    )
    same, new = [Plan.parse(row["canonical"]) for row in rows], offer.plan
    by_its_word = [plan for plan in same if plan.id == new.replaces]
    back = [plan for plan in same if new in chain(plan, store)]
    named = [plan for plan in same if plan.name == new.name]
    return next(iter([*by_its_word, *back, *named]), None)


def pause(store: Store, wanted: str | None, now: int) -> list[Plan]:
    """Keep silent under these plans, from the current slot on."""
    return _set_paused(store, wanted, "paused IS NULL", now)


def resume(store: Store, wanted: str | None) -> list[Plan]:
    """Take part again, from the next slot on."""
    return _set_paused(store, wanted, "paused IS NOT NULL", None)


def _set_paused(store: Store, wanted: str | None, which: str, value: int | None) -> list[Plan]:
    rows = taking_part(store, wanted)
    with store.transaction() as disk:
        for row in rows:
            disk.execute(f"UPDATE plans SET paused = ? WHERE place = ? AND {which}", (value, row["place"]))
    return [Plan.parse(row["canonical"]) for row in rows]


def taking_part(store: Store, wanted: str | None = None) -> list[dict[str, Any]]:
    """The plans this home takes part in, or the one that is meant."""
    return plans_where(store, "left IS NULL AND device IS NOT NULL", wanted)


def plans_where(store: Store, condition: str, wanted: str | None) -> list[dict[str, Any]]:
    """The plans of which a condition holds, or the one of them whose id begins as is wanted."""
    rows = store.rows(f"SELECT * FROM plans WHERE {condition} ORDER BY place")
    if not rows:
        raise StateError("this home takes part in no plan")
    fitting = [row for row in rows if row["plan"].startswith((wanted or "").strip().lower())]
    if not fitting:
        raise UsageError(f"there is no plan {sanitised(wanted, 64)} here; there is {named_plans(rows)}")
    if wanted and len(fitting) > 1:
        raise UsageError(f"several plans begin with {wanted}; write more of the id: {named_plans(fitting)}")
    return fitting


def named_plans(rows: list[dict[str, Any]]) -> str:
    """Plans by the start of their ids, with their names."""
    return "; ".join(f"{row['plan'][:12]} {quoted(Plan.parse(row['canonical']).name, 60)}" for row in rows)


def _has_ended(row: dict[str, Any] | None) -> bool:
    """Whether a plan was joined once, and the home has left it or retired from it."""
    return row is not None and (row["left"], row["retired"]) != (None, None)


def _plan_row(store: Store, plan_id: str) -> dict[str, Any] | None:
    rows = store.rows("SELECT * FROM plans WHERE plan = ?", (plan_id,))
    return rows[0] if rows else None
