"""The provider weakened on purpose: the scenarios about it find out, in the few cases of the suite."""

import itertools
import time
from dataclasses import replace

import apsw
import pytest

from hushwatt.chaos.run import run
from hushwatt.chaos.scenarios import SCENARIOS
from hushwatt.plan.periods import PublishPeriods
from hushwatt.plan.sharing import shared_ranges
from hushwatt.provider.checks import rotation
from hushwatt.provider.checks.rotation import Rotations
from hushwatt.provider.dashboard import page_context
from hushwatt.provider.estimate import pooling
from hushwatt.provider.estimate.arrays import SlotTimeline
from hushwatt.provider.estimate.document import means_document
from hushwatt.provider.estimate.groups import joint_pools
from hushwatt.provider.estimate.pooling import WholeRows
from hushwatt.provider.estimate.times import time_range
from hushwatt.provider.intake import erase, inbox
from hushwatt.provider.service import published_tallies, shared_results
from hushwatt.provider.service.answer_cache import ByteCache
from hushwatt.provider.service.collection_reader import CollectionReader
from hushwatt.provider.service.published_tallies import PublishedTallies
from hushwatt.provider.service.service import Service
from hushwatt.provider.store import enrolment, plans
from hushwatt.provider.store.sqlite import Sqlite, SqliteSession
from hushwatt.provider.store.tallies import add_tallies, read_tallies
from hushwatt.provider.tally.labels import Cells
from hushwatt.wire.signature import RequestSignature


def faults(name):
    """What the cases of the suite say is broken."""
    scenario = SCENARIOS[name]
    return [failure.said for failure in run(scenario, scenario.quick, seed=1).failures]


def forgetful(monkeypatch):
    """Nothing that was told once is kept in memory, where it could not change."""
    monkeypatch.setattr(ByteCache, "keep", lambda self, key, content: None)
    monkeypatch.setattr(published_tallies, "MAX_COLLECTED", 0)
    everything = lambda self, session, plan, published: read_tallies(session, plan, 0, published)  # noqa: E731
    monkeypatch.setattr(PublishedTallies, "_groups", everything)


def test_a_collector_that_answers_before_it_commits(monkeypatch):
    """Killed between the two, it has acknowledged what is lost.

    It commits when the next write comes, so that a kill falls between however fast or busy the machine is.
    """
    write = inbox.Inbox._write

    def hasty(self, session, batch):
        write(self, session, batch)
        uploads = [waiting for waiting in batch if waiting.upload]
        for waiting in uploads:
            waiting.future.get_loop().call_soon_threadsafe(waiting.resolve)
        while uploads and self._queue.empty():
            time.sleep(0.001)

    monkeypatch.setattr(inbox.Inbox, "_write", hasty)

    (said,) = faults("kill-collector")
    assert "acknowledged reports are lost" in said


def test_a_collector_that_counts_what_it_knows_again(monkeypatch):
    """A repeat that adds to the tally is a 2 where there should be a 1."""
    find = SqliteSession.find_reports

    def counting(self, plan, slot, homes):
        found = find(self, plan, slot, homes)
        known = read_tallies(self, plan, slot, slot)
        add_tallies(self, plan, known if found.any() else {})
        return found

    monkeypatch.setattr(SqliteSession, "find_reports", counting)

    (said,) = faults("exactly-once")
    assert "estimates" in said or "twice" in said


@pytest.mark.parametrize(
    "change",
    [
        lambda patch: patch.setattr(RequestSignature, "fits", lambda *_: True),
        lambda patch: patch.setattr(RequestSignature, "late_by", lambda *_: 0.0),
    ],
    ids=["any signature", "any time"],
)
def test_a_door_that_lets_in_too_many(monkeypatch, change):
    """Signatures and times are each asked for by some forgery."""
    change(monkeypatch)

    (said,) = faults("forged-uploads")
    assert "accepted" in said or "answered" in said


def test_answers_about_too_few_homes(monkeypatch):
    """Without the minimum, what a few homes reported shows somewhere."""
    of = vars(SlotTimeline)["of"].__func__
    monkeypatch.setattr(
        SlotTimeline,
        "of",
        classmethod(lambda kind, arrays, minimum, first=None, **more: of(kind, arrays, 1, first, **more)),
    )

    assert any("tells" in said or "is told" in said for said in faults("small-groups"))


def test_answers_before_their_time(monkeypatch):
    """Slots that are not published yet are not looked at."""
    forgetful(monkeypatch)
    tallies = PublishedTallies.read

    def early(self, plan, last):
        found = tallies(self, plan, last)
        with self._database.reading() as session:
            found.groups.update(read_tallies(session, 1, 0, 99))
        return replace(found, closed=99, cells=Cells())

    monkeypatch.setattr(PublishedTallies, "read", early)

    assert any("before it is published" in said or "tells" in said for said in faults("small-groups"))


def test_a_published_slot_that_changes(monkeypatch):
    """A home that leaves after a slot was published must not be taken out of it."""
    forgetful(monkeypatch)
    shipped = plans.plan_state
    monkeypatch.setattr(erase, "plan_state", lambda session, plan: replace(shipped(session, plan), published=-1))

    assert any("changed after" in said or "not told" in said for said in faults("small-groups"))


def test_a_scale_that_moves(monkeypatch):
    """What was published for so many homes stays on their scale, whoever enrols later."""
    forgetful(monkeypatch)
    monkeypatch.setattr(published_tallies, "homes_when_published", lambda noted, slot: None)

    assert any("changed" in said for said in faults("published-once"))


def test_a_minimum_for_slots_alone(monkeypatch):
    """A slot with enough homes may have few that speak of an appliance."""
    monkeypatch.setattr(WholeRows, "known", lambda rows, timeline, speakers: timeline.enough & (speakers > 0))

    assert any("and it is told" in said for said in faults("published-once"))


def test_kinds_of_homes_that_are_too_few(monkeypatch):
    """A kind of homes is told of though few are in it, or though few are left beside it."""
    monkeypatch.setattr(joint_pools, "answers", lambda partitions, cells: True)

    assert any("of a kind are told of" in said or "kinds of homes" in said for said in faults("published-once"))


def test_homes_that_change_their_kind(monkeypatch):
    """A home whose labels are forgotten when it leaves is still counted among them."""
    monkeypatch.setattr(enrolment, "add_to_cells", lambda session, plan, cells, sign=1: None)

    assert any("counted under other labels" in said for said in faults("published-once"))


def test_small_slots_that_count_alone(monkeypatch):
    """Periods that differ in one slot tell it when they are subtracted."""
    monkeypatch.setattr(pooling, "pooled_slots", lambda _, timeline, speakers: timeline.requested & (speakers > 0))

    assert any("subtracting" in said for said in faults("published-once"))


def test_reports_that_are_taken_for_homes(monkeypatch):
    """A home that speaks several times in a period is one home."""
    monkeypatch.setattr(SlotTimeline, "different", lambda timeline, speakers, span: timeline.sum_by_slot(speakers))

    assert any("and it is told" in said or "than were heard" in said for said in faults("published-once"))


def test_a_period_that_is_published_in_parts(monkeypatch):
    """Nothing is told of a period until all of it can be."""
    monkeypatch.setattr(PublishPeriods, "last_complete", lambda periods, slot: min(slot, periods.slots - 1))

    assert any("before it is published" in said for said in faults("published-once"))


def test_a_range_of_parts(monkeypatch):
    """Whoever asks for a part of a period is told so at every door."""
    monkeypatch.setattr(time_range, "_refuse_parts", lambda *_: None)

    assert any("for a part of a period" in said for said in faults("published-once"))


def test_homes_that_are_told_other_numbers(monkeypatch):
    """What homes may fetch is what analysts see."""
    told = means_document

    def surer(estimates):
        found = told(estimates)
        return found | {
            "appliances": {name: each and each | {"ci95": [0, 1]} for name, each in found["appliances"].items()}
        }

    monkeypatch.setattr(shared_results, "means_document", surer)

    assert any("differs from the answer" in said for said in faults("published-once"))


def test_homes_that_are_told_too_early(monkeypatch):
    """What is not published yet is told to nobody."""
    monkeypatch.setattr(
        shared_results, "shared_ranges", lambda plan, published: shared_ranges(plan, published + 2 * plan.publish)
    )

    assert any("of what is not published" in said for said in faults("published-once"))


def test_homes_that_are_told_different_things(monkeypatch):
    """Who asks must not matter, nor how often."""
    plain = shared_results.SharedResults.body

    async def varied(self, plan):
        self.asked = getattr(self, "asked", 0) + 1
        return await plain(self, plan) + b" " * self.asked

    monkeypatch.setattr(shared_results.SharedResults, "body", varied)

    assert any("told different things" in said for said in faults("published-once"))


def test_a_page_with_other_numbers(monkeypatch):
    """Whoever looks at a page sees what programs are told."""
    cell = page_context.PageContext._cell

    def surer(self, *place):
        found = cell(self, *place)
        return replace(found, low=(found.value + found.low) / 2)

    monkeypatch.setattr(page_context.PageContext, "_cell", surer)

    assert any("page Over time" in said for said in faults("published-once"))


@pytest.mark.parametrize("what", ["log kept", "freed space kept"])
def test_a_store_that_does_not_forget(monkeypatch, what):
    """What is only marked as free is still in the files."""
    if what == "log kept":
        monkeypatch.setattr(Service, "purge_due", _nothing)
    else:
        connected = Sqlite._connect

        def careless(self):
            connection = connected(self)
            connection.pragma("secure_delete", "off")
            return connection

        monkeypatch.setattr(Sqlite, "_connect", careless)

    assert any("home that left" in said for said in faults("erased-homes"))


async def _nothing(_service):
    """What a forgetful programmer would have written."""


def test_a_backup_without_the_log(monkeypatch):
    """A copy of the file alone has not what the log holds."""

    def copied(self, path):
        path.write_bytes(self._path.read_bytes())
        apsw.Connection(str(path)).close()

    monkeypatch.setattr(Sqlite, "backup", copied)

    assert any("backup" in said or "restore" in said for said in faults("restored-backups"))


@pytest.mark.parametrize("forgets", ["phases", "orders"])
def test_a_provider_that_does_not_hold_homes_to_their_word(monkeypatch, forgets):
    """Phases or orders that nobody remembers let a forger say what it likes."""
    judged = Rotations._judged

    def forgetful(self, slot, homes, payloads):
        verdicts = judged(self, slot, homes, payloads)
        if forgets == "phases":
            self.phases[homes] = -1
        else:
            self.starts[homes], self.places[homes] = 0, 0
        return verdicts

    monkeypatch.setattr(Rotations, "_judged", forgetful)

    assert any("forger" in said for said in faults("turns"))


def test_a_provider_that_counts_turns_by_what_arrives(monkeypatch):
    """A missed turn must move the order on, or honest homes are refused."""
    counted = itertools.count()
    monkeypatch.setattr(rotation, "first_place", lambda plan, slot: next(counted) % len(plan.appliances))

    assert any("an honest home was refused" in said for said in faults("turns"))


def test_a_service_that_stumbles(monkeypatch):
    """A question that makes it fail is found by bending good ones."""

    def stumble(self, plan):
        raise ZeroDivisionError

    monkeypatch.setattr(CollectionReader, "health", stumble)

    (said,) = faults("hostile-requests")
    assert "ZeroDivisionError" in said
