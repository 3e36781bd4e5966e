"""Uploads that are forged, altered, or sent again, at a service that knows the homes they name."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
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

    @classmethod
    def of(cls, member: EnrolledSigner, path: str, time: int, body: bytes, method: str = "POST") -> "SignedRequest":
        return cls(method, path, sign_request(member.key, member.name, method, path, time, body), body)

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

    def honest(self, body: bytes) -> SignedRequest:
        return SignedRequest.of(self.victim, self.path, self.client.now, body)

    def post(self, request: SignedRequest) -> ServiceResponse:
        return self.client.ask(request.method, request.path, request.body, request.headers.items())


Forger = Callable[[ForgeryTarget, bytes, random.Random], SignedRequest]


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
                arrived[report] = target.honest(crowd.body([report]))
                verdict = target.post(arrived[report]).json()
                expect(verdict["accepted"] == 1, "an honest report was not accepted")
        with client.service.database.reading() as session:
            tallies = read_tallies(session, 1, 0, SLOTS)
            strange = read_tallies(session, 2, 0, SLOTS)
        check_tallies(crowd, set(arrived), tallies)
        expect(not strange, "a forged report counts in another plan")


def _forge(target: ForgeryTarget, report: Report, chance: random.Random) -> None:
    name = chance.choice(list(FORGERS))
    said = target.post(FORGERS[name](target, target.crowd.body([report]), chance))
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


def altered_body(target: ForgeryTarget, body: bytes, chance: random.Random) -> SignedRequest:
    return replace(target.honest(body), body=flip(body, chance))


def altered_signature(target: ForgeryTarget, body: bytes, chance: random.Random) -> SignedRequest:
    request = target.honest(body)
    return request.with_header(SIGNATURE_HEADER, flip(bytes.fromhex(request.headers[SIGNATURE_HEADER]), chance).hex())


def altered_time(target: ForgeryTarget, body: bytes, chance: random.Random) -> SignedRequest:
    moment = target.client.now + chance.choice([-1, 1]) * chance.randint(1, 200)
    return target.honest(body).with_header(TIME_HEADER, str(moment))


def altered_device(target: ForgeryTarget, body: bytes, chance: random.Random) -> SignedRequest:
    name = chance.choice([target.other.name, target.elsewhere.name, flip(target.victim.name, chance)])
    return target.honest(body).with_header(DEVICE_HEADER, name.hex())


def missing_header(target: ForgeryTarget, body: bytes, chance: random.Random) -> SignedRequest:
    request = target.honest(body)
    gone = chance.choice(sorted(request.headers))
    return replace(request, headers={name: value for name, value in request.headers.items() if name != gone})


def unsigned(target: ForgeryTarget, body: bytes, chance: random.Random) -> SignedRequest:
    empty = chance.choice(["", "00", "0" * 128, "g" * 128])
    return target.honest(body).with_header(SIGNATURE_HEADER, empty)


def anothers_key(target: ForgeryTarget, body: bytes, chance: random.Random) -> SignedRequest:
    key = chance.choice([target.other.key, target.elsewhere.key, Ed25519PrivateKey.generate()])
    return SignedRequest.of(target.victim._replace(key=key), target.path, target.client.now, body)


def anothers_report(target: ForgeryTarget, body: bytes, chance: random.Random) -> SignedRequest:
    """A neighbour who is enrolled signs a record of the victim's device with a good key."""
    return SignedRequest.of(target.other, target.path, target.client.now, body)


def for_another_plan(target: ForgeryTarget, body: bytes, chance: random.Random) -> SignedRequest:
    """Signed for one plan, sent to the other, whichever way."""
    if chance.random() < 0.5:
        return replace(target.honest(body), path=target.elsewhere_path)
    return replace(SignedRequest.of(target.victim, target.elsewhere_path, target.client.now, body), path=target.path)


def member_of_another_plan(target: ForgeryTarget, body: bytes, chance: random.Random) -> SignedRequest:
    """A device of one plan that signs for the other."""
    who, path = chance.choice([(target.elsewhere, target.path), (target.victim, target.elsewhere_path)])
    return SignedRequest.of(who, path, target.client.now, body)


def for_another_purpose(target: ForgeryTarget, body: bytes, chance: random.Random) -> SignedRequest:
    """A signature over another method."""
    request = SignedRequest.of(
        target.victim, target.path, target.client.now, body, method=chance.choice(["DELETE", "PUT"])
    )
    return replace(request, method="POST")


def out_of_time(target: ForgeryTarget, body: bytes, chance: random.Random) -> SignedRequest:
    """Signed well, but long ago, or by a clock far ahead."""
    away = chance.choice([-1, 1]) * (target.client.config.tolerance + chance.randint(1, 10**6))
    return SignedRequest.of(target.victim, target.path, target.client.now + away, body)


def with_one_more(target: ForgeryTarget, body: bytes, chance: random.Random) -> SignedRequest:
    """An honest request with something put behind it, or with its end cut off."""
    request = target.honest(body)
    return replace(request, body=chance.choice([body + body, body[: chance.randrange(len(body))]]))


def spliced(target: ForgeryTarget, body: bytes, chance: random.Random) -> SignedRequest:
    """The head of one request with the body of another, both honest."""
    twin = bytearray(body)
    twin[16:20] = np.uint32(chance.randrange(SLOTS)).tobytes()
    rest = target.honest(bytes(twin) + body)
    return replace(rest, body=body)


def erasing_anothers(target: ForgeryTarget, body: bytes, chance: random.Random) -> SignedRequest:
    """A neighbour who wants the victim's device erased."""
    path = f"{target.client.path}/devices/{target.victim.devices[chance.randrange(HOMES)].tobytes().hex()}"
    who = chance.choice([target.other, target.elsewhere, target.victim._replace(key=target.other.key)])
    return SignedRequest.of(who, path, target.client.now, b"", method="DELETE")


FORGERS: dict[str, Forger] = {
    forger.__name__.replace("_", " "): forger
    for forger in (
        altered_body,
        altered_signature,
        altered_time,
        altered_device,
        missing_header,
        unsigned,
        anothers_key,
        anothers_report,
        for_another_plan,
        member_of_another_plan,
        for_another_purpose,
        out_of_time,
        with_one_more,
        spliced,
        erasing_anothers,
    )
}

SAYS = "no upload counts that its device did not sign for this plan, in its time, as it is"
SCENARIO = Scenario(
    "forged-uploads", 15, SAYS, quick=FORGERIES, full=100_000, case=case, each=FORGERIES, unit="uploads"
)
