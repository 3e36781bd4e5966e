"""Homes enrol, report, leave and are erased, files come late, and somebody asks all the while.

What was published once is asked for again and again, at every door: no number of it ever moves.
No number, and no difference of two, rests on fewer homes than the plan's minimum.  Plans publish one
slot at a time, or a few together: then nothing is told of less.  Homes have labels, by their codes or by a
table beside the files, and kinds of homes are asked about too.
"""

import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.in_process_client import EnrolledSigner, InProcessClient
from hushwatt.audit.harness.plans import START, TURN, histories, plan_for
from hushwatt.chaos.provider.doors import EstimatesQuery, ask, compare, refuse, shared
from hushwatt.chaos.provider.labelled_homes import LABELS, check_counted, check_groups, check_rests, labels_of, table_of
from hushwatt.chaos.scenario import Scenario
from hushwatt.household.report.report import SlotReports
from hushwatt.plan import Appliance, Plan
from hushwatt.privacy.rotation import reporting_span
from hushwatt.provider.intake.collect import Collection
from hushwatt.provider.intake.delivery import open_deliveries
from hushwatt.provider.intake.device_names import device_of
from hushwatt.provider.intake.erase import erase_device
from hushwatt.provider.intake.ingest import Ingest
from hushwatt.provider.store.cells import all_cells
from hushwatt.wire.payload import Layout
from hushwatt.wire.reports import ReportWriter

SLOTS = 8  # and as many sequences of events and questions
HOMES = 24
GRACE = timedelta(minutes=10)


@dataclass
class CollectionModel:
    """The homes of a service, what they report, and what has been told of it."""

    client: InProcessClient
    chance: random.Random
    folder: Path
    sent: list[SlotReports]  # of all homes, by slot
    members: dict[int, EnrolledSigner] = field(default_factory=dict)  # enrolled themselves
    named: set[int] = field(default_factory=set)  # in files
    gone: set[int] = field(default_factory=set)
    reported: defaultdict[int, set[int]] = field(default_factory=lambda: defaultdict(set))  # by slot
    slots: dict[tuple[int, str, bool], Any] = field(default_factory=dict)  # as first told
    answers: dict[EstimatesQuery, Any] = field(default_factory=dict)
    shared: dict[EstimatesQuery, Any] = field(default_factory=dict)  # with homes

    @property
    def plan(self) -> Plan:
        return self.client.plan

    @property
    def published(self) -> int:
        return self.client.service.read.state(self.plan).published

    @property
    def first_open(self) -> int:
        """The first slot that takes what homes send themselves."""
        return self.client.service.schedules[self.collection.number].first_open(self.client.clock.now())

    @property
    def collection(self) -> Collection:
        return self.client.service.read.collections[self.plan.id]

    def enrol(self, count: int) -> None:
        """New homes, by their own wish."""
        free = [home for home in range(HOMES) if home not in self.members.keys() | self.named | self.gone]
        for home in self.chance.sample(free, min(count, len(free))):
            self.members[home] = self.client.join(labels=labels_of(home))

    def upload(self, slot: int) -> None:
        """Most homes that have something to say in a slot say it, one by one."""
        sent = self.sent[slot]
        for row, home in enumerate(sent.homes.tolist()):
            if home in self.members and self.chance.random() < 0.9:
                said = self.client.report(self.members[home], slot, sent, slice(row, row + 1))
                expect(said.status in (200, 422), f"an honest report was answered {said.status}")
                if slot > self.published and slot >= self.first_open:
                    self.reported[slot].add(home)

    def ingest(self, slots: range) -> None:
        """A file about some homes and slots, some of them published before."""
        free = [home for home in range(HOMES) if home not in self.members.keys() | self.gone]
        some = set(self.chance.sample(free, min(4, len(free)))) | self.named
        path = self.folder / f"delivery-{slots.stop}-{self.chance.getrandbits(32)}.parquet"
        with ReportWriter(path, self.plan, len(some)) as writer:
            for slot in slots:
                sent = self.sent[slot]
                rows = np.flatnonzero(np.isin(sent.homes, list(some)))
                names = pa.array([_name(home) for home in sent.homes[rows].tolist()], pa.string())
                order = np.argsort(names.to_numpy(zero_copy_only=False))
                rows, names = rows[order], names.take(pa.array(order))
                writer.write(names, slot, 0, sent.spent[rows], sent.drawn[rows], sent.payloads[rows])
                if slot > self.published:
                    self.reported[slot] |= set(sent.homes[rows].tolist())
                    self.named |= set(sent.homes[rows].tolist())
        service, labels = self.client.service, table_of([_name(home) for home in range(HOMES)])
        schedule = service.schedules[self.collection.number]
        run = Ingest(service.database, self.collection, schedule, self.client.clock, labels=labels)
        run.take(open_deliveries(self.plan, [path]))

    def part(self, count: int) -> None:
        """Homes leave, or are erased; slots not yet published forget them."""
        there = sorted(self.members.keys() | self.named)
        for home in self.chance.sample(there, min(count, len(there))):
            if home in self.members:
                member = self.members.pop(home)
                expect(self.client.leave(member, member.name).status == 200, "a home could not leave")
            else:
                self.named.discard(home)
                self._erase(device_of(self.plan, _name(home)))
            self.gone.add(home)
            for slot in range(self.published + 1, SLOTS):
                self.reported[slot].discard(home)

    def _erase(self, device: bytes) -> None:
        with self.client.service.database.writing() as session:
            homes, signers, _ = session.find_devices(self.collection.number, np.frombuffer(device, np.uint8)[None, :])
            erase_device(session, self.collection, device, int(homes[0]), int(signers[0]))

    def speakers(self, slot: int) -> list[set[int]]:
        """The homes whose reports of a slot stand, by the appliance that they speak of."""
        sent, layout = self.sent[slot], Layout.of(self.plan)
        speakers: list[set[int]] = [set() for _ in self.plan.appliances]
        for row, home in enumerate(sent.homes.tolist()):
            if home in self.reported[slot]:
                members, _ = layout.tally(sent.payloads[row : row + 1])
                for place in np.flatnonzero(members):
                    speakers[place].add(home)
        return speakers

    def together(self, slot: int) -> range:
        """The slots that are published with one, that it begins."""
        return range(slot, min(self.plan.periods.last_of(slot) + 1, SLOTS))

    def spoke(self, slots: range, place: int) -> set[int]:
        """The homes whose reports of these slots stand, and speak of an appliance."""
        return {home for slot in slots for home in self.speakers(slot)[place]}


def case(seed: int, folder: Path) -> None:
    """A collection lived through, with questions after every step."""
    chance = random.Random(seed)
    plan = _plan(chance)
    with InProcessClient(folder, plan, now=plan.start + timedelta(minutes=5), grace="10m") as client:
        model = CollectionModel(client, chance, folder, list(histories(plan, HOMES, SLOTS, seed)))
        model.enrol(chance.randint(6, 16))
        for slot in range(SLOTS):
            client.clock.set(plan.calendar.start_of(slot) + timedelta(minutes=5))
            client.get("/slots")  # as time passes, what is due is published
            _events(model, slot)
            for _ in range(2):
                _question(model)
            _share(model)
        client.clock.set(plan.calendar.end_of(SLOTS - 1) + GRACE)
        client.get("/slots")
        model.part(3)
        for query in list(model.answers):
            _ask(model, query)
        _share(model)
        _differences(model)
        check_rests(plan, client.service.read.tallies(plan), model.together, model.spoke)
        with client.service.database.reading() as session:
            check_counted(all_cells(session, model.collection.number), model.members.keys() | model.named)


def _plan(chance: random.Random) -> Plan:
    count = chance.randint(2, 5)
    return plan_for(
        chance,
        chance.choice(["lbu", "lpu"]),
        window=chance.randint(1, 3),
        appliances=tuple(Appliance.of(f"appliance {place}", [100, 200]) for place in range(count)),
        appliances_per_report=chance.randint(1, count),
        minimum_homes=chance.randint(2, 5),
        publish=chance.choice([1, 1, 2, 3, 4]),
        share_results=True,
        expires=START + 52 * timedelta(seconds=TURN),  # results are shared of single periods, and of several
    )


def _events(model: CollectionModel, slot: int) -> None:
    """What happens in a slot, in any order."""
    chance = model.chance
    events: list[Callable[[], None]] = [
        lambda: model.enrol(chance.randint(0, 4)),
        lambda: model.upload(slot),
        lambda: model.upload(max(slot - chance.randint(0, 3), 0)),
        lambda: model.part(chance.randint(0, 2)),
        lambda: model.ingest(range(max(slot - 3, 0), slot + 1)) if chance.random() < 0.4 else None,
        lambda: _publish(model, slot) if chance.random() < 0.2 else None,
    ]
    chance.shuffle(events)
    for event in events:
        event()


def _publish(model: CollectionModel, slot: int) -> None:
    """By hand, the slot just before this one."""
    body = b'{"until": %d}' % max(slot - 1, 0)
    said = model.client.ask("POST", f"{model.client.path}/publish", body, [("Content-Type", "application/json")])
    expect(said.status == 200, f"publishing was answered {said.status}")


def _question(model: CollectionModel) -> None:
    """Something new, or something that was asked before."""
    chance, known = model.chance, list(model.answers)
    if known and chance.random() < 0.4:
        _ask(model, chance.choice(known))
        return
    first, last = sorted(chance.choices(range(SLOTS), k=2))
    by = chance.choice(["", *LABELS, ",".join(LABELS)]) if model.answers else ""
    query = EstimatesQuery(first, last, chance.choice(["norm-sub", "none"]), chance.random() < 0.3, by)
    if query.whole(model.plan):
        _ask(model, query)
    else:
        refuse(model.client, query)
        together = model.plan.periods
        _ask(model, replace(query, first=together.first_of(first), last=together.last_of(last)))


def _ask(model: CollectionModel, query: EstimatesQuery) -> None:
    document = ask(model.client, query)
    compare(model.client, query, document, model.folder)
    for slot in document["slots"]:
        _look(model, query, slot, slot.get("homes", document["homes"]))
    slots = range(query.first, min(query.last + 1, SLOTS))
    check_groups(model.plan, query.labels, document, slots, model.spoke)
    if query.last <= model.published:
        document.pop("not_yet", None)
        expect(model.answers.setdefault(query, document) == document, "a published period changed")


def _share(model: CollectionModel) -> None:
    """What homes may fetch: it is published, and as it was told first."""
    for query, result in shared(model.client):
        expect(query.last <= model.published, "homes are told of what is not published")
        expect(model.shared.setdefault(query, result) == result, "what homes may fetch changed")


def _look(model: CollectionModel, query: EstimatesQuery, slot: dict[str, Any], homes: int) -> None:
    """One slot: as it was told first, and nothing about too few homes."""
    number, need, together = slot["slot"], model.plan.minimum_homes, model.together(slot["slot"])
    expect(model.plan.periods.last_of(number) <= model.published, f"slot {number} is told before it is published")
    expect(slot.get("slots", 1) == len(together), f"slot {number} is not told with all that is published with it")
    kind = number, query.consistency, query.smooth
    document = slot | {"homes": homes}
    expect(model.slots.setdefault(kind, document) == document, f"slot {number} changed after it was published")
    reported = {home for each in together for home in model.reported[each]}
    expect(slot["reports"] <= len(reported), f"more homes are told of slot {number} than were heard")
    for place, name in enumerate(model.plan.names):
        spoke = model.spoke(together, place)
        shown = slot.get("appliances", {}).get(name)
        enough = len(spoke) >= need and len(reported) >= need
        expect(shown is None or enough, f"{len(spoke)} homes spoke of {name} in slot {number}, and it is told")
        if len(together) > reporting_span(model.plan) or model.plan.answers_unmeasured:
            continue  # a home may be heard twice, and is counted for sure once; or hardly any seems to measure it
        expect(shown is not None or not enough, f"enough homes spoke of {name} in slot {number}")
        few = slot.get("too_few_homes_for", {}).get(name)
        if "appliances" in slot:
            said = {"have": len(spoke), "need": need} if 0 < len(spoke) < need else None
            expect(few == said, f"slot {number} does not say how few homes spoke of {name}")


def _differences(model: CollectionModel) -> None:
    """Whatever periods are put together: what can be told apart rests on enough homes.

    A combination of periods weighs slots alike that are in the same periods.
    """
    read, plan = model.client.service.read, model.plan
    within: dict[tuple[str, int], list[bool]] = defaultdict(list)
    for first, last in combinations_with_replacement(range(SLOTS), 2):  # whatever is asked, whole periods count
        result = read.estimates(plan, first, last)
        for name, numbers in result.by_slot.items():
            counted = {slot.slot for slot, here in zip(result.slots, numbers.counted, strict=True) if here}
            for slot in range(SLOTS):
                within[name, slot].append(plan.periods.first_of(slot) in counted)
    for place, name in enumerate(plan.names):
        alike: dict[tuple[bool, ...], set[int]] = defaultdict(set)
        for slot in range(SLOTS):
            alike[tuple(within[name, slot])] |= model.spoke(range(slot, slot + 1), place)
        for periods, homes in alike.items():
            expect(
                not any(periods) or len(homes) >= plan.minimum_homes,
                f"what {len(homes)} homes said of {name} can be told by subtracting periods",
            )


def _name(home: int) -> str:
    return f"home {home:03d}"


SAYS = "no published number ever moves at any door, and none, nor a difference, is of too few homes"
SCENARIO = Scenario("published-once", 22, SAYS, quick=2 * SLOTS, full=10_000, case=case, each=SLOTS, unit="sequences")
