"""What waits to leave: stored bytes, sent as they are until the provider has them.

A report is sent once its time has come, and again, byte for byte, after ever longer
pauses until it is acknowledged.  Nothing here can make or change a report.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.errors import HushwattError
from hushwatt.household.clock import SECOND
from hushwatt.household.net import Answer, Unreachable
from hushwatt.household.provider_link import Link, Refused, WrongProvider
from hushwatt.household.store import Store
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Entropy
from hushwatt.wire.record import pack

TOGETHER = 500  # records in one upload
FIRST, LONGEST = 5 * SECOND, 3_600 * SECOND  # pauses before the next attempt
TRUSTED = 3_600 * SECOND  # how long a look at the provider's key is good for
AGAIN = ("too_early",)  # refusals that time will mend


@dataclass
class Outbox:
    """The reports that have not been acknowledged yet."""

    store: Store
    entropy: Entropy
    say: Callable[[str], None]
    link: Callable[[str], Link] = Link
    trusted: dict[int, int] = field(default_factory=dict)  # plan → when its provider's key was last seen
    said: dict[int, str] = field(default_factory=dict)

    def send(self, now: int) -> None:
        """Send all that is due, plan by plan; what fails waits."""
        waiting = self.store.rows(
            "SELECT DISTINCT place FROM reports WHERE due <= ? AND place IN "
            "(SELECT place FROM plans WHERE left IS NULL AND device IS NOT NULL)",
            (now,),
        )
        for place in (row["place"] for row in waiting):
            try:
                self._send(place, now)
                self.said.pop(place, None)
            except HushwattError as wrong:
                self._wait(place, now)
                self._say_once(place, str(wrong))

    def _send(self, place: int, now: int) -> None:
        plan = self.store.rows("SELECT * FROM plans WHERE place = ?", (place,))[0]
        link = self.link(plan["address"])
        self._trust(link, plan, now)
        rows = self.store.rows(
            "SELECT * FROM reports WHERE place = ? AND due <= ? ORDER BY slot LIMIT ?", (place, now, TOGETHER)
        )
        body = b"".join(
            pack(plan["device"], row["slot"], row["spent"], row["drawn"], row["payload"]) for row in rows
        )
        key = Ed25519PrivateKey.from_private_bytes(plan["secret"])
        answer = link.upload(plan["plan"], key, plan["device"], body, now // SECOND)
        self._acknowledge(place, rows, verdicts(answer, len(rows)), now)

    def _trust(self, link: Link, plan: dict[str, Any], now: int) -> None:
        """Make sure, now and then, that whoever answers still has the key that was pinned."""
        if abs(now - self.trusted.get(plan["place"], -TRUSTED)) < TRUSTED:
            return
        offer = link.offer(plan["plan"], pinned=plan["provider"])
        if offer.key != plan["provider"]:
            with self.store.change() as disk:
                disk.execute("UPDATE plans SET provider = ? WHERE place = ?", (offer.key, plan["place"]))
        self.trusted[plan["place"]] = now

    def _acknowledge(self, place: int, rows: list[dict[str, Any]], answers: list[str], now: int) -> None:
        with self.store.change() as disk:
            for row, answer in zip(rows, answers, strict=True):
                due = now + LONGEST if answer in AGAIN else None
                disk.execute(
                    "UPDATE reports SET due = ?, answer = ?, tries = tries + 1 WHERE place = ? AND slot = ?",
                    (due, answer, place, row["slot"]),
                )
        refused = sorted(set(answers) - {"accepted"})
        if refused:
            self._say_once(place, f"the provider refused a report: {', '.join(refused)[:100]}")

    def _wait(self, place: int, now: int) -> None:
        """Try again later: each time about twice as late, by chance and never by the data."""
        tries = self.store.value("SELECT max(tries) FROM reports WHERE place = ? AND due <= ?", (place, now))
        longest = min(FIRST << min(int(tries or 0), 16), LONGEST)
        pause = longest // 2 + (int(self.entropy.words(1)[0]) * longest // 2 >> 64)
        with self.store.change() as disk:
            disk.execute(
                "UPDATE reports SET due = ?, tries = tries + 1 WHERE place = ? AND due <= ?",
                (now + pause, place, now),
            )

    def _say_once(self, place: int, line: str) -> None:
        if self.said.get(place) != line:
            self.said[place] = line
            name = Plan.parse(self.store.value("SELECT canonical FROM plans WHERE place = ?", (place,))).name
            self.say(f"plan {name}: {line}")


def verdicts(answer: Answer, count: int) -> list[str]:
    """What became of each record: accepted, or the reason why not."""
    if answer.status == 410:
        return ["plan_over"] * count
    told = answer.json() if answer.status in (200, 422) else None
    if not isinstance(told, dict) or not isinstance(told.get("rejected"), list):
        if answer.status >= 500 or answer.status == 429:
            raise Unreachable(f"the provider cannot take reports now ({answer.problem})")
        raise Refused(f"the provider refuses reports: {answer.problem}")
    found = ["accepted"] * count
    for each in told["rejected"]:
        index = each.get("index") if isinstance(each, dict) else None
        if isinstance(index, int) and 0 <= index < count:
            found[index] = f"{each.get('reason', 'refused')}"[:40]
    return found


__all__ = ["Outbox", "WrongProvider", "verdicts"]
