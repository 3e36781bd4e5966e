"""Uploads that are forged, altered, or sent again, at a service that knows the homes they name."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from inspect import isfunction
from pathlib import Path

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.audit.harness.buckets import GatewayHomes, Report, bucket_plan, check_tallies
from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.in_process_client import EnrolledSigner, InProcessClient, ServiceResponse
from hushwatt.chaos.scenario import Scenario
from hushwatt.provider.store.tallies import read_tallies
from hushwatt.wire.signature import DEVICE_HEADER, SIGNATURE_HEADER, TIME_HEADER, sign_request

FORGERIES, HOMES, SLOTS = 500, 50, 20
REFUSED = {400, 401, 404, 422}


@dataclass(frozen=True)
class SignedRequest:
    """A signed request on its way."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def with_header(self, name: str, value: str) -> "SignedRequest":
        return replace(self, headers={**self.headers, name: value})


@dataclass(frozen=True)
class ForgeryTarget:
    """A service, a gateway whose reports are at stake, another one, and a third in another plan."""

    client: InProcessClient
    crowd: GatewayHomes
    victim: EnrolledSigner
    other: EnrolledSigner
    elsewhere: EnrolledSigner
    elsewhere_path: str

    @property
    def path(self) -> str:
        return f"{self.client.path}/reports"

    def signed(
        self, body: bytes, by: EnrolledSigner | None = None, path: str = "", method: str = "POST", away: int = 0
    ) -> SignedRequest:
        """An honest request of the victim, or of another, for another path, purpose or time."""
        signer, where = by or self.victim, path or self.path
        headers = sign_request(signer.key, signer.name, method, where, self.client.now + away, body)
        return SignedRequest(method, where, headers, body)

    def post(self, request: SignedRequest) -> ServiceResponse:
        return self.client.ask(request.method, request.path, request.body, request.headers.items())


def case(seed: int, folder: Path) -> None:
    """Honest reports arrive between forgeries, and in the end only they count."""
    chance = random.Random(seed)
    plan = bucket_plan(HOMES, SLOTS)
    apart = replace(plan, name="another plan")
    with InProcessClient(folder, plan, apart, now=plan.start + timedelta(minutes=SLOTS), grace="1d") as client:
        victim, other = client.join(HOMES), client.join(HOMES)
        crowd = GatewayHomes(plan, victim.key, victim.name, victim.devices)
        elsewhere = client.join(HOMES, apart)
        target = ForgeryTarget(client, crowd, victim, other, elsewhere, f"/v1/plans/{apart.id}/reports")
        arrived: dict[Report, SignedRequest] = {}
        for _ in range(FORGERIES):
            report = chance.randrange(HOMES), chance.randrange(SLOTS)
            if report in arrived:
                _send_again(target, arrived[report], chance)
                continue
            _forge(target, report, chance)
            if chance.random() < 0.1:
                arrived[report] = target.signed(crowd.body([report]))
                verdict = target.post(arrived[report]).json()
                expect(verdict["accepted"] == 1, "an honest report was not accepted")
        with client.service.database.reading() as session:
            tallies = read_tallies(session, 1, 0, SLOTS)
            strange = read_tallies(session, 2, 0, SLOTS)
        check_tallies(crowd, set(arrived), tallies)
        expect(not strange, "a forged report counts in another plan")


def _forge(target: ForgeryTarget, report: Report, chance: random.Random) -> None:
    name = chance.choice(list(FORGERS))
    said = target.post(FORGERS[name](Forgery(target, target.crowd.body([report]), chance)))
    verdict = said.json()
    expect(said.status in REFUSED, f"{name}: answered {said.status}")
    expect(not verdict.get("accepted"), f"{name}: accepted")


def _send_again(target: ForgeryTarget, request: SignedRequest, chance: random.Random) -> None:
    """The same request once more: known in its time, refused after."""
    late = chance.random() < 0.5
    before = target.client.clock.now()
    limit = target.client.config.tolerance
    if late:
        target.client.clock.set(before + timedelta(seconds=limit + chance.randint(1, 1000)))
    said = target.post(request)
    target.client.clock.set(before)
    if late:
        expect(said.problem == "clock-off", f"an old request was answered {said.status} {said.problem}")
    else:
        expect(said.status == 200 and said.json()["repeated"] == 1, "a request sent again is not known")


def flip(data: bytes, chance: random.Random) -> bytes:
    """The same with one bit the other way."""
    place = chance.randrange(8 * len(data))
    return data[: place // 8] + bytes([data[place // 8] ^ 1 << place % 8]) + data[place // 8 + 1 :]


@dataclass(frozen=True)
class Forgery:
    """An upload of the victim's, and every way to forge it."""

    target: ForgeryTarget
    body: bytes
    chance: random.Random

    def altered_body(self) -> SignedRequest:
        return replace(self.target.signed(self.body), body=flip(self.body, self.chance))

    def altered_signature(self) -> SignedRequest:
        request = self.target.signed(self.body)
        signature = flip(bytes.fromhex(request.headers[SIGNATURE_HEADER]), self.chance)
        return request.with_header(SIGNATURE_HEADER, signature.hex())

    def altered_time(self) -> SignedRequest:
        moment = self.target.client.now + self.chance.choice([-1, 1]) * self.chance.randint(1, 200)
        return self.target.signed(self.body).with_header(TIME_HEADER, str(moment))

    def altered_device(self) -> SignedRequest:
        target = self.target
        name = self.chance.choice([target.other.name, target.elsewhere.name, flip(target.victim.name, self.chance)])
        return target.signed(self.body).with_header(DEVICE_HEADER, name.hex())

    def missing_header(self) -> SignedRequest:
        request = self.target.signed(self.body)
        gone = self.chance.choice(sorted(request.headers))
        return replace(request, headers={name: value for name, value in request.headers.items() if name != gone})

    def unsigned(self) -> SignedRequest:
        empty = self.chance.choice(["", "00", "0" * 128, "g" * 128])
        return self.target.signed(self.body).with_header(SIGNATURE_HEADER, empty)

    def anothers_key(self) -> SignedRequest:
        key = self.chance.choice([self.target.other.key, self.target.elsewhere.key, Ed25519PrivateKey.generate()])
        return self.target.signed(self.body, by=self.target.victim._replace(key=key))

    def anothers_report(self) -> SignedRequest:
        """A neighbour who is enrolled signs a record of the victim's device with a good key."""
        return self.target.signed(self.body, by=self.target.other)

    def for_another_plan(self) -> SignedRequest:
        """Signed for one plan, sent to the other, whichever way."""
        if self.chance.random() < 0.5:
            return replace(self.target.signed(self.body), path=self.target.elsewhere_path)
        return replace(self.target.signed(self.body, path=self.target.elsewhere_path), path=self.target.path)

    def member_of_another_plan(self) -> SignedRequest:
        """A device of one plan that signs for the other."""
        target = self.target
        who, path = self.chance.choice([(target.elsewhere, target.path), (target.victim, target.elsewhere_path)])
        return target.signed(self.body, by=who, path=path)

    def for_another_purpose(self) -> SignedRequest:
        """A signature over another method."""
        return replace(self.target.signed(self.body, method=self.chance.choice(["DELETE", "PUT"])), method="POST")

    def out_of_time(self) -> SignedRequest:
        """Signed well, but long ago, or by a clock far ahead."""
        away = self.chance.choice([-1, 1]) * (self.target.client.config.tolerance + self.chance.randint(1, 10**6))
        return self.target.signed(self.body, away=away)

    def with_one_more(self) -> SignedRequest:
        """An honest request with something put behind it, or with its end cut off."""
        cut = self.chance.randrange(len(self.body))
        return replace(self.target.signed(self.body), body=self.chance.choice([self.body * 2, self.body[:cut]]))

    def spliced(self) -> SignedRequest:
        """The head of one request with the body of another, both honest."""
        twin = bytearray(self.body)
        twin[16:20] = np.uint32(self.chance.randrange(SLOTS)).tobytes()
        return replace(self.target.signed(bytes(twin) + self.body), body=self.body)

    def erasing_anothers(self) -> SignedRequest:
        """A neighbour who wants the victim's device erased."""
        target = self.target
        path = f"{target.client.path}/devices/{target.victim.devices[self.chance.randrange(HOMES)].tobytes().hex()}"
        who = self.chance.choice([target.other, target.elsewhere, target.victim._replace(key=target.other.key)])
        return target.signed(b"", by=who, path=path, method="DELETE")


FORGERS: dict[str, Callable[[Forgery], SignedRequest]] = {
    name.replace("_", " "): forger for name, forger in vars(Forgery).items() if isfunction(forger) and name[0] != "_"
}

SAYS = "no upload counts that its device did not sign for this plan, in its time, as it is"
SCENARIO = Scenario(
    "forged-uploads", 15, SAYS, quick=FORGERIES, full=100_000, case=case, each=FORGERIES, unit="uploads"
)
