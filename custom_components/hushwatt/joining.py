"""Joining a plan, step by step, for whoever may wait: all of this is run in the executor.

Nothing is sent before the owner agrees but requests for plans.
"""

import re
import time
from dataclasses import dataclass
from datetime import tzinfo

from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.join import Proposal, agree, concurrent_plans, pinned_key, propose
from hushwatt.household.ledger.caps import caps_with, write_caps
from hushwatt.household.ledger.home_ledger import HomeLedger
from hushwatt.household.status import plan_statuses
from hushwatt.household.upload.home_labels import OtherLabels, same_labels
from hushwatt.household.upload.http import check_address
from hushwatt.household.upload.provider_client import ProviderClient, ProviderRefused
from hushwatt.household.words.agreement import agreement
from hushwatt.household.words.sentences import plan_sentences
from hushwatt.privacy.entropy import OperatingSystem

from .errors import WrongKey

PLAN_IN_ADDRESS = re.compile(r"/plans/([0-9a-f]{64})/?$")


@dataclass(frozen=True)
class Found:
    """A provider that answered."""

    address: str
    key: bytes
    plans: tuple[tuple[str, str], ...]  # id and name


@dataclass(frozen=True)
class Weighed:
    """A plan with what stands against it, and in plain sentences."""

    proposal: Proposal
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Joined:
    """A home that takes part."""

    home: str
    plan_id: str
    name: str


def find(folder: HomeFolder, address: str, key: str | None) -> Found:
    """Who is at an address, and what they collect; a provider that this home knows must show the key it knows."""
    client = ProviderClient(check_address(address.strip()))
    pinned = _key_in(key) or _known_key(folder, client.address)
    named = PLAN_IN_ADDRESS.search(address.strip())
    if named:
        offer = client.offer(named[1], pinned)
        return Found(client.address, offer.key, ((offer.plan.id, offer.plan.name),))
    listing = client.plans(pinned)
    return Found(client.address, listing.key, listing.plans)


def weigh(
    folder: HomeFolder,
    found: Found,
    plan_id: str,
    settings: list[str],
    zone: tzinfo | None,
    code: str | None = None,
) -> Weighed:
    """A plan under the owner's caps, with some of them changed, and what the provider knows of whom a code is for.

    A code that is refused is not asked about: joining refuses it, where another can be given.
    """
    now = time.time_ns()
    with folder.store(make=True) as store:
        caps, client = caps_with(folder.caps_path, settings), ProviderClient(found.address)
        try:
            proposal = propose(store, caps, client, plan_id, found.key, now, code)
        except ProviderRefused:
            proposal = propose(store, caps, client, plan_id, found.key, now)
        others = concurrent_plans(store, proposal.plan, proposal.replaces, now)
        spent = HomeLedger(store, caps).totals.spent
        return Weighed(proposal, tuple(plan_sentences(proposal.plan, caps, others, spent, now, zone)))


def join(folder: HomeFolder, proposal: Proposal, settings: list[str], code: str | None) -> Joined:
    """Agree to what was shown, and to nothing else: it is weighed once more, and bound to the plan's id."""
    found = Found(proposal.client.address, proposal.offer.key, ())
    again = weigh(folder, found, proposal.plan.id, settings, None, code).proposal
    if not same_labels(again.labels, proposal.labels):
        raise OtherLabels(again.labels)
    with folder.store() as store:
        if not again.objections and settings:
            write_caps(folder.caps_path, settings)
        agree(store, again, agreement(again), code, time.time_ns(), OperatingSystem())
        joined = Joined(store.home, again.plan.id, again.plan.name)
    folder.restrict_to_owner()
    return joined


def membership(folder: HomeFolder, plan_id: str) -> Joined | None:
    """The home under a plan that it takes part in already; None where it does not."""
    if not folder.ledger.is_file():
        return None
    with folder.store() as store:
        here = [each for each in plan_statuses(store, time.time_ns()) if each.plan.id == plan_id]
        if not here or here[0].state not in ("taking part", "paused", "over"):
            return None
        return Joined(store.home, plan_id, here[0].plan.name)


def settings_for(proposal: Proposal, whole: bool) -> list[str] | None:
    """The caps that would allow a plan, or all of it; None where none do."""
    needed = {each.cap: each.setting for each in proposal.objections}
    if whole and proposal.lasting is not None:
        needed |= {each.cap: each.setting for each in proposal.lasting.short}
    return None if None in needed.values() else [each for each in needed.values() if each]


def _known_key(folder: HomeFolder, address: str) -> bytes | None:
    if not folder.ledger.is_file():
        return None
    with folder.store() as store:
        return pinned_key(store, address)


def _key_in(text: str | None) -> bytes | None:
    if not text or not text.strip():
        return None
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != 32:
        raise WrongKey("the key must be 32 bytes in hex")
    return key
