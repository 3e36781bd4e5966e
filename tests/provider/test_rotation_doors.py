"""Every door refuses what is out of turn or out of order, for its own reason, and takes the rest."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.provider.collecting import STORES, histories, records
from tests.provider.delivering import Depot
from tests.provider.reported import HOMES, arrow, part, plainly, reported, saved, twice

from hushwatt.privacy.rotation import order_of
from hushwatt.privacy.strategies import strategy_for
from hushwatt.provider.tally.engines import arrow_tally, engine, tally_reports
from hushwatt.provider.tally.engines.tally_arrow import decode_tallies
from hushwatt.wire.payload import Layout
from hushwatt.wire.record import pack, pack_many
from hushwatt.wire.reports.schema import ReportBatch

both_stores = pytest.mark.parametrize("store_address", STORES, indirect=True)
EVERY = [0, 1, 2]
TURN, ORDER, FINE = "out_of_turn", "out_of_order", ""

# What a forging home sends, slot and appliances, and what must become of it.
FORGED: dict[str, tuple[dict[str, Any], int, Any]] = {
    "every slot": ({"method": "lpu"}, 3, [(slot, EVERY, TURN if slot % 3 else FINE) for slot in range(9)]),
    "another phase": ({"method": "lpu"}, 3, [(0, EVERY, FINE), (4, EVERY, TURN), (6, EVERY, FINE)]),
    "one appliance": (
        {"method": "lbu", "appliances_per_report": 1},
        3,
        [(slot, [1], ORDER if slot % 3 else FINE) for slot in range(9)],
    ),
    "swapped": (
        {"method": "lbu", "appliances_per_report": 1},
        3,
        [(0, [0], FINE), (1, [1], FINE), (3, [0], FINE), (4, [2], ORDER), (5, [1], ORDER), (8, [2], FINE)],
    ),
    "not a divisor": (
        {"method": "lbu", "appliances_per_report": 2},
        5,
        [(0, [0, 1], FINE), (1, [2, 3], FINE), (2, [2, 4], ORDER), (3, [0, 2], FINE), (7, [0, 4], ORDER)],
    ),
    "the same in each window": (
        {"method": "lpu", "appliances_per_report": 1},
        3,
        [(1, [2], FINE), (4, [2], ORDER), (5, [0], TURN), (7, [0], FINE), (10, [2], FINE)],
    ),
    "changed in between": (
        {"method": "lsp", "appliances_per_report": 2},
        3,
        [(0, [0, 1], FINE), (1, [0, 2], ORDER), (2, [0, 1], FINE), (3, [0, 1], ORDER), (4, [0, 2], FINE)],
    ),
}


@pytest.fixture(params=FORGED)
def forged(request, plan_of):
    """A plan, and the rows of a forging home: slot, spent, drawn, payload and what must become of it."""
    fields, count, rows = FORGED[request.param]
    plan = plan_of(*[2] * count, oracle="grr", **fields)
    layout, drawn = Layout.of(plan), strategy_for(plan).offer()
    found = []
    for slot, members, reason in rows:
        named = np.array([members]) if layout.partial else None
        payload = layout.pack(np.zeros((1, len(members)), dtype=np.uint16), named)[0]
        paid = 0 if plan.method == "lsp" and slot % plan.window else drawn
        found.append((slot, paid, drawn, payload.tobytes(), reason))
    return plan, found


def reasons(answer):
    return [each["reason"] for each in answer["rejected"]]


@both_stores
def test_single_uploads(forged, collecting):
    """One request for each report: refused with its reason, sent again refused again, the rest repeated."""
    plan, rows = forged
    talk = collecting(plan, days=30, grace="300d")
    key, device = talk.home()
    bodies = [pack(device, slot, spent, drawn, payload) for slot, spent, drawn, payload, _ in rows]

    for _ in range(2):
        told = [reasons(talk.send(key, device, body).json()) for body in bodies]
        assert told == [[row[4]] if row[4] else [] for row in rows]

    assert (
        talk.get("/health").json()["rejected"].items()
        >= {row[4]: 2 * sum(row[4] == other[4] for other in rows) for row in rows if row[4]}.items()
    )


@both_stores
def test_one_batch_of_a_gateway(forged, collecting):
    """All in one request, in any order: what counts is the order of the slots."""
    plan, rows = forged
    talk = collecting(plan, days=30, grace="300d")
    key, name, devices = talk.gateway(2)
    mixed = [rows[place] for place in np.random.default_rng(1).permutation(len(rows))]
    body = b"".join(pack(devices[1], *row[:4]) for row in mixed)

    answer = talk.send(key, name, body).json()

    by_place = {each["index"]: each["reason"] for each in answer["rejected"]}
    assert [by_place.get(place, FINE) for place in range(len(mixed))] == [row[4] for row in mixed]
    assert talk.send(key, name, body).json()["repeated"] == len(mixed) - len(by_place)


def table(rows, names=None):
    """The rows as those of a file."""
    slot, spent, drawn, payload, _ = zip(*rows, strict=True)
    return ReportBatch(
        pa.array(names or ["forger"] * len(rows)),
        np.array(slot, dtype=np.int32),
        np.zeros(len(rows), dtype=np.int8),
        np.array(spent, dtype=np.int64),
        np.array(drawn, dtype=np.int64),
        np.frombuffer(b"".join(payload), dtype=np.uint8).reshape(len(rows), -1),
    )


def refusals(rows):
    """How many rows must be refused for each reason."""
    refused = [row[4] for row in rows if row[4]]
    return {reason: refused.count(reason) for reason in set(refused)}


@both_stores
def test_ingest(forged, store_address, tmp_path):
    """A file into the store: the same reasons, and none of it is kept."""
    plan, rows = forged
    depot = Depot(store_address, plan)

    ingested = depot.take(saved(plan, tmp_path / "file.parquet", table(rows)))
    depot.close()

    assert ingested.rejected == refusals(rows)
    assert ingested.accepted == len(rows) - ingested.rejected.total()


@pytest.mark.parametrize("arrangement", ["in order", "backwards", "in pieces"])
def test_files(forged, tmp_path, arrangement):
    """`estimate` and `top` of files leave the same rows out, however these lie; Spark's kernel does too."""
    plan, rows = forged
    batch, order = table(rows), np.arange(len(rows))
    if arrangement == "backwards":
        order = order[::-1]
    for piece, some in enumerate(np.array_split(order, 3 if arrangement == "in pieces" else 1)):
        saved(plan, tmp_path / f"{piece}.parquet", batch, some)

    tallies = tally_reports(plan, tmp_path)
    parcels = list(arrow_tally.tally_sorted(plan, iter(arrow(batch, size=2))))

    there, (note,) = decode_tallies(row for parcel in parcels for row in parcel.to_pylist())
    assert tallies.refused == note.refused == refusals(rows)
    assert plainly(there.groups) == plainly(tallies.groups)
    assert sum(tally.rows for tally in tallies.groups.values()) == len(rows) - tallies.refused.total()


@pytest.mark.parametrize("kind", [("lpu", None, 8), ("lpu", None, 3), ("lbu", None, 2), ("lsp", None, 3)])
def test_forgers_among_many(kind, plan_of, tmp_path):
    """Honest homes count as if nobody forged; the forger's rows of other slots are left out."""
    plan, batch = reported(plan_of, *kind)
    home = part(batch, np.flatnonzero(np.asarray(batch.households.to_pylist()) == "home 03"))
    forger = ReportBatch(pa.array(["forger"] * len(home)), home.slot, home.round, home.spent, home.drawn, home.payloads)
    moved = ReportBatch(  # the same reports a slot later
        forger.households, forger.slot + 1, forger.round, forger.spent, forger.drawn, forger.payloads
    )
    both = [
        np.concatenate([getattr(each, name) for each in (batch, forger, moved)])
        for name in ("slot", "round", "spent", "drawn", "payloads")
    ]
    names = pa.concat_arrays([each.households for each in (batch, forger, moved)])
    clean = saved(plan, tmp_path / "clean.parquet", batch)
    alone = saved(plan, tmp_path / "alone.parquet", forger)
    forged = saved(plan, tmp_path / "forged.parquet", ReportBatch(names, *both), homes=HOMES + 1)

    found = tally_reports(plan, forged)

    expected = tally_reports(plan, clean)
    expected.merge(tally_reports(plan, alone))
    assert plainly(found.groups) == plainly(expected.groups)
    assert found.refused.total() + found.repeats == len(moved)
    assert found.refused


def test_files_may_be_twice(plan_of, tmp_path):
    """Reports that are there again, with other bytes, are repeats and not out of order."""
    plan, batch = reported(plan_of, "lbu", None, 2)
    path = saved(plan, tmp_path / "twice.parquet", twice(batch))

    found = tally_reports(plan, path)

    assert not found.refused
    assert found.repeats == len(batch)
    assert plainly(found.groups) == plainly(engine("embedded").tallies(plan, path).groups)


def test_clean_files_say_nothing(plan_of, tmp_path):
    """Homes that follow the plan are counted whole, and plans without turns and orders ask nothing."""
    for kind in [("lbu", None, 8), ("lbu", None, 2), ("lsp", None, 3), ("lpu", None, 8), ("lpu", None, 3)]:
        plan, batch = reported(plan_of, *kind)

        found = tally_reports(plan, saved(plan, tmp_path / "clean.parquet", batch))

        assert not found.refused
        assert sum(tally.rows for tally in found.groups.values()) == len(batch)


class TestEnrolment:
    """A turn is offered at enrolment, and the order belongs to the device."""

    def test_turns_are_offered_evenly(self, collecting, plan_of):
        """As many homes in each phase, and the same answer when asked again."""
        talk = collecting(plan_of(2, method="lpu", window=4))
        (code,) = talk.codes(homes=8)
        key, many = talk.join(code=code, homes=8)
        _, one = talk.join()

        assert sorted(many.json()["turns"]) == [0, 0, 1, 1, 2, 2, 3, 3]
        assert many.json()["turn"] is None
        assert one.json()["turns"] == [one.json()["turn"]]
        assert talk.join(key=key, code=code, homes=8)[1].json() == many.json()

    def test_no_turns_no_offer(self, collecting, plan_of):
        """Where every slot is everyone's turn the answer says null."""
        answer = collecting(plan_of(2)).join()[1].json()

        assert answer["turn"] is None
        assert answer["turns"] is None

    @both_stores
    @pytest.mark.parametrize("assigned", [False, True])
    def test_homes_can_be_held_to_the_offer(self, collecting, plan_of, assigned):
        """With `assigned_turns` just the turn offered and the device's order do, else what came first."""
        plan = plan_of(2, 2, 2, method="lpu", oracle="grr", appliances_per_report=1)
        talk = collecting(plan, days=30, grace="300d", assigned_turns=assigned)
        key, answer = talk.join()
        device, turn = bytes.fromhex(answer.json()["device"]), answer.json()["turn"]
        order, layout = order_of(plan, device).tolist(), Layout.of(plan)

        def send(slot, member):
            payload = layout.pack(np.zeros((1, 1), dtype=np.uint16), np.array([[member]]))[0].tobytes()
            told = talk.send(key, device, pack(device, slot, plan.epsilon, plan.epsilon, payload)).json()
            return reasons(told)

        other = [send((turn + 1) % 3, order[0]), send(turn, order[1])]
        own = [send(turn, order[0]), send(turn + 3, order[1]), send(turn + 6, order[2])]

        assert other == ([[TURN], [ORDER]] if assigned else [[], [TURN]])
        assert own == ([[], [], []] if assigned else [[TURN]] * 3)

    @both_stores
    @pytest.mark.parametrize("many", [False, True])
    def test_asking_again_gives_no_other_turn(self, collecting, plan_of, many):
        """Homes that chose before the offer was binding keep their turns when they ask once more."""
        plan = plan_of(2, method="lpu", oracle="grr")
        talk = collecting(plan, days=30, grace="300d")
        wish = {"code": talk.codes(homes=4)[0], "homes": 4} if many else {}
        key, answer = talk.join(**wish)
        name, devices = (answer.json()[each] for each in ("device", "devices"))

        def send(talk, later):
            turns = zip(map(bytes.fromhex, devices), answer.json()["turns"], strict=True)
            sent = [pack(each, later + (turn + 1) % 3, *[plan.epsilon] * 2, b"\0") for each, turn in turns]  # type: ignore[call-arg]
            return talk.send(key, bytes.fromhex(name), b"".join(sent)).json()

        first = send(talk, 0)
        talk.stop()
        binding = collecting(plan, days=30, grace="300d", assigned_turns=True)
        again = binding.join(key=key, **wish)[1]

        assert first["accepted"] == len(devices)
        assert again.json() == answer.json()
        assert send(binding, 3)["rejected"] == []

    def test_an_erased_home_leaves_no_turn(self, collecting, plan_of):
        """Turn and order go with the home, and another may have its slots."""
        plan = plan_of(2, method="lpu", oracle="grr")
        talk = collecting(plan, days=30, grace="300d")
        key, device = talk.home()
        talk.send(key, device, pack(device, 4, plan.epsilon, plan.epsilon, b"\0"))
        database = talk.service.database

        talk.leave(key, device, device)

        with database.reading() as session:
            assert session.all("SELECT count(*) FROM rotations") == [(0,)]


@both_stores
def test_an_older_store_goes_on(store_address, collecting, plan_of):
    """Homes of a store without turns are held to their next report; none of their own is refused."""
    plan = plan_of(2, 2, 2, method="lpu", oracle="grr", appliances_per_report=2)
    talk = collecting(plan, days=60, grace="300d")
    key, name, devices = talk.gateway(9)
    sent = list(histories(plan, 9, 30))
    for each in sent[:12]:
        talk.send(key, name, records(devices, each))
    with talk.service.database.writing() as session:
        session.run("DELETE FROM rotations")  # as after the step that made the table

    later = [talk.send(key, name, records(devices, each)).json() for each in sent[12:]]
    early = [talk.send(key, name, records(devices, each)).json() for each in sent[:12]]
    moved = np.frombuffer(b"".join(devices[home] for home in sent[12].homes), np.uint8).reshape(-1, 16)
    forged = talk.send(key, name, pack_many(moved, 40, sent[12].spent, sent[12].drawn, sent[12].payloads)).json()

    assert all(answer["rejected"] == [] for answer in later)
    assert all(answer["accepted"] == 0 and answer["rejected"] == [] for answer in early)
    assert set(reasons(forged)) == {TURN}
