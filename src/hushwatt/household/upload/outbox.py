"""What waits to leave: stored bytes, sent as they are until the provider has them.

A report is sent once its time has come, and again, byte for byte, after ever longer
pauses until it is acknowledged by whoever holds the provider's key.  Under a plan that is
paused nothing is sent: what waits is kept, and goes out as it is when the owner resumes.
Nothing here can make or change a report.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.errors import HushwattError
from hushwatt.household.clock import SECOND
from hushwatt.household.ledger.store import Store
from hushwatt.household.log_once import LogOnce
from hushwatt.household.untrusted_json import as_count, as_list, as_table, as_text
from hushwatt.household.upload.backoff import MAX_BACKOFF, backoff
from hushwatt.household.upload.delivery_note import note_answers, note_failure
from hushwatt.household.upload.http import HttpResponse, Unreachable
from hushwatt.household.upload.provider_client import RETRY_STATUSES, ProviderClient, ProviderRefused
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Entropy
from hushwatt.sanitise import quoted
from hushwatt.wire.record import pack

BATCH_RECORDS = 500  # records in one upload
RETRY_REASONS = ("too_early",)  # refusals that time will mend
REASON = re.compile(r"[a-z_]{1,40}")
ACTIVE_PLANS = (  # under which something may leave; what waits when a home moves on is still sent, unless that pauses
    "device IS NOT NULL AND paused IS NULL AND (left IS NULL OR EXISTS (SELECT 1 FROM home JOIN plans AS heir "
    "ON heir.plan = json_extract(home.value, '$.to') WHERE home.name = 'moved ' || plans.plan "
    "AND heir.left IS NULL AND heir.paused IS NULL))"
)


@dataclass
class Outbox:
    """The reports that have not been acknowledged yet."""

    store: Store
    entropy: Entropy
    say: Callable[[str], None]
    client: Callable[[str], ProviderClient] = ProviderClient

    def __post_init__(self) -> None:
        self.once = LogOnce(self.say)

    def send(self, now: int) -> None:
        """Send all that is due, plan by plan; what fails waits."""
        waiting = self.store.rows(
            f"SELECT DISTINCT place FROM reports WHERE due <= ? AND place IN "
            f"(SELECT place FROM plans WHERE {ACTIVE_PLANS})",
            (now,),
        )
        for plan_key in (row["place"] for row in waiting):
            try:
                self._send(plan_key, now)
                self.once.clear(plan_key)
            except HushwattError as wrong:
                self._back_off(plan_key, now)
                note_failure(self.store, plan_key, wrong, now)
                self._say_once(plan_key, str(wrong))

    def _send(self, plan_key: int, now: int) -> None:
        plan = self.store.rows("SELECT * FROM plans WHERE place = ?", (plan_key,))[0]
        with self.client(plan["address"]).plan_session(plan["plan"], plan["provider"]) as provider:
            if provider.key != plan["provider"]:  # a new one, for which the old one vouched
                with self.store.transaction() as disk:
                    disk.execute("UPDATE plans SET provider = ? WHERE place = ?", (provider.key, plan_key))
            rows = self._due(plan_key, now)
            if not rows:
                return
            body = b"".join(
                pack(plan["device"], row["slot"], row["spent"], row["drawn"], row["payload"]) for row in rows
            )
            key = Ed25519PrivateKey.from_private_bytes(plan["secret"])
            answer = provider.upload(key, plan["device"], body, now // SECOND)
        self._acknowledge(plan_key, rows, verdicts(answer, len(rows)), now)

    def _due(self, plan_key: int, now: int) -> list[dict[str, Any]]:
        """What to send, looked up at the last moment: the owner may have paused or left meanwhile."""
        return self.store.rows(
            f"SELECT * FROM reports WHERE place = ? AND due <= ? AND place IN "
            f"(SELECT place FROM plans WHERE {ACTIVE_PLANS}) ORDER BY slot LIMIT ?",
            (plan_key, now, BATCH_RECORDS),
        )

    def _acknowledge(self, plan_key: int, rows: list[dict[str, Any]], answers: list[str], now: int) -> None:
        with self.store.transaction() as disk:
            for row, answer in zip(rows, answers, strict=True):
                due = now + MAX_BACKOFF if answer in RETRY_REASONS else None
                disk.execute(
                    "UPDATE reports SET due = ?, answer = ?, tries = tries + 1 WHERE place = ? AND slot = ?",
                    (due, answer, plan_key, row["slot"]),
                )
        refused = sorted(set(answers) - {"accepted"})
        note_answers(self.store, plan_key, refused, now)
        if refused:
            self._say_once(plan_key, f"the provider refused a report: {', '.join(refused)[:100]}")

    def _back_off(self, plan_key: int, now: int) -> None:
        """Try again later, after ever longer pauses."""
        tries = self.store.value("SELECT max(tries) FROM reports WHERE place = ? AND due <= ?", (plan_key, now))
        pause = backoff(int(tries or 0), self.entropy)
        with self.store.transaction() as disk:
            disk.execute(
                "UPDATE reports SET due = ?, tries = tries + 1 WHERE place = ? AND due <= ?",
                (now + pause, plan_key, now),
            )

    def _say_once(self, plan_key: int, line: str) -> None:
        name = Plan.parse(self.store.value("SELECT canonical FROM plans WHERE place = ?", (plan_key,))).name
        self.once(plan_key, f"plan {quoted(name, 60)}: {line}")


def verdicts(answer: HttpResponse, count: int) -> list[str]:
    """What became of each record: accepted, or the reason why not; the answer must add up."""
    if answer.status == 410:
        return ["plan_over"] * count
    body = as_table(answer.json()) if answer.status in (200, 422) else {}
    if answer.status != 200 and "rejected" not in body:
        if answer.status >= 500 or answer.status in RETRY_STATUSES:
            raise Unreachable(f"the provider cannot take reports now: {quoted(answer.problem)}")
        raise ProviderRefused(f"the provider refuses reports: {quoted(answer.problem)}")
    reasons = {
        as_count(as_table(each).get("index")): as_text(as_table(each).get("reason"))
        for each in as_list(body.get("rejected"))
    }
    good = [as_count(body.get(name)) for name in ("accepted", "repeated")]
    known = all(index is not None and index < count and REASON.fullmatch(reasons[index]) for index in reasons)
    if None in good or not known or sum(each or 0 for each in good) + len(reasons) != count:
        raise Unreachable("the provider's answer does not say what became of each report")
    return [reasons.get(index, "accepted") for index in range(count)]
