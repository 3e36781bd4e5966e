"""Under which labels a provider files this home: asked before the owner agrees, kept with the consent.

Labels are what the provider knows anyway, such as a tariff.  They come from it and go nowhere.
"""

import json

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.household.ledger.store import Store
from hushwatt.household.upload.provider_client import Offer, ProviderClient, ProviderRefused
from hushwatt.sanitise import sanitised
from hushwatt.wire.labels import NO_LABELS, Labels


class OtherLabels(ProviderRefused):
    """The provider would file this home under other labels than it showed."""

    def __init__(self, labels: Labels) -> None:
        told = sanitised(labels.words()) or "nothing"
        super().__init__(f"the provider would file this home under {told}, which is not what it showed before")


def labels_behind(store: Store, client: ProviderClient, offer: Offer, code: str) -> Labels:
    """What a provider says it knows of the home that a code is for, over a connection on which it showed its key."""
    secret = store.read_value(f"joining {offer.plan.id}") or store.value(
        "SELECT secret FROM plans WHERE plan = ?", (offer.plan.id,)
    )  # of an attempt whose answer was lost, or of a place that is taken anew
    key = Ed25519PrivateKey.from_private_bytes(secret) if secret else None
    with client.plan_session(offer.plan.id, offer.key) as provider:
        return provider.labels(code, key)


def same_labels(some: Labels, other: Labels) -> bool:
    return some.document() == other.document()


def keep_labels(store: Store, plan_id: str, labels: Labels) -> None:
    """Keep them, as part of a running change."""
    name = f"labels {plan_id}"
    if labels:
        store.disk.execute("INSERT OR REPLACE INTO home VALUES (?, ?)", (name, json.dumps(labels.document())))
    else:
        store.disk.execute("DELETE FROM home WHERE name = ?", (name,))


def kept_labels(store: Store, plan_id: str) -> Labels:
    """The labels that the owner was shown under a plan."""
    text = store.read_value(f"labels {plan_id}")
    return Labels.received(json.loads(text)) if text else NO_LABELS
