"""Set right what stands between a home and a provider it agreed with: a new place, or a new address.

Both are the owner's to decide.  Neither gives budget back, and under a new key nothing is sent before the owner
has seen that key and agreed.
"""

from dataclasses import replace
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.household.join import Proposal, insert_membership, taking_part
from hushwatt.household.ledger.store import Store
from hushwatt.household.upload.delivery_note import note_answers
from hushwatt.household.upload.home_labels import OtherLabels, kept_labels, same_labels
from hushwatt.household.upload.provider_client import ProviderClient
from hushwatt.privacy.entropy import Source


def renew(store: Store, proposal: Proposal, words: str, code: str | None, now: int, source: Source) -> None:
    """Take a place anew in a plan that the home is in, from the provider as it shows itself now.

    The ledger goes on where it was, and so does a pause.  No agent may run on the ledger meanwhile.
    """
    row, plan = _row(store, proposal.plan.id), proposal.plan
    with proposal.client.plan_session(plan.id, proposal.offer.key) as provider:
        enrolment = provider.enrol(plan, Ed25519PrivateKey.from_private_bytes(row["secret"]), code)
    if not any(same_labels(enrolment.labels, each) for each in (proposal.labels, kept_labels(store, plan.id))):
        raise OtherLabels(enrolment.labels)
    with store.transaction() as disk:
        alone = replace(proposal, replaces=None)  # no other plan is left by this
        insert_membership(store, alone, words, row["secret"], enrolment, now, source, row["slot"])
        disk.execute("UPDATE plans SET paused = ? WHERE place = ?", (row["paused"], row["place"]))
    _try_again(store, row["place"], now)


def move_address(store: Store, plan_id: str, client: ProviderClient, now: int) -> None:
    """Send to another address from now on, if who is there has the plan and the key that the home agreed to."""
    row = _row(store, plan_id)
    offer = client.offer(plan_id, row["provider"])
    with store.transaction() as disk:
        values = (client.address, offer.key, row["place"])
        disk.execute("UPDATE plans SET address = ?, provider = ? WHERE place = ?", values)
    _try_again(store, row["place"], now)


def known_provider(store: Store, plan_id: str) -> tuple[str, bytes]:
    """The address and the key that the home agreed to."""
    row = _row(store, plan_id)
    return row["address"], row["provider"]


def _try_again(store: Store, plan_key: int, now: int) -> None:
    """What stood in the way is mended: what was tried before is sent soon, and the note on it is gone."""
    with store.transaction() as disk:
        query = "UPDATE reports SET due = min(due, ?) WHERE place = ? AND due IS NOT NULL AND tries > 0"
        disk.execute(query, (now, plan_key))
    note_answers(store, plan_key, [], now)


def _row(store: Store, plan_id: str) -> dict[str, Any]:
    return taking_part(store, plan_id)[0]
