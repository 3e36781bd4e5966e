"""Asking a provider again, for whoever may wait: all of this is run in the executor."""

import time
from dataclasses import dataclass

from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.join import Proposal, propose
from hushwatt.household.renew import known_provider, move_address, renew
from hushwatt.household.upload.http import check_address
from hushwatt.household.upload.provider_client import ProviderClient, ProviderRefused
from hushwatt.household.words.agreement import agreement
from hushwatt.privacy.entropy import OperatingSystem

WORDS = "asked again, because the provider's key changed or it did not know this home any more"


@dataclass(frozen=True)
class Shown:
    """Who answers now, beside whom the home agreed with."""

    proposal: Proposal
    old_key: str

    @property
    def new_key(self) -> str:
        return self.proposal.offer.key.hex()


def look_again(folder: HomeFolder, plan_id: str, code: str | None = None) -> Shown:
    """The plan, the key and what hangs on a code as they are shown now; nothing of it is believed yet."""
    with folder.store() as store:
        address, key = known_provider(store, plan_id)
        client = ProviderClient(address)
        shown = client.offer(plan_id)
        try:
            proposal = propose(store, folder.caps(), client, plan_id, shown.key, time.time_ns(), code)
        except ProviderRefused:  # of the code: so will taking a place be
            proposal = propose(store, folder.caps(), client, plan_id, shown.key, time.time_ns())
        return Shown(proposal, key.hex())


def take_place(folder: HomeFolder, shown: Shown, code: str | None) -> None:
    """A place under the key that the owner saw, and no other."""
    with folder.store() as store:
        text = "\n".join([WORDS, "", agreement(shown.proposal)])
        renew(store, shown.proposal, text, code, time.time_ns(), OperatingSystem())


def move(folder: HomeFolder, plan_id: str, address: str) -> str:
    """Another address, checked; as it is kept."""
    client = ProviderClient(check_address(address.strip()))
    with folder.store() as store:
        move_address(store, plan_id, client, time.time_ns())
    return client.address
