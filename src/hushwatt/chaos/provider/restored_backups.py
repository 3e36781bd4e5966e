"""Backups made in the middle of everything, and put back."""

import random
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import numpy as np

from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.in_process_client import EnrolledSigner, InProcessClient
from hushwatt.audit.harness.plans import histories
from hushwatt.chaos.provider.erased_homes import wide_plan
from hushwatt.chaos.scenario import Scenario
from hushwatt.household.report.report import SlotReports
from hushwatt.plan.plan import Plan
from hushwatt.provider.store.backup import restore
from hushwatt.provider.store.reports.stored import every_report, stored_slots
from hushwatt.provider.store.tallies import read_tallies
from hushwatt.provider.tally.tally import Tallies, TallyKey, tally_rows
from hushwatt.wire.payload import Layout

HOMES, SLOTS, PARTS = 60, 4, 5
QUESTIONS = ("/estimates", "/estimates?consistency=none&smooth=true", "/top", "/export.csv", "/slots")


def case(seed: int, folder: Path) -> None:
    """A service is backed up while it takes uploads; the copy lives on and says the same in the end."""
    chance, plan = random.Random(seed), wide_plan()
    backup = folder / "backup.sqlite"
    with _opened(folder / "first", plan) as first, ThreadPoolExecutor(1) as helper:
        gateway = first.join(HOMES)
        sent = list(histories(plan, HOMES, SLOTS, seed))
        steps = [(slot, part) for slot in range(SLOTS) for part in _parts(chance)]
        moment, copying = chance.randrange(1, len(steps)), list[Future[None]]()
        for place, (slot, rows) in enumerate(steps):
            if place == moment:
                copying.append(helper.submit(first.service.database.backup, backup))
            _send(first, gateway, sent[slot], rows)
        copying[0].result()
        restore(backup, _folder(folder / "second") / "store.sqlite")
        with _opened(folder / "second", plan) as second:
            _check_whole(second, plan)
            for slot, rows in steps:
                _send(second, gateway, sent[slot], rows)
            _compare(first, second)
        again = folder / "quiet.sqlite"
        first.service.database.backup(again)
        restore(again, _folder(folder / "third") / "store.sqlite")
        with _opened(folder / "third", plan) as third:
            _compare(first, third)


def _folder(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return folder


def _opened(folder: Path, plan: Plan) -> InProcessClient:
    return InProcessClient(_folder(folder), plan, now=plan.start + timedelta(minutes=10 * SLOTS), grace="1h")


def _parts(chance: random.Random) -> list[list[int]]:
    """The homes in any order, some at a time."""
    homes = chance.sample(range(HOMES), HOMES)
    return [homes[place::PARTS] for place in range(PARTS)]


def _send(client: InProcessClient, gateway: EnrolledSigner, sent: SlotReports, homes: list[int]) -> None:
    rows = np.array(homes)
    verdict = client.report(gateway, sent.slot, sent, rows, gateway.devices[rows]).json()
    expect(not verdict["rejected"], "a report was rejected")


def _check_whole(client: InProcessClient, plan: Plan) -> None:
    """The copy is of one moment: its tallies are those of its reports."""
    with client.service.database.reading() as session:
        tallies = read_tallies(session, 1, 0, SLOTS)
        rows = [(slot, each) for slot in stored_slots(session, 1) for each in every_report(session, 1, slot)]
    counted = Tallies(HOMES, {})
    for slot, each in rows:
        one = tally_rows(Layout.of(plan), np.frombuffer(each.payload, np.uint8)[None, :])
        counted.add(TallyKey(slot, 0, each.as_of, each.drawn), one)
    same = tallies.keys() == counted.groups.keys() and all(
        (tally.counts == counted.groups[key].counts).all() and tally.rows == counted.groups[key].rows
        for key, tally in tallies.items()
    )
    expect(same, "the tallies of a backup are not those of its reports")


def _compare(here: InProcessClient, there: InProcessClient) -> None:
    """Both answer alike, and neither has lost or doubled anything."""
    for client in (here, there):
        client.at_slot(SLOTS + 7)
    for question in QUESTIONS:
        expect(here.get(question).body == there.get(question).body, f"{question} differs after a restore")
    reports = [slot["reports"] for slot in there.get("/estimates").json()["slots"]]
    expect(reports == [HOMES] * SLOTS, f"slots of a restored store have {reports} reports")


SAYS = "a backup made while uploads arrive is whole, and a store restored from it answers the same"
SCENARIO = Scenario("restored-backups", 18, SAYS, quick=2, full=100, case=case, unit="restores")
