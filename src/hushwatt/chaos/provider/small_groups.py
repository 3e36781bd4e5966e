"""Questions in any order about slots that too few homes have reported in.

Two services are asked the same.  They differ in one thing: what was reported in the slots with
too few homes, and in those not yet published.  Nothing of that is told if, to every question,
both give the same answer, to the last byte.  Plans publish one slot at a time, or a few together.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from math import isclose
from pathlib import Path
from typing import Any

from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.in_process_client import EnrolledSigner, InProcessClient
from hushwatt.audit.harness.plans import histories, plan_for
from hushwatt.chaos.scenario import Scenario
from hushwatt.household.report.report import SlotReports
from hushwatt.plan import Appliance, Plan
from hushwatt.provider.dashboard.views import VIEWS
from hushwatt.wire.labels import Labels
from hushwatt.wire.payload import Layout

SLOTS = 8  # and as many sequences of questions
SPARE = 5  # homes more than an answer needs
PAGES = tuple(view.path for view in VIEWS)
FILES = ("export.csv", "export.json", "export.parquet")


@dataclass
class TwinService:
    """One of the two services, and what its homes report."""

    client: InProcessClient
    members: list[EnrolledSigner]
    reports: list[SlotReports]  # of all homes, by slot
    seen: dict[tuple[int, str], Any] = field(default_factory=dict)  # published slots, as first told

    def upload(self, slot: int, homes: list[int], reports: list[SlotReports]) -> None:
        for home in homes:
            said = self.client.report(self.members[home], slot, reports[slot], slice(home, home + 1))
            expect(said.status == 200, f"an honest report was answered {said.status}")


@dataclass(frozen=True)
class GroupScript:
    """Who reports and who leaves, slot by slot; the same in both services."""

    plan: Plan
    reporting: list[list[int]]
    leaving: list[list[int]]

    def told(self, slot: int) -> bool:
        """Whether enough homes stand by their reports when the slot, and all with it, is published."""
        first, last = self.plan.periods.first_of(slot), self.plan.periods.last_of(slot)
        return any(
            len(set(self.reporting[each]) - self._gone(each, last)) >= self.plan.minimum_homes
            for each in range(first, min(last + 1, SLOTS))
        )

    def _gone(self, slot: int, last: int) -> set[int]:
        """The homes that leave after a slot, and before the last of its period is published."""
        return {home for step in self.leaving[slot : last + 2] for home in step}

    def secret(self, slot: int) -> bool:
        """Whether nothing of the slot is ever to be told: too few homes, or the end comes first."""
        return not self.told(slot) or self.plan.periods.last_of(slot) >= SLOTS - 2


def case(seed: int, folder: Path) -> None:
    """A collection lived through twice, with other secrets, and asked the same."""
    chance = random.Random(seed)
    script = _script(chance)
    left, right = _worlds(folder, script, seed)
    try:
        for slot in range(SLOTS):
            for service in (left, right):
                service.client.clock.set(script.plan.calendar.start_of(slot) + timedelta(minutes=5))
                service.client.get("/slots")  # as time passes, what is due is published
                reports = service.reports if script.secret(slot) else left.reports
                service.upload(slot, script.reporting[slot], reports)
                for home in script.leaving[slot]:
                    member = service.members[home]
                    expect(service.client.leave(member, member.name).status == 200, "a home could not leave")
            for target in _questions(script.plan, slot, chance):
                _compare(script, left, right, slot, target)
    finally:
        left.client.close()
        right.client.close()


def _script(chance: random.Random) -> GroupScript:
    minimum = chance.randint(2, 6)
    names = ("kettle", "oven", "washer")
    plan = plan_for(
        chance,
        "lbu",
        appliances=tuple(Appliance.of(name, [100, 200, 300]) for name in names),
        appliances_per_report=len(names),
        minimum_homes=minimum,
        publish=chance.choice([1, 1, 2, 3]),
    )
    staying, reporting, leaving = list(range(minimum + SPARE)), list[list[int]](), list[list[int]]()
    for _ in range(SLOTS):
        around = [0, 1, minimum - 1, minimum - 1, minimum, minimum, minimum + 1, len(staying)]
        count = min(len(staying), chance.choice(around))
        reporting.append(chance.sample(staying, count))
        goes = chance.sample(staying, 1) if chance.random() < 0.5 and len(staying) > minimum else []
        leaving.append(goes)
        staying = [home for home in staying if home not in goes]
    return GroupScript(plan, reporting, leaving)


def _worlds(folder: Path, script: GroupScript, seed: int) -> tuple[TwinService, TwinService]:
    homes = script.plan.minimum_homes + SPARE
    services = list[TwinService]()
    for name in ("left", "right"):
        (folder / name).mkdir()
        client = InProcessClient(folder / name, script.plan, now=script.plan.start + timedelta(minutes=5), grace="10m")
        reports = list(histories(script.plan, homes, SLOTS, seed + len(services)))
        members = [client.join(labels=Labels.of({"tariff": "AAB"[home % 3]})) for home in range(homes)]
        services.append(TwinService(client, members, reports))
    left, right = services
    layout = Layout.of(script.plan)
    for slot in range(SLOTS):
        rows = script.reporting[slot]
        _, here = layout.tally(left.reports[slot].payloads[rows])
        _, there = layout.tally(right.reports[slot].payloads[rows])
        if rows and (here == there).all():  # the secrets happen to add up to the same
            right.reports[slot] = right.reports[slot - 1]
    return left, right


def _questions(plan: Plan, slot: int, chance: random.Random) -> Iterator[str]:
    """A few questions of any kind, and always what the slots are."""
    here = f"/v1/plans/{plan.id}"
    yield f"{here}/estimates"
    for _ in range(chance.randint(2, 5)):
        words = []
        if chance.random() < 0.6:
            words += [f"{name}={_moment(plan, chance)}" for name in chance.sample(["from", "to"], chance.randint(1, 2))]
        if chance.random() < 0.4:
            words.append("smooth=true")
        path = chance.choice([*PAGES, *(f"{here}/{name}" for name in ("estimates", "top", "slots", "health", *FILES))])
        if chance.random() < 0.5 and ("estimates" in path or "export" in path):
            words.append("consistency=none")
        if path.endswith("/estimates") and chance.random() < 0.5 and slot:
            words.append("by=tariff")
        if path in ("/series", "/levels", "/times") and chance.random() < 0.5:
            words.append(f"appliance={chance.choice(plan.names)}")
        yield path + ("?" + "&".join(words) if words else "")


def _moment(plan: Plan, chance: random.Random) -> str:
    return plan.calendar.start_of(chance.randrange(SLOTS + 2)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _compare(script: GroupScript, left: TwinService, right: TwinService, slot: int, target: str) -> None:
    """Ask both, and find no difference; look at the answer too where it is JSON."""
    here, there = left.client.ask("GET", target), right.client.ask("GET", target)
    name = target.replace(script.plan.id, "…")
    expect(here.status < 500, f"{name} was answered {here.status}")
    expect(here.status == there.status, f"{name} is answered differently for other secrets")
    expect(here.body == there.body, f"{name} tells what too few homes reported")
    if "/estimates" in target and here.status == 200:
        _look(script, left, slot, target, here.json()["slots"])


def _look(script: GroupScript, service: TwinService, now: int, target: str, slots: list[dict[str, Any]]) -> None:
    for row in slots:
        number = row["slot"]
        expect(script.plan.periods.last_of(number) <= now - 2, f"slot {number} is told before it is published")
        enough = script.told(number)
        word = "not told" if enough else "told"
        expect(("appliances" in row) == enough, f"slot {number} with {row['reports']} homes is {word}")
        expect(("too_few_homes" in row) != enough, f"slot {number} does not say that homes are too few")
        if "smooth" in target:
            continue
        kind = number, "none" if "consistency=none" in target else "norm-sub"
        frozen = {key: value for key, value in row.items() if key != "homes"}
        first = service.seen.setdefault(kind, frozen)
        expect(alike(first, frozen), f"slot {number} changed after it was published")


def alike(here: Any, there: Any) -> bool:
    """Whether two documents are the same but for how the last digits of sums are rounded.

    >>> alike({"a": [1.0, None]}, {"a": [1.0 + 1e-15, None]}), alike({"a": 1}, {"a": 1, "b": 2})
    (True, False)
    """
    if isinstance(here, dict) and isinstance(there, dict):
        return here.keys() == there.keys() and all(alike(here[key], there[key]) for key in here)
    if isinstance(here, list) and isinstance(there, list):
        return len(here) == len(there) and all(map(alike, here, there))
    if isinstance(here, float) and isinstance(there, float):
        return isclose(here, there, rel_tol=1e-9, abs_tol=1e-9)
    return bool(here == there)


SAYS = "no answer tells anything of a slot with too few homes, and a published slot never changes"
SCENARIO = Scenario("small-groups", 17, SAYS, quick=8 * SLOTS, full=10_000, case=case, each=SLOTS, unit="sequences")
