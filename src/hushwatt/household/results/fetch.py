"""Fetch what was published, plan by plan, when the schedule says so: always, whether or not anyone compares.

Nobody is told who asks: there is no name and no signature in it.  Only whoever shows the pinned key is believed.
Under a plan that is paused or retired from, or that shares nothing, nothing is asked.
"""

from collections.abc import Callable
from dataclasses import dataclass

from hushwatt.errors import HushwattError
from hushwatt.household.ledger.caps import Caps
from hushwatt.household.ledger.store import Store
from hushwatt.household.log_once import LogOnce
from hushwatt.household.results.published import PublishedResult, keep_results, read_results
from hushwatt.household.results.schedule import is_due
from hushwatt.household.untrusted_json import Malformed
from hushwatt.household.upload.http import HttpResponse
from hushwatt.household.upload.provider_client import ProviderClient, ProviderRefused
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Entropy
from hushwatt.sanitise import quoted

FETCHED_FOR = "left IS NULL AND paused IS NULL AND retired IS NULL AND device IS NOT NULL"


@dataclass
class ResultsFetch:
    """One fetch after the other."""

    store: Store
    entropy: Entropy
    say: Callable[[str], None]
    client: Callable[[str], ProviderClient] = ProviderClient

    def __post_init__(self) -> None:
        self.once = LogOnce(self.say)

    @classmethod
    def beside_uploads(
        cls,
        store: Store,
        caps: Callable[[], Caps],
        entropy: Entropy,
        say: Callable[[str], None],
        client: Callable[[str], ProviderClient],
    ) -> "ResultsFetch":
        """As a job of the upload thread; the owner's caps have no say in it."""
        return cls(store, entropy, say, client)

    def look(self, now: int) -> None:
        """Fetch where it is time to; what fails is tried at the next time."""
        for row in self.store.rows(f"SELECT * FROM plans WHERE {FETCHED_FOR} ORDER BY place"):
            plan = Plan.parse(row["canonical"])
            if not plan.share_results or not is_due(self.store, plan, now, self.entropy):
                continue
            try:
                self._fetch(plan, row["address"], row["provider"], now)
                self.once.clear(plan.id)
            except HushwattError as wrong:
                self.once(plan.id, f"plan {quoted(plan.name, 60)}: no results to compare with: {wrong}")

    def _fetch(self, plan: Plan, address: str, pinned: bytes, now: int) -> None:
        with self.client(address).plan_session(plan.id, pinned) as provider:
            results = parse_results(plan, provider.results(), now)
        keep_results(self.store, plan, results)


def parse_results(plan: Plan, answer: HttpResponse, now: int) -> list[PublishedResult]:
    """What was published of a plan, by an answer of its provider."""
    try:
        return read_results(plan, answer.json(), now)
    except Malformed as wrong:
        raise ProviderRefused(f"the provider's answer {wrong}") from None
