"""Uploads that are forged, altered, or sent again, at a service that knows the homes they name."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.audit.harness.buckets import Crowd, Report, bucket_plan, check_tallies
from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.in_process_client import InProcessClient, Member, Said
from hushwatt.chaos.scenario import Scenario
from hushwatt.provider.store.tallies import read_tallies
from hushwatt.wire.signature import DEVICE_HEADER, SIGNATURE_HEADER, TIME_HEADER, sign_request

FORGERIES, HOMES, SLOTS = 500, 50, 20
REFUSED = {400, 401, 404, 422}


@dataclass(frozen=True)
class Letter:
    """A signed request on its way."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @classmethod
    def of(cls, member: Member, path: str, time: int, body: bytes, method: str = "POST") -> "Letter":
        return cls(method, path, sign_request(member.key, member.name, method, path, time, body), body)

    def with_header(self, name: str, value: str) -> "Letter":
        return replace(self, headers={**self.headers, name: value})


@dataclass(frozen=True)
class Town:
    """A service, a gateway whose reports are at stake, another one, and a third in another plan."""

    desk: InProcessClient
    crowd: Crowd
    victim: Member
    other: Member
    elsewhere: Member
    elsewhere_path: str

    @property
    def path(self) -> str:
        return f"{self.desk.path}/reports"

    def honest(self, body: bytes) -> Letter:
        return Letter.of(self.victim, self.path, self.desk.now, body)

    def post(self, letter: Letter) -> Said:
        return self.desk.ask(letter.method, letter.path, letter.body, letter.headers.items())


Forger = Callable[[Town, bytes, random.Random], Letter]


def case(seed: int, folder: Path) -> None:
    """Honest reports arrive between forgeries, and in the end only they count."""
    chance = random.Random(seed)
    plan = bucket_plan(HOMES, SLOTS)
    apart = replace(plan, name="another plan")
    with InProcessClient(folder, plan, apart, now=plan.start + timedelta(minutes=SLOTS), grace="1d") as desk:
        victim, other = desk.join(HOMES), desk.join(HOMES)
        crowd = Crowd(plan, victim.key, victim.name, victim.devices)
        elsewhere = desk.join(HOMES, apart)
        town = Town(desk, crowd, victim, other, elsewhere, f"/v1/plans/{apart.id}/reports")
        arrived: dict[Report, Letter] = {}
        for _ in range(FORGERIES):
            report = chance.randrange(HOMES), chance.randrange(SLOTS)
            if report in arrived:
                _send_again(town, arrived[report], chance)
                continue
            _forge(town, report, chance)
            if chance.random() < 0.1:
                arrived[report] = town.honest(crowd.body([report]))
                told = town.post(arrived[report]).json()
                expect(told["accepted"] == 1, "an honest report was not accepted")
        with desk.service.database.reading() as session:
            tallies = read_tallies(session, 1, 0, SLOTS)
            strange = read_tallies(session, 2, 0, SLOTS)
        check_tallies(crowd, set(arrived), tallies)
        expect(not strange, "a forged report counts in another plan")


def _forge(town: Town, report: Report, chance: random.Random) -> None:
    name = chance.choice(list(FORGERS))
    said = town.post(FORGERS[name](town, town.crowd.body([report]), chance))
    told = said.json()
    expect(said.status in REFUSED, f"{name}: answered {said.status}")
    expect(not told.get("accepted"), f"{name}: accepted")


def _send_again(town: Town, letter: Letter, chance: random.Random) -> None:
    """The same letter once more: known in its time, refused after."""
    late = chance.random() < 0.5
    before = town.desk.clock.now()
    limit = town.desk.config.tolerance
    if late:
        town.desk.clock.set(before + timedelta(seconds=limit + chance.randint(1, 1000)))
    said = town.post(letter)
    town.desk.clock.set(before)
    if late:
        expect(said.problem == "clock-off", f"an old letter was answered {said.status} {said.problem}")
    else:
        expect(said.status == 200 and said.json()["repeated"] == 1, "a letter sent again is not known")


def flip(data: bytes, chance: random.Random) -> bytes:
    """The same with one bit the other way."""
    place = chance.randrange(8 * len(data))
    return data[: place // 8] + bytes([data[place // 8] ^ 1 << place % 8]) + data[place // 8 + 1 :]


def altered_body(town: Town, body: bytes, chance: random.Random) -> Letter:
    return replace(town.honest(body), body=flip(body, chance))


def altered_signature(town: Town, body: bytes, chance: random.Random) -> Letter:
    letter = town.honest(body)
    return letter.with_header(
        SIGNATURE_HEADER, flip(bytes.fromhex(letter.headers[SIGNATURE_HEADER]), chance).hex()
    )


def altered_time(town: Town, body: bytes, chance: random.Random) -> Letter:
    moment = town.desk.now + chance.choice([-1, 1]) * chance.randint(1, 200)
    return town.honest(body).with_header(TIME_HEADER, str(moment))


def altered_device(town: Town, body: bytes, chance: random.Random) -> Letter:
    name = chance.choice([town.other.name, town.elsewhere.name, flip(town.victim.name, chance)])
    return town.honest(body).with_header(DEVICE_HEADER, name.hex())


def missing_header(town: Town, body: bytes, chance: random.Random) -> Letter:
    letter = town.honest(body)
    gone = chance.choice(sorted(letter.headers))
    return replace(letter, headers={name: value for name, value in letter.headers.items() if name != gone})


def unsigned(town: Town, body: bytes, chance: random.Random) -> Letter:
    empty = chance.choice(["", "00", "0" * 128, "g" * 128])
    return town.honest(body).with_header(SIGNATURE_HEADER, empty)


def anothers_key(town: Town, body: bytes, chance: random.Random) -> Letter:
    key = chance.choice([town.other.key, town.elsewhere.key, Ed25519PrivateKey.generate()])
    return Letter.of(town.victim._replace(key=key), town.path, town.desk.now, body)


def anothers_report(town: Town, body: bytes, chance: random.Random) -> Letter:
    """A neighbour who is enrolled signs a record of the victim's device with a good key."""
    return Letter.of(town.other, town.path, town.desk.now, body)


def for_another_plan(town: Town, body: bytes, chance: random.Random) -> Letter:
    """Signed for one plan, sent to the other, whichever way."""
    if chance.random() < 0.5:
        return replace(town.honest(body), path=town.elsewhere_path)
    return replace(Letter.of(town.victim, town.elsewhere_path, town.desk.now, body), path=town.path)


def member_of_another_plan(town: Town, body: bytes, chance: random.Random) -> Letter:
    """A device of one plan that signs for the other."""
    who, path = chance.choice([(town.elsewhere, town.path), (town.victim, town.elsewhere_path)])
    return Letter.of(who, path, town.desk.now, body)


def for_another_purpose(town: Town, body: bytes, chance: random.Random) -> Letter:
    """A signature over another method."""
    letter = Letter.of(town.victim, town.path, town.desk.now, body, method=chance.choice(["DELETE", "PUT"]))
    return replace(letter, method="POST")


def out_of_time(town: Town, body: bytes, chance: random.Random) -> Letter:
    """Signed well, but long ago, or by a clock far ahead."""
    away = chance.choice([-1, 1]) * (town.desk.config.tolerance + chance.randint(1, 10**6))
    return Letter.of(town.victim, town.path, town.desk.now + away, body)


def with_one_more(town: Town, body: bytes, chance: random.Random) -> Letter:
    """An honest letter with something put behind it, or with its end cut off."""
    letter = town.honest(body)
    return replace(letter, body=chance.choice([body + body, body[: chance.randrange(len(body))]]))


def spliced(town: Town, body: bytes, chance: random.Random) -> Letter:
    """The head of one letter with the body of another, both honest."""
    twin = bytearray(body)
    twin[16:20] = np.uint32(chance.randrange(SLOTS)).tobytes()
    rest = town.honest(bytes(twin) + body)
    return replace(rest, body=body)


def erasing_anothers(town: Town, body: bytes, chance: random.Random) -> Letter:
    """A neighbour who wants the victim's device erased."""
    path = f"{town.desk.path}/devices/{town.victim.devices[chance.randrange(HOMES)].tobytes().hex()}"
    who = chance.choice([town.other, town.elsewhere, town.victim._replace(key=town.other.key)])
    return Letter.of(who, path, town.desk.now, b"", method="DELETE")


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

SCENARIO = Scenario(
    name="forged-uploads",
    promise=15,
    says="no upload counts that its device did not sign for this plan, in its time, as it is",
    quick=FORGERIES,
    full=100_000,
    case=case,
    each=FORGERIES,
    unit="uploads",
)
