"""A provider in this process, which answers at once and can be swapped for another in between."""

import json

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.household.upload.http import HttpResponse
from hushwatt.household.upload.provider_client import ProviderClient
from hushwatt.wire.proof import NONCE_HEADER, Challenge, prove, sha256_hex
from hushwatt.wire.record import unpack
from hushwatt.wire.signature import public_bytes, sign_plan, sign_successor

ADDRESS = "http://127.0.0.1"
KEY, OTHER, THIRD = (Ed25519PrivateKey.from_private_bytes(bytes([each] * 32)) for each in (1, 2, 3))


def vouched(old, new, by=None):
    """One step of a history of keys, signed by the old one or by somebody else."""
    word = sign_successor(by or old, public_bytes(new))
    return {"key": public_bytes(old).hex(), "successor": public_bytes(new).hex(), "signature": word.hex()}


class Server:
    """Answers every errand as a provider does, proved by whatever key it has now."""

    def __init__(self, *plans, size=0):
        self.plans, self.size = plans, size  # bytes of a payload
        self.key, self.history, self.device, self.turn = KEY, [], bytes(16), None
        self.heard, self.nonces, self.slots, self.reasons = [], [], [], {}

    def client(self, address=ADDRESS):
        return ProviderClient(address, lambda address: self)

    def close(self):
        pass

    def ask(self, method, path, body=None, headers=None):
        self.heard.append((method, path))
        self.nonces.append(headers[NONCE_HEADER])
        told, signed = self._told(method, path, body or b"")
        challenge = Challenge(bytes.fromhex(headers[NONCE_HEADER]), method, path, sha256_hex(body or b""))
        signed = {**signed, **prove(self.key, challenge, 200, told)}
        return HttpResponse(200, {name.lower(): value for name, value in signed.items()}, told)

    def _told(self, method, path, body):
        for plan in self.plans:
            if path == f"/v1/plans/{plan.id}":
                return plan.canonical(), sign_plan(self.key, plan.canonical())
        answers = {
            "plans": {"plans": [{"id": plan.id, "name": plan.name} for plan in self.plans]},
            "keys": {"history": self.history},
            "devices": {"device": self.device.hex(), "turn": self.turn},
        }
        name = path.rpartition("/")[2]
        told = self._taken(body) if name == "reports" else answers.get(name, {"reports": 0})
        return json.dumps(told).encode(), {}

    def _taken(self, body):
        """Take what is uploaded, but for slots that there is a reason to refuse."""
        slots = unpack(body, self.size).slot.tolist()
        self.slots.append(slots)
        refused = [
            {"index": place, "reason": self.reasons[slot]}
            for place, slot in enumerate(slots)
            if slot in self.reasons
        ]
        return {"accepted": len(slots) - len(refused), "repeated": 0, "rejected": refused}
