"""Deliveries: listed, believed within reason, corrected, and taken back exactly."""

from dataclasses import replace

import numpy as np
import pytest
from tests.provider.collecting import STORES, histories
from tests.provider.delivering import Depot, names, same, write_file

from hushwatt.errors import ReportError, UsageError
from hushwatt.privacy.rotation import assigned_turn
from hushwatt.provider.intake.collect import ACCEPTED, collect
from hushwatt.provider.intake.delivery import open_deliveries
from hushwatt.provider.intake.device_names import names_of
from hushwatt.provider.intake.erase import erase_device
from hushwatt.provider.intake.ingest import Ingest
from hushwatt.provider.intake.take_back import correct_homes, take_back
from hushwatt.provider.store import schema
from hushwatt.provider.store.deliveries import all_deliveries
from hushwatt.provider.store.enrolment import enrol_home
from hushwatt.provider.store.plans import plan_state
from hushwatt.provider.store.reports import stored
from hushwatt.provider.store.reports.stored import every_report, stored_slots
from hushwatt.provider.store.rotations import assign_rotations
from hushwatt.provider.store.sqlite import Sqlite
from hushwatt.wire.record import Records

both_stores = pytest.mark.parametrize("store_address", STORES, indirect=True)
ONE = np.zeros(1, dtype=np.int64)  # the first home
METHODS = ["lbu", "lsp", "lpu", "lbd", "lba"]


@pytest.fixture(params=[7, 1 << 15], ids=["in parts", "at once"])
def together(request, monkeypatch):
    """How many reports of a slot are taken out at a time: fewer than there are, or all."""
    monkeypatch.setattr(stored, "BATCH_ROWS", request.param)


@pytest.fixture
def depot(store_address):
    opened = []

    def make(plan, **more):
        opened.append(Depot(store_address, plan, **more))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


def undo(store, number):
    with store.database.writing() as session:
        return take_back(session, store.collection, number)


def listed(store):
    with store.database.reading() as session:
        return all_deliveries(session, store.number)


def state(store):
    with store.database.reading() as session:
        return plan_state(session, store.number)


def contents(store):
    """Everything that a collection is made of, but for numbers that are given once."""
    homes = store.all("SELECT device, filed, signer FROM devices ORDER BY device")
    with store.database.reading() as session:
        devices = dict(session.all("SELECT home, device FROM devices WHERE plan = ?", store.number))
        reports = sorted(
            (devices[each.home], slot, each.spent, each.drawn, each.as_of, each.payload)
            for slot in stored_slots(session, store.number)
            for each in every_report(session, store.number, slot)
        )
    draws = store.all(
        "SELECT d.device, w.slot FROM draws w JOIN devices d ON d.plan = w.plan AND d.home = w.home "
        "ORDER BY d.device, w.slot"
    )
    draws += store.all(
        "SELECT d.device, k.known FROM rotations k JOIN devices d ON d.plan = k.plan AND d.home = k.home "
        "ORDER BY d.device"
    )
    tallies = store.all("SELECT slot, round, as_of, drawn, homes, reports, counts FROM tallies ORDER BY 1, 2, 3, 4")
    return homes, reports, draws, tallies, store.all("SELECT homes, told, filed FROM plans")


@both_stores
@pytest.mark.parametrize(("method", "asked"), [*((method, 3) for method in METHODS), ("lbu", 1), ("lpu", 2)])
def test_as_if_it_had_never_come(method, asked, together, depot, plan_of, tmp_path):
    """After a wrong delivery was taken back, the store holds what it held before, to the last byte."""
    plan = plan_of(3, 4, 2, method=method, oracle="oue", window=3, appliances_per_report=asked)
    sent = list(histories(plan, 12, 8))
    store = depot(plan)
    early = write_file(tmp_path / "a.parquet", plan, sent[:5], names(12))
    wrong = write_file(tmp_path / "b.parquet", plan, histories(plan, 9, 8, seed=9), names(9, first=6), homes=40)
    late = write_file(tmp_path / "c.parquet", plan, sent[5:], names(12))
    store.take(early)
    before = contents(store)
    store.take(wrong)
    between = contents(store)

    done = undo(store, 2)

    assert contents(store) == before != between
    assert done.reports == len(between[1]) - len(before[1])
    assert (done.stay, done.again) == (0, ())
    store.take(late)
    other = tmp_path / "other.sqlite"
    fresh = Depot(str(other), plan)
    fresh.take(early, late)
    assert contents(store) == contents(fresh)
    fresh.close()


@pytest.mark.parametrize("method", ["lbd", "lba"])
@pytest.mark.parametrize("gone", [0, 1, 2])
def test_draws_that_others_stand_by(method, gone, depot, plan_of, tmp_path):
    """Repeats of other files that stood by a draw of the wrong one are counted with the draw before it."""
    plan = plan_of(3, 4, 2, method=method, oracle="oue", window=3)
    sent = list(histories(plan, 12, 9))
    files = [write_file(tmp_path / f"{place}.parquet", plan, sent[place::3], names(12)) for place in range(3)]
    store, fresh = depot(plan), Depot(str(tmp_path / "fresh.sqlite"), plan)
    store.take(*files)
    fresh.take(*(file for place, file in enumerate(files) if place != gone))

    undo(store, gone + 1)

    assert contents(store) == contents(fresh)
    fresh.close()


@both_stores
def test_published_numbers_stay(depot, plan_of, tmp_path):
    """What was published is published; the rest is forgotten, and only the rest."""
    plan = plan_of(3, 4, 2, oracle="oue")
    store = depot(plan)
    wrong = write_file(tmp_path / "a.parquet", plan, histories(plan, 10, 4), names(10))
    store.take(wrong)
    store.publish(until=1)
    before = store.told()
    done = undo(store, 1)

    assert (done.reports, done.stay, done.homes) == (20, 20, 0)
    assert store.told() == before
    assert {key.slot for key in store.tallies()} == {0, 1}
    with pytest.raises(UsageError, match="was taken back before"):
        undo(store, 1)


def test_what_cannot_be_undone_is_refused(depot, plan_of, tmp_path):
    """A delivery of published slots alone stays, and so does everything when it is asked for."""
    plan = plan_of(3, 4, 2, oracle="oue")
    store = depot(plan)
    store.take(write_file(tmp_path / "a.parquet", plan, histories(plan, 10, 2), names(10)))
    store.publish()
    before = contents(store)

    with pytest.raises(UsageError, match="delivery 1 cannot be taken back: all of its slots are published"):
        undo(store, 1)
    with pytest.raises(UsageError, match="there is no delivery 7"):
        undo(store, 7)
    assert contents(store) == before


@both_stores
def test_files_that_repeated_it_come_again(depot, plan_of, tmp_path):
    """A report that two files brought came with the first; without that, the second must come again."""
    plan = plan_of(3, 4, 2, oracle="oue")
    sent = list(histories(plan, 10, 4))
    store = depot(plan)
    one = write_file(tmp_path / "one.parquet", plan, sent[:3], names(10))
    two = write_file(tmp_path / "two.parquet", plan, sent[1:], names(10))
    store.take(one, two)
    done = undo(store, 1)
    again = store.take(two)

    assert done.again == ("two.parquet",)
    assert (again.accepted, again.repeated) == (20, 10)
    fresh = Depot(str(tmp_path / "fresh.sqlite"), plan)
    fresh.take(two)
    assert same(store.tallies(), fresh.tallies())
    fresh.close()


def test_what_was_taken_back_may_come_again(depot, plan_of, tmp_path):
    """Whoever was wrong about a wrong file takes it in once more."""
    plan = plan_of(3, 4, 2, oracle="oue")
    store = depot(plan)
    path = write_file(tmp_path / "a.parquet", plan, histories(plan, 10, 4), names(10))
    store.take(path)
    before = contents(store)
    undo(store, 1)
    again = store.take(path)

    assert again.accepted == 40
    assert contents(store) == before
    assert [(each.number, each.undone, each.homes) for each in listed(store)] == [(1, 0, 10)]


def test_a_run_beside_it_looks_again(depot, plan_of, tmp_path):
    """A run that knows homes of what is taken back meanwhile enrols them anew."""
    plan = plan_of(3, 4, 2, oracle="oue")
    sent = list(histories(plan, 10, 4))
    store = depot(plan)
    one = write_file(tmp_path / "one.parquet", plan, sent[:2], names(10))
    two = write_file(tmp_path / "two.parquet", plan, sent[2:], names(10))
    run = Ingest(store.database, store.collection, store.schedule, store.clock)
    run.take(open_deliveries(plan, [one]))
    undo(store, 1)
    run.take(open_deliveries(plan, [two]))

    assert store.all("SELECT count(*) FROM devices") == [(10,)]
    assert len(contents(store)[1]) == 20


@both_stores
@pytest.mark.parametrize("spoke", [False, True])
@pytest.mark.parametrize(("method", "asked"), [("lbu", 3), ("lbu", 1), ("lpu", 3), ("lpu", 1)])
def test_homes_that_enrolled_themselves_stay(depot, plan_of, tmp_path, spoke, method, asked):
    """A home with a key of its own stays, and what it sent; that a wrong file named it is forgotten."""
    plan = plan_of(3, 4, 2, method=method, oracle="oue", window=3, appliances_per_report=asked)
    store = depot(plan)
    with store.database.writing() as session:
        device = enrol_home(session, store.number, bytes(31) + b"\1").name
        if spoke:
            own = next(each for each in histories(plan, 1, 6, seed=7) if each.slot > 2 and len(each.homes))
            sent = Records(  # type: ignore[call-arg]
                *(np.array([each]) for each in (0, own.slot, own.spent[0], own.drawn[0])), own.payloads
            )
            (verdict,) = collect(session, store.collection, sent, ONE, ONE, np.zeros(1, np.int8), 0, 9)
            assert verdict == ACCEPTED
    before = contents(store)
    called = names_of(np.frombuffer(device, np.uint8)[None, :]) + names(4)
    store.take(write_file(tmp_path / "a.parquet", plan, histories(plan, 5, 3), sorted(called)))
    named = store.all("SELECT homes, filed FROM plans")

    undo(store, 1)

    assert named == [(5, 5)]
    assert contents(store) == before


def later(plan, sent, slots=1):
    """The same reports, some slots later."""
    return [replace(each, slot=each.slot + slots) for each in sent]


@both_stores
@pytest.mark.parametrize(("method", "asked"), [("lpu", 3), ("lpu", 1), ("lbu", 1)])
def test_files_that_disagreed_with_it_come_again(method, asked, depot, plan_of, tmp_path):
    """A wrong file told wrong turns, so the right one was refused; without it, that one comes again."""
    plan = plan_of(3, 4, 2, method=method, oracle="grr", window=3, appliances_per_report=asked)
    sent = list(histories(plan, 12, 9))
    store, fresh = depot(plan), Depot(str(tmp_path / "fresh.sqlite"), plan)
    wrong = write_file(tmp_path / "wrong.parquet", plan, later(plan, sent), names(12))
    right = write_file(tmp_path / "right.parquet", plan, sent, names(12))
    store.take(wrong)
    refused = store.take(right)
    done = undo(store, 1)
    again, alone = store.take(right), fresh.take(right)

    assert refused.rejected.total() > 0
    assert done.again == ("right.parquet",)
    assert again.accepted + refused.accepted == alone.accepted
    assert contents(store) == contents(fresh)
    fresh.close()


def test_turns_of_homes_that_enrolled_themselves(depot, plan_of, tmp_path):
    """What a wrong file said of an enrolled home's turn is forgotten; the turn given to a home is not."""
    plan = plan_of(3, method="lpu", oracle="grr", window=3)
    store = depot(plan)
    with store.database.writing() as session:
        free, held = (enrol_home(session, store.number, bytes(31) + bytes([key])) for key in (1, 2))
        assign_rotations(session, store.number, plan, held)
    before = contents(store)
    turns = {free.name: (assigned_turn(plan, 0) + 1) % 3, held.name: assigned_turn(plan, 1)}
    sent = list(histories(plan, 12, 9))
    homes = {turn: next(s.homes[0] for s in sent if s.slot % 3 == turn) for turn in turns.values()}
    called = {homes[turn]: names_of(np.frombuffer(device, np.uint8)[None, :])[0] for device, turn in turns.items()}
    rows = [replace_homes(each, [home for home in each.homes if home in called]) for each in sent]
    store.take(write_file(tmp_path / "a.parquet", plan, rows, called, homes=2))
    learnt = contents(store)

    undo(store, 1)

    assert learnt[1]
    assert learnt[2] != before[2]
    assert contents(store) == before


def replace_homes(sent, homes):
    """What only some homes sent."""
    rows = np.flatnonzero(np.isin(sent.homes, homes))
    return replace(sent, **{name: getattr(sent, name)[rows] for name in ("homes", "spent", "drawn", "payloads")})


def test_published_and_erased(depot, plan_of, tmp_path):
    """A delivery of published slots alone is refused, also when some of its homes have been erased since."""
    plan = plan_of(3, 4, 2, oracle="oue")
    store = depot(plan)
    store.take(write_file(tmp_path / "a.parquet", plan, histories(plan, 10, 2), names(10)))
    store.publish()
    ((device, home, signer), *_) = store.all("SELECT device, home, signer FROM devices")
    with store.database.writing() as session:
        erase_device(session, store.collection, bytes(device), home, signer)

    with pytest.raises(UsageError, match="all of its slots are published"):
        undo(store, 1)


@both_stores
@pytest.mark.parametrize("asked", [1, 3])
def test_homes_held_to_their_offer_stay_held(depot, plan_of, tmp_path, asked):
    """The turn and the order given at enrolment outlive a wrong file that named the home."""
    plan = plan_of(3, 4, 2, method="lpu", oracle="oue", window=3, appliances_per_report=asked)
    store = depot(plan)
    with store.database.writing() as session:
        enrolled = enrol_home(session, store.number, bytes(31) + b"\1")
        assign_rotations(session, store.number, plan, enrolled)
    before = contents(store)
    called = names_of(np.frombuffer(enrolled.name, np.uint8)[None, :])
    for seed in range(9):
        path = write_file(tmp_path / f"{seed}.parquet", plan, histories(plan, 1, 9, seed=seed), called)
        store.take(path)
        if listed(store)[-1].accepted:
            break

    undo(store, len(listed(store)))

    assert before[2]
    assert contents(store)[2] == before[2]


class TestHomesTold:
    """How many homes take part, by a file's word: believed within reason."""

    def file(self, tmp_path, plan, homes, slots=2):
        return write_file(tmp_path / "r.parquet", plan, histories(plan, 10, slots), names(10), homes=homes)

    @pytest.mark.parametrize("method, homes, good", [
        ("lbu", 450, True), ("lbu", 451, False), ("lbu", 10**9, False),
        ("lpu", 900, True), ("lpu", 10**9, False),
    ])  # fmt: skip
    def test_many_more_than_were_heard(self, depot, plan_of, tmp_path, method, homes, good):
        """Ten times as many as could have sent the rows, and a few; more is refused, and nothing is kept."""
        plan = plan_of(3, 4, 2, method=method, oracle="oue", window=3)
        store, path = depot(plan), self.file(tmp_path, plan, homes)
        if good:
            store.take(path)
            assert state(store).homes == homes
            return

        with pytest.raises(ReportError, match="give the true number with --homes"):
            store.take(path)
        assert listed(store) == []
        assert state(store).homes == 0

    def test_the_operator_knows_better(self, depot, plan_of, tmp_path):
        """A number that the operator gives stands in the place of the file's."""
        plan = plan_of(3, 4, 2, oracle="oue")
        store, path = depot(plan), self.file(tmp_path, plan, 10**9)
        run = Ingest(store.database, store.collection, store.schedule, store.clock, homes=120)
        run.take(open_deliveries(plan, [path]))

        assert state(store).homes == 120
        assert listed(store)[0].homes == 120

    @pytest.mark.parametrize("homes, left", [(30, 30), (3, 10), (0, 10)])
    def test_a_wrong_number_is_put_right(self, depot, plan_of, tmp_path, homes, left):
        """Also afterwards, but never below the homes that were seen; and the next run does not undo it."""
        plan = plan_of(3, 4, 2, oracle="oue")
        store, path = depot(plan), self.file(tmp_path, plan, 400)
        store.take(path)
        with store.database.writing() as session:
            correct_homes(session, store.collection, 1, homes)
        corrected = state(store).homes
        with store.database.writing() as session:
            session.run("UPDATE deliveries SET taken = 3")  # as after a run that was stopped
        store.take(path)

        assert corrected == state(store).homes == left

    def test_the_most_of_what_is_left_counts(self, depot, plan_of, tmp_path):
        """When the file that told most is taken back, the next one's word counts."""
        plan = plan_of(3, 4, 2, oracle="oue")
        store = depot(plan)
        sent = list(histories(plan, 10, 3))
        for place, homes in enumerate((50, 300, 20)):
            store.take(write_file(tmp_path / f"{place}.parquet", plan, sent[place : place + 1], names(10), homes))
        most = state(store).homes
        undo(store, 2)

        assert (most, state(store).homes) == (300, 50)


def test_files_of_an_older_store_are_listed(tmp_path, monkeypatch, plan_of):
    """Deliveries of before have numbers too, and what they told can be put right."""
    monkeypatch.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:2])
    older = Sqlite(tmp_path / "store.sqlite")
    with older.writing() as session:
        session.run(
            "INSERT INTO plans (id, canonical, homes, next_home, published, told) VALUES ('a', x'00', 90, 0, -1, 90)"
        )
        for content in (b"x", b"y"):
            session.run("INSERT INTO deliveries (plan, content, taken) VALUES (1, ?, 7)", content)
    older.close()
    monkeypatch.undo()
    newer = Sqlite(tmp_path / "store.sqlite")
    with newer.reading() as session:
        found = [(each.number, each.taken, each.homes) for each in all_deliveries(session, 1)]
    newer.close()

    assert found == [(1, 7, 90), (2, 7, 90)]


def test_files_of_an_older_store_stay(depot, plan_of, tmp_path):
    """What they brought is not known, so they are not taken back by halves."""
    plan = plan_of(3, 4, 2, oracle="oue")
    store = depot(plan)
    store.take(write_file(tmp_path / "a.parquet", plan, histories(plan, 10, 2), names(10)))
    with store.database.writing() as session:  # as the store was before
        session.run("UPDATE deliveries SET at = 0, accepted = 0")
        session.run("UPDATE reports SET delivery = 0")
    before = contents(store)

    with pytest.raises(UsageError, match="delivery 1 cannot be taken back: it came before"):
        undo(store, 1)
    assert contents(store) == before
