"""Look for plans that replace those of this home, now and then, at times that chance alone decides.

Only whoever shows the pinned key is believed.  A place is taken where the home may follow; the agent then
moves on between two slots.  Under a plan that is paused nothing is asked.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.errors import HushwattError
from hushwatt.household.clock import SECOND
from hushwatt.household.ledger.caps import DAY, Caps
from hushwatt.household.ledger.demand import window_length
from hushwatt.household.ledger.store import Store
from hushwatt.household.log_once import LogOnce
from hushwatt.household.successor import Reserved, objections, show_offer
from hushwatt.household.upload.home_labels import kept_labels, same_labels
from hushwatt.household.upload.provider_client import Offer, ProviderClient
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Entropy
from hushwatt.sanitise import quoted

MIN_INTERVAL = 10 * SECOND  # between two looks, on average, however short a plan's window is
LOOKED_FOR = "left IS NULL AND paused IS NULL AND retired IS NULL AND device IS NOT NULL"


@dataclass
class SuccessorSearch:
    """One look after the other, plan by plan."""

    store: Store
    caps: Callable[[], Caps]
    entropy: Entropy
    say: Callable[[str], None]
    client: Callable[[str], ProviderClient] = ProviderClient

    def __post_init__(self) -> None:
        self.once = LogOnce(self.say)

    def look(self, now: int) -> None:
        """Look where it is time to; what fails is tried at the next time."""
        for row in self.store.rows(f"SELECT * FROM plans WHERE {LOOKED_FOR} ORDER BY place"):
            name = row["plan"]
            try:
                if self._is_time(row, now):
                    self._look(row, now)
                    self.once.clear(name)
            except HushwattError as wrong:
                self.once(name, f"no look for a successor of plan {name[:12]}: {wrong}")

    def _is_time(self, row: dict[str, Any], now: int) -> bool:
        """Whether the time that was drawn last has come; the next one is drawn then, before anything is asked.

        About once in a window, and once a day at least: by the plan and by chance, by nothing at home.
        """
        name = f"look {row['plan']}"
        time = self.store.read_value(name)
        if time is not None and time - 2 * DAY < now < time:
            return False
        interval = min(max(window_length(Plan.parse(row["canonical"])), MIN_INTERVAL), DAY)
        drawn = int(self.entropy.words(1)[0]) * interval >> 64
        due = time is not None and now >= time
        self.store.write_value(name, now + drawn + (interval // 2 if due else 0))
        return due

    def _look(self, row: dict[str, Any], now: int) -> None:
        old = Plan.parse(row["canonical"])
        if Reserved.load(self.store, old) is not None:
            return
        for offer in self.client(row["address"]).successors(old.id, row["provider"]):
            if reasons := objections(self.store, self.caps(), old, offer.plan, now):
                show_offer(self.store, old, offer.plan, reasons, self.say)
            else:
                self._reserve(row, old, offer, now)
                return

    def _reserve(self, row: dict[str, Any], old: Plan, offer: Offer, now: int) -> None:
        """Take a place, under the key that the home has in the old plan: no code is needed again."""
        if not self.store.value(f"SELECT 1 FROM plans WHERE place = ? AND {LOOKED_FOR}", (row["place"],)):
            return  # paused or left meanwhile
        key = Ed25519PrivateKey.from_private_bytes(row["secret"])
        with self.client(row["address"]).plan_session(offer.plan.id, offer.key) as provider:
            enrolment = provider.succeed(offer.plan, key, row["device"], now // SECOND)
            if not same_labels(enrolment.labels, kept_labels(self.store, old.id)):
                provider.erase(key, enrolment.device, now // SECOND)
                self.store.write_value(f"refiled {offer.plan.id}", 1)
                show_offer(
                    self.store, old, offer.plan, objections(self.store, self.caps(), old, offer.plan, now), self.say
                )
                return
        Reserved(offer, enrolment).save(self.store, old)
        name = quoted(offer.plan.name, 60)
        self.say(f"plan {quoted(old.name, 60)}: {name} will take its place after a slot has ended")
