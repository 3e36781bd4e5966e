"""What a home asks of a provider: its plans, a place in one, and to be erased.

Nothing the provider says is believed unsigned: a plan must hash to its id, carry the
signature of the provider's key, and that key must be the one pinned before, or follow
from it step by step.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.errors import HushwattError, ReportError, UsageError
from hushwatt.household.net import Answer, Unreachable, ask
from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import has_turns
from hushwatt.wire.record import DEVICE
from hushwatt.wire.signature import (
    KEY_HEADER,
    SIGNATURE_HEADER,
    plan_fits,
    public_bytes,
    sign_request,
    successor_fits,
)

JSON = {"Content-Type": "application/json"}
BINARY = {"Content-Type": "application/octet-stream"}


class WrongProvider(HushwattError):
    """Whoever answers cannot show that it is the provider this home agreed with."""


class Refused(HushwattError):
    """The provider says no."""


@dataclass(frozen=True)
class Offer:
    """A plan as a provider offers it, and the key that signed it."""

    plan: Plan
    key: bytes


@dataclass(frozen=True)
class Place:
    """A home's place in a plan: the name of its device, and its turn, where the provider offers one."""

    device: bytes
    offered: bool  # an older provider offers no turn
    turn: int | None = None  # none where the plan has none


@dataclass(frozen=True)
class Link:
    """One provider, at one address."""

    address: str  # https://host, without /v1
    ask: Callable[..., Answer] = ask  # the door to the network

    def plans(self) -> list[dict[str, str]]:
        """What the provider collects: ids and names, not yet believed."""
        told = self._good(self.ask("GET", f"{self.address}/v1/plans")).json()
        found = told.get("plans", []) if isinstance(told, dict) else []
        return [each for each in found if isinstance(each, dict) and isinstance(each.get("id"), str)]

    def offer(self, plan_id: str, pinned: bytes | None = None) -> Offer:
        """A plan, whole and signed, by the pinned key or one that follows from it."""
        answer = self._good(self.ask("GET", f"{self.address}/v1/plans/{plan_id}"))
        if hashlib.sha256(answer.body).hexdigest() != plan_id:
            raise WrongProvider(f"what {self.address} sent is not plan {plan_id[:12]}…: its hash is another")
        key, signature = (_hex(answer, name) for name in (KEY_HEADER, SIGNATURE_HEADER))
        if not _fits(key, signature, answer.body):
            raise WrongProvider(f"the plan from {self.address} is not signed by the key beside it")
        if pinned is not None and key != pinned and not self._follows(pinned, key):
            raise WrongProvider(
                f"{self.address} has another key ({key.hex()[:16]}…) than the one pinned "
                f"({pinned.hex()[:16]}…), and the old key does not vouch for it"
            )
        return Offer(Plan.parse(answer.body, source=self.address), key)

    def enrol(self, plan: Plan, key: Ed25519PrivateKey, code: str | None) -> Place:
        """A place for this home in a plan."""
        wish = {"public_key": public_bytes(key).hex()} | ({"code": code} if code else {})
        body = json.dumps(wish).encode()
        answer = self._good(self.ask("POST", f"{self.address}/v1/plans/{plan.id}/devices", body, JSON))
        told = answer.json()
        try:
            device = bytes.fromhex(told["device"])
        except (KeyError, TypeError, ValueError):
            device = b""
        if len(device) != DEVICE:
            raise Refused(f"{self.address} gave this home no name")
        turn = told.get("turn") if has_turns(plan) else None
        if turn is not None and (type(turn) is not int or not 0 <= turn < plan.window):
            raise Refused(f"{self.address} gave this home a turn that the plan does not have")
        return Place(device, offered="turn" in told, turn=turn)

    def upload(self, plan_id: str, key: Ed25519PrivateKey, device: bytes, body: bytes, time: int) -> Answer:
        """Send records as they are; any answer is handed back."""
        path = f"/v1/plans/{plan_id}/reports"
        headers = BINARY | sign_request(key, device, "POST", path, time, body)
        return self.ask("POST", self.address + path, body, headers)

    def erase(self, plan_id: str, key: Ed25519PrivateKey, device: bytes, time: int) -> int:
        """Ask for every report of this device to be erased; how many there were."""
        path = f"/v1/plans/{plan_id}/devices/{device.hex()}"
        headers = sign_request(key, device, "DELETE", path, time, b"")
        told = self._good(self.ask("DELETE", self.address + path, None, headers)).json()
        return int(told.get("reports", 0)) if isinstance(told, dict) else 0

    def _follows(self, pinned: bytes, key: bytes) -> bool:
        """Whether each key from the pinned one on vouched for the next, up to this one."""
        told = self._good(self.ask("GET", f"{self.address}/v1/keys")).json()
        steps = told.get("history", []) if isinstance(told, dict) else []
        try:
            for step in steps:
                old, new = bytes.fromhex(step["key"]), bytes.fromhex(step["successor"])
                if old == pinned and successor_fits(old, bytes.fromhex(step["signature"]), new):
                    pinned = new
        except (KeyError, TypeError, ValueError, ReportError):
            return False
        return pinned == key

    def _good(self, answer: Answer) -> Answer:
        if answer.status >= 500 or answer.status == 429:
            raise Unreachable(f"{self.address} cannot answer now ({answer.problem})")
        if not 200 <= answer.status < 300:
            raise Refused(f"{self.address} refuses: {answer.problem}")
        return answer


def choose(link: Link, wanted: str | None) -> str:
    """The id of the plan that was meant."""
    found = link.plans()
    fitting = [each for each in found if each["id"].startswith(wanted or "")]
    if len(fitting) == 1:
        return fitting[0]["id"]
    names = "; ".join(f"{each['id'][:12]} {each.get('name', '')}"[:80] for each in found[:10])
    if not found:
        raise UsageError(f"{link.address} collects nothing now")
    raise UsageError(f"name one plan with --plan: {names}")


def _hex(answer: Answer, name: str) -> bytes:
    try:
        return bytes.fromhex(answer.headers.get(name.lower(), ""))
    except ValueError:
        return b""


def _fits(key: bytes, signature: bytes, canonical: bytes) -> bool:
    try:
        return plan_fits(key, signature, canonical)
    except ReportError:
        return False
