"""Files of readings become files of reports, as the table of reports promises."""

import json
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from hushwatt.errors import ReadingsError, StateError, UsageError
from hushwatt.fleet.assemble import assemble
from hushwatt.fleet.randomise import randomise_file
from hushwatt.fleet.readings import partitions
from hushwatt.fleet.state import FleetState, save_state
from hushwatt.privacy.entropy import Simulation
from hushwatt.privacy.laws import debias, law_for
from hushwatt.privacy.rotation import first_place
from hushwatt.provider.tally.engines import tally_reports
from hushwatt.wire.payload import Layout

METHODS = [
    ("lbu", {}),
    ("lsp", {}),
    ("lbd", {}),
    ("lba", {}),
    ("lpu", {}),
    ("lpu", {"appliances_per_report": 1, "appliance_epsilon": 2}),
    ("lbu", {"appliances_per_report": 2, "appliance_epsilon": 1}),
    ("lbd", {"decision": "provider"}),
    ("lba", {"decision": "provider", "appliances_per_report": 2}),
    ("lpd", {}),
    ("lpa", {"appliances_per_report": 1}),
]


@pytest.fixture(params=[1 << 15, 7], ids=["whole", "in parts"])
def homes_in_a_part(request, monkeypatch):
    """Fleets that fit in memory, and fleets of which only seven homes do."""
    monkeypatch.setattr(partitions, "MAX_CELLS", 1)
    monkeypatch.setattr(partitions, "MIN_HOMES", request.param)


@pytest.fixture
def watts():
    return np.random.default_rng(5).uniform(0, 300, (9, 60, 3))


def rows_by_home(path):
    homes = defaultdict(list)
    for row in pq.read_table(path).to_pylist():
        homes[row["household"]].append(row)
    return homes


@pytest.mark.usefixtures("homes_in_a_part")
@pytest.mark.parametrize("method, more", METHODS)
@pytest.mark.parametrize("oracle", ["oue", "grr"])
def test_table_of_reports(tmp_path, plan_for, readings_at, watts, method, more, oracle):
    """Sorted and unique rows, one payload size, no window above ε, and every fresh payload paid for."""
    plan = plan_for(method, oracle=oracle, **more)
    readings = readings_at(tmp_path / "r.parquet", watts, plan.names)

    done = randomise_file(plan, readings, tmp_path / "out.parquet", seed=1)

    table = pq.read_table(tmp_path / "out.parquet")
    keys = list(zip(*(table[c].to_pylist() for c in ("slot", "household", "round")), strict=True))
    assert keys == sorted(set(keys))
    assert len(keys) == done.reports
    assert table.schema.metadata[b"hushwatt.plan"].decode() == plan.id
    assert table.schema.metadata[b"hushwatt.homes"] == b"60"
    assert {len(payload) for payload in table["payload"].to_pylist()} == {Layout.of(plan).size}
    for rows in rows_by_home(tmp_path / "out.parquet").values():
        spent = np.zeros(9, dtype=int)
        for row in rows:
            spent[row["slot"]] += row["spent"]
        assert max(np.convolve(spent, np.ones(3, dtype=int))) <= plan.epsilon
        publications = [row for row in rows if row["round"] == 0]
        assert all(map(was_paid_for, publications, [None, *publications]))
        assert all(row["spent"] == row["drawn"] for row in rows if row["round"] == 1)


def was_paid_for(row, before):
    """A payload is the one before, byte for byte, or was paid for now."""
    repeats = before is not None and row["payload"] == before["payload"] and row["drawn"] == before["drawn"]
    return repeats or row["spent"] >= row["drawn"]


@pytest.mark.usefixtures("homes_in_a_part")
@pytest.mark.parametrize("method", ["lbu", "lsp", "lbd", "lba"])
def test_every_home_reports_every_slot(tmp_path, plan_for, readings_at, watts, method):
    """A home without a single reading in a slot reports all the same."""
    plan = plan_for(method)
    readings_at(tmp_path / "r.parquet", watts, plan.names)
    table = pq.read_table(tmp_path / "r.parquet")
    gone = pc.and_(pc.equal(table["household"], "home-00007"), pc.greater(pc.day(table["time"]), 2))
    pq.write_table(table.filter(pc.invert(gone)), tmp_path / "holiday.parquet")

    done = randomise_file(plan, tmp_path / "holiday.parquet", tmp_path / "out.parquet")

    assert done.reports == 60 * 9


@pytest.mark.usefixtures("homes_in_a_part")
def test_same_seed_same_bytes(tmp_path, plan_for, readings_at, watts):
    """A seeded run is repeatable to the byte; another seed, or none, is another run."""
    plan = plan_for("lba")
    readings = readings_at(tmp_path / "r.parquet", watts, plan.names)

    for name, seed in {"a": 1, "b": 1, "c": 2, "d": None}.items():
        randomise_file(plan, readings, tmp_path / name, seed=seed)

    a, b, c, d = ((tmp_path / name).read_bytes() for name in "abcd")
    assert a == b
    assert a != c
    assert c != d
    assert pq.read_schema(tmp_path / "a").metadata[b"hushwatt.simulation"] == b"1"
    assert b"hushwatt.simulation" not in pq.read_schema(tmp_path / "d").metadata


def test_other_homes_get_other_noise_from_the_same_seed(tmp_path, plan_for, readings_at, watts):
    """Two halves of a fleet randomised with one seed do not share their noise."""
    plan = plan_for("lbu", appliances=3)
    nothing = np.zeros((1, 40, 3))
    for name, first in {"a": 0, "b": 40}.items():
        readings = readings_at(tmp_path / f"{name}.r", nothing, plan.names, homes=first)
        readings = readings.rename(tmp_path / f"{name}.r.parquet")
        randomise_file(plan, readings, tmp_path / name, seed=1)

    assert pq.read_table(tmp_path / "a")["payload"].to_pylist() != pq.read_table(tmp_path / "b")["payload"].to_pylist()


@pytest.mark.usefixtures("homes_in_a_part")
@pytest.mark.parametrize("method, more", METHODS)
def test_state_carries_the_budget_from_file_to_file(tmp_path, plan_for, readings_at, watts, method, more):
    """Cut into three files, a stream overspends no window either, and repeats itself across the cuts."""
    plan, state = plan_for(method, **more), tmp_path / "state"
    spent, before = defaultdict(lambda: np.zeros(9, dtype=int)), {}
    for part, (first, last) in enumerate([(0, 2), (2, 4), (5, 9)]):
        readings = readings_at(tmp_path / f"r{part}.parquet", watts[first:last], plan.names, first=first)
        randomise_file(plan, readings, tmp_path / "out.parquet", state=state, seed=4)
        for home, rows in rows_by_home(tmp_path / "out.parquet").items():
            for row in rows:
                spent[home][row["slot"]] += row["spent"]
            publications = [row for row in rows if row["round"] == 0]
            assert all(map(was_paid_for, publications, [before.get(home), *publications]))
            before[home] = publications[-1] if publications else before.get(home)

    assert len(spent) > 50
    assert all(max(np.convolve(each, np.ones(3, dtype=int))) <= plan.epsilon for each in spent.values())


def write_cursor(plan, path):
    """Write a state in the older form: orders that begin elsewhere, and a cursor that says how far each home is."""
    table, known = pq.read_table(path), FleetState.load(plan, path)
    homes = known.homes(slice(0, len(table)))
    turns = known.slot + homes.strategies.waits()
    cursor = np.array([first_place(plan, int(turn)) for turn in turns]) + 1
    rows = [np.roll(order, 1).tobytes() for order in homes.order]
    place = table.schema.get_field_index("order")
    table = table.set_column(place, "order", pa.array(rows, table.schema.field("order").type))
    pq.write_table(table.append_column("cursor", pa.array(cursor % len(plan.appliances))), path)


@pytest.mark.usefixtures("homes_in_a_part")
@pytest.mark.parametrize("older", [False, True], ids=["as written", "with a cursor"])
@pytest.mark.parametrize("method", ["lbu", "lsp", "lpu"])
@pytest.mark.parametrize("cuts", [[(0, 2), (4, 5), (8, 9)], [(1, 2), (3, 4), (8, 9)]], ids=str)
def test_orders_go_on_over_slots_that_are_left_out(tmp_path, plan_for, readings_at, watts, method, older, cuts):
    """Whatever is skipped between two files, every report is of the appliances that are next in its home's order."""
    plan, state, reports = plan_for(method, appliances_per_report=1), tmp_path / "state", tmp_path / "reports"
    reports.mkdir()
    for part, (first, last) in enumerate(cuts):
        readings = readings_at(tmp_path / f"r{part}.parquet", watts[first:last], plan.names, first=first)
        if older and part:
            write_cursor(plan, state)
        randomise_file(plan, readings, reports / f"{part}.parquet", state=state, seed=4)
    tallies = tally_reports(plan, reports)

    assert not tallies.refused
    assert sum(tally.rows for tally in tallies.groups.values()) == sum(
        pq.read_metadata(path).num_rows for path in reports.iterdir()
    )


@pytest.mark.usefixtures("homes_in_a_part")
@pytest.mark.parametrize("method, more", METHODS)
def test_newcomers_join_a_state(tmp_path, plan_for, readings_at, watts, method, more):
    """Homes that appear later take part from then on, and the others stay."""
    plan, state = plan_for(method, **more), tmp_path / "state"
    first = readings_at(tmp_path / "r0.parquet", watts[:3, :30], plan.names, homes=100)
    later = readings_at(tmp_path / "r1.parquet", watts[3:], plan.names, first=3, homes=85)
    randomise_file(plan, first, tmp_path / "out0.parquet", state=state)

    done = randomise_file(plan, later, tmp_path / "out1.parquet", state=state)

    assert done.homes == 60
    homes = rows_by_home(tmp_path / "out1.parquet")
    assert homes.keys() <= {f"home-{n:05d}" for n in range(85, 145)}
    spent = defaultdict(lambda: np.zeros(9, dtype=int))
    for name in ("out0", "out1"):
        for home, rows in rows_by_home(tmp_path / f"{name}.parquet").items():
            for row in rows:
                spent[home][row["slot"]] += row["spent"]
    assert all(max(np.convolve(each, np.ones(3, dtype=int))) <= plan.epsilon for each in spent.values())


@pytest.mark.usefixtures("homes_in_a_part")
@pytest.mark.parametrize("method, more", METHODS)
def test_newcomers_are_asked_as_soon_as_the_others(tmp_path, plan_for, readings_at, watts, method, more):
    """Homes that appear in the second slot are heard within a window, their names among the old ones."""
    plan, state = plan_for(method, window=6, **more), tmp_path / "state"
    first = readings_at(tmp_path / "r0.parquet", watts[:1, ::2], plan.names, homes=100)
    later = readings_at(tmp_path / "r1.parquet", watts[1:6], plan.names, first=1, homes=85)
    randomise_file(plan, first, tmp_path / "out0.parquet", state=state, seed=1)
    randomise_file(plan, later, tmp_path / "out1.parquet", state=state, seed=1)
    heard = rows_by_home(tmp_path / "out1.parquet").keys() - rows_by_home(tmp_path / "out0.parquet").keys()
    new = heard & {f"home-{n:05d}" for n in [*range(85, 100), *range(130, 145)]}

    assert len(new) >= {"lpd": 5, "lpa": 5, "lpu": 24, "lsp": 0}.get(method, 30)


@pytest.mark.parametrize("method", ["lbu", "lpu", "lba"])
def test_homes_that_are_away_for_a_file_stay(tmp_path, plan_for, readings_at, watts, method):
    """A home that the second file does not have reports all the same, and its budget is not given back."""
    plan, state = plan_for(method), tmp_path / "state"
    for number, (first, homes) in enumerate([(0, 0), (1, 30), (2, 0)]):
        rows = watts[first : first + 1, homes : homes + 30] if number == 1 else watts[first : first + 1]
        readings = readings_at(tmp_path / f"r{number}.parquet", rows, plan.names, first=first, homes=homes)
        done = randomise_file(plan, readings, tmp_path / f"out{number}.parquet", state=state, seed=1)
        assert done.homes == 60
    spent = Counter()
    for number in range(3):
        for home, rows in rows_by_home(tmp_path / f"out{number}.parquet").items():
            spent[home] += sum(row["spent"] for row in rows)

    assert len(spent) == 60
    assert max(spent.values()) <= plan.epsilon


def test_a_slot_is_reported_once(tmp_path, plan_for, readings_at, watts):
    """The same readings again, with the state they left, are refused and nothing changes."""
    plan, state = plan_for("lbu"), tmp_path / "state"
    readings = readings_at(tmp_path / "r.parquet", watts, plan.names)
    randomise_file(plan, readings, tmp_path / "out.parquet", state=state)
    kept = state.read_bytes()

    with pytest.raises(StateError, match="begin in slot 0, but the state has already passed slot 8"):
        randomise_file(plan, readings, tmp_path / "again.parquet", state=state)

    assert state.read_bytes() == kept
    assert not (tmp_path / "again.parquet").exists()


def test_state_of_another_plan_is_refused(tmp_path, plan_for, readings_at, watts):
    """A state belongs to one plan; a damaged one to none."""
    readings = readings_at(tmp_path / "r.parquet", watts, plan_for().names)
    randomise_file(plan_for("lbu"), readings, tmp_path / "out.parquet", state=tmp_path / "state")

    with pytest.raises(StateError, match="belongs to plan"):
        randomise_file(plan_for("lsp"), readings, tmp_path / "out.parquet", state=tmp_path / "state")
    (tmp_path / "broken").write_bytes(b"PAR1 nonsense")
    with pytest.raises(StateError, match="not a hushwatt state file"):
        randomise_file(plan_for("lbu"), readings, tmp_path / "out.parquet", state=tmp_path / "broken")


def test_readings_outside_the_plan(tmp_path, plan_for, readings_at, watts):
    """When nothing falls into the plan's time there is nothing to report, and it says so."""
    readings = readings_at(tmp_path / "r.parquet", watts, plan_for().names, first=-40)

    with pytest.raises(ReadingsError, match="no reading falls into the plan's time"):
        randomise_file(plan_for(), readings, tmp_path / "out.parquet")

    assert not (tmp_path / "out.parquet").exists()


@pytest.mark.parametrize("oracle", ["oue", "sue", "grr"])
def test_reports_are_unbiased(tmp_path, plan_for, readings_at, oracle):
    """From file to file, the debiased tally of 4,000 homes lies within five standard errors of the truth."""
    plan = plan_for("lbu", oracle=oracle, epsilon=9)
    watts = np.broadcast_to([50.0, 150.0, 250.0], (1, 4000, 3)).copy()
    readings = readings_at(tmp_path / "r.parquet", watts, plan.names)
    randomise_file(plan, readings, tmp_path / "out.parquet", seed=3)
    payloads = pq.read_table(tmp_path / "out.parquet")["payload"].to_pylist()
    rows = np.frombuffer(b"".join(payloads), dtype=np.uint8).reshape(4000, -1)

    reports, counts = Layout.of(plan).tally(rows)

    law = law_for(oracle, 3_000_000, 3, 3)
    held = debias(counts, reports[0], law).reshape(3, 3)
    error = 5 * np.sqrt(4000 * 0.25) / float(law.hold - law.rise)
    assert np.abs(held - 4000 * np.eye(3)).max() < error
    assert error < 1000


@pytest.mark.parametrize("seed", range(4))
def test_turns_stay_even_over_parts_and_files(tmp_path, plan_for, readings_at, watts, monkeypatch, seed):
    """In parts of four homes, and joined by others later, equally many homes speak in every slot."""
    monkeypatch.setattr(partitions, "MAX_CELLS", 1)
    monkeypatch.setattr(partitions, "MIN_HOMES", 4)
    plan, state = plan_for("lpu"), tmp_path / "state"
    first = readings_at(tmp_path / "r0.parquet", watts[:3, :30], plan.names, homes=10)
    later = readings_at(tmp_path / "r1.parquet", watts[4:7], plan.names, first=4)
    randomise_file(plan, first, tmp_path / "out0.parquet", state=state, seed=seed)
    randomise_file(plan, later, tmp_path / "out1.parquet", state=state, seed=seed)

    spoke = [Counter(pq.read_table(tmp_path / f"out{number}.parquet")["slot"].to_pylist()) for number in (0, 1)]
    assert spoke == [{0: 10, 1: 10, 2: 10}, {4: 20, 5: 20, 6: 20}]


@pytest.mark.parametrize("gap", [0, 1, 2, 3])
@pytest.mark.parametrize("old", [1, 2, 5])
def test_newcomers_take_the_turns_that_are_free(tmp_path, plan_for, readings_at, watts, gap, old):
    """After however many slots without a file, few homes and those that join them fill all turns evenly."""
    plan, state = plan_for("lpu"), tmp_path / "state"
    first = readings_at(tmp_path / "r0.parquet", watts[:1, :old], plan.names, homes=10)
    later = readings_at(tmp_path / "r1.parquet", watts[1:4, :6], plan.names, first=1 + gap, homes=10)
    randomise_file(plan, first, tmp_path / "out0.parquet", state=state, seed=old)
    randomise_file(plan, later, tmp_path / "out1.parquet", state=state, seed=old)
    spoke = Counter(pq.read_table(tmp_path / "out1.parquet")["slot"].to_pylist())

    assert spoke == {1 + gap + slot: 2 for slot in range(3)}


@pytest.mark.usefixtures("homes_in_a_part")
@pytest.mark.parametrize("method, more", METHODS)
def test_state_carries_every_ledger(tmp_path, plan_for, method, more):
    """What each home has spent, and for which appliances, is in the state for its second opinion."""
    plan, source, names = (
        plan_for(method, **more),
        Simulation(3, ""),
        pa.array([f"h{n:02}" for n in range(60)]),
    )
    fleet = assemble(plan, None, names, 0, source)
    for slot in range(4):
        watts = np.random.default_rng(slot).uniform(0, 300, (60, 3))
        list(fleet.advance(slot, (watts[part] for part in fleet.partitions), source))
    save_state(tmp_path / "state", fleet)
    again = assemble(plan, FleetState.load(plan, tmp_path / "state"), names, 4, source)

    for part in range(len(fleet.partitions)):
        before, after = (one.memory.take(part).ledger for one in (fleet, again))
        assert (before.spent(3) == after.spent(3)).all()
        assert before.spent(3).any()
        assert charged(before) == charged(after)


def charged(ledger):
    """What each home was charged in each slot, and for which appliances, as plain numbers."""
    return sorted(
        (one.slot, home, amount, None if one.members is None else one.members[place].tolist())
        for one in ledger.log.before(9)
        for place, (home, amount) in enumerate(zip(one.homes.tolist(), one.amounts.tolist(), strict=True))
    )


@pytest.mark.parametrize("method", ["lbd", "lpd"])
def test_newcomers_after_a_pause(tmp_path, plan_for, readings_at, watts, method):
    """Where the provider decides, homes may join after slots in which nobody reported."""
    plan, state = plan_for(method, decision="provider"), tmp_path / "state"
    first = readings_at(tmp_path / "r0.parquet", watts[:2, :30], plan.names)
    later = readings_at(tmp_path / "r1.parquet", watts[5:], plan.names, first=5)
    randomise_file(plan, first, tmp_path / "out0.parquet", state=state)

    assert randomise_file(plan, later, tmp_path / "out1.parquet", state=state).homes == 60


def test_a_damaged_state_is_refused(tmp_path, plan_for, readings_at, watts):
    """A state whose rows cannot be read is one clear line, and nothing is written."""
    plan, state = plan_for("lbu"), tmp_path / "state"
    readings = readings_at(tmp_path / "r.parquet", watts[:2], plan.names)
    later = readings_at(tmp_path / "later.parquet", watts[2:], plan.names, first=2)
    randomise_file(plan, readings, tmp_path / "out.parquet", state=state)
    chunk = pq.ParquetFile(state).metadata.row_group(0).column(2)
    data = bytearray(state.read_bytes())
    data[chunk.data_page_offset : chunk.data_page_offset + 20] = b"\xff" * 20
    state.write_bytes(data)

    with pytest.raises(StateError, match="not a hushwatt state file, or damaged"):
        randomise_file(plan, later, tmp_path / "later_out.parquet", state=state)
    assert not (tmp_path / "later_out.parquet").exists()


def test_homes_that_follow_their_levels_too_closely(tmp_path, plan_of, readings_at):
    """No collection begins whose means would lean; one that has begun goes on, and a simulation is none."""
    plan = plan_of(2, method="lba", oracle="grr", epsilon=10_000_000)
    readings = readings_at(tmp_path / "r.parquet", np.ones((2, 3, 1)), plan.names)

    with pytest.raises(UsageError, match="means over time would lean"):
        randomise_file(plan, readings, tmp_path / "reports.parquet")
    assert not (tmp_path / "reports.parquet").exists()

    households = pa.array(["h0", "h1", "h2"])
    save_state(tmp_path / "state", assemble(plan, None, households, 0, Simulation(1, "begun")))
    randomise_file(plan, readings, tmp_path / "reports.parquet", state=tmp_path / "state")
    randomise_file(plan, readings, tmp_path / "simulated.parquet", seed=1)

    assert (tmp_path / "reports.parquet").exists()
    assert (tmp_path / "simulated.parquet").exists()


CHANGES = [
    {"slot": -1}, {"slot": "x"}, {"slot": 10**30}, {"runs": [[0, 10**9, 1, None]]}, {"runs": 5}, {"runs": None},
    {"runs": [[0, 1, 1, [0]]]}, {"runs": [[0, 1, 10**12, None]]}, {"runs": [[0, 1, 1, [0, 9]]]},
    {"runs": [[0, 1, "x", None]]},
    {"strategies": [{}]}, {"strategies": [{"window": "x"}]}, {"strategies": 7}, {"decided": {}},
    {"decided": 3}, {"plan": None}, {"plan": [[]]}, {"format": [1]}, {"format": "9" * 999},
]  # fmt: skip


@pytest.fixture
def kept(tmp_path, plan_for, readings_at, watts):
    """A plan, and the table of a state of it."""
    plan, path = plan_for("lbu", appliances_per_report=1), tmp_path / "state"
    readings = readings_at(tmp_path / "r.parquet", watts, plan.names)
    randomise_file(plan, readings, tmp_path / "out.parquet", state=path)
    return plan, pq.read_table(path)


@pytest.mark.parametrize("change", CHANGES, ids=repr)
def test_a_state_that_says_what_none_says(tmp_path, kept, change):
    """Whatever stands in a state's notes is refused in one line, never believed and never a crash."""
    plan, table = kept
    memory = json.loads(table.schema.metadata[b"hushwatt.state"]) | change
    path = tmp_path / "other"
    pq.write_table(table.replace_schema_metadata({"hushwatt.state": json.dumps(memory)}), path)

    with pytest.raises(StateError, match="other: ") as caught:
        FleetState.load(plan, path)
    assert len(str(caught.value)) < 300


def test_a_state_whose_homes_are_not_in_order(tmp_path, kept):
    """Homes are found by halving, so a state that is not sorted is none."""
    plan, table = kept
    pq.write_table(table.take(np.arange(len(table))[::-1]), tmp_path / "other")

    with pytest.raises(StateError, match="not a hushwatt state file, or damaged") as caught:
        FleetState.load(plan, tmp_path / "other")
    assert str(caught.value.__cause__) == "not in order"


@pytest.mark.parametrize("value", [0.5, "1", 2**70, [0.5]], ids=repr)
def test_a_state_whose_strategies_are_not_of_whole_numbers(tmp_path, kept, value):
    """No number that a strategy adds up may be another kind of thing."""
    plan, table = kept
    memory = json.loads(table.schema.metadata[b"hushwatt.state"])
    memory["strategies"] = [dict.fromkeys(memory["strategies"][0], value)]
    pq.write_table(table.replace_schema_metadata({"hushwatt.state": json.dumps(memory)}), tmp_path / "other")

    with pytest.raises(StateError, match="not a hushwatt state file, or damaged") as caught:
        FleetState.load(plan, tmp_path / "other")
    assert str(caught.value.__cause__) == "not a strategy of numbers"


@pytest.mark.parametrize("column", ["household", "cohort", "drawn", "order", "charges"])
def test_a_state_whose_columns_are_others(tmp_path, kept, column):
    """The same for its rows: missing, of another kind, out of range, or a home twice."""
    plan, table = kept
    place, path = table.schema.get_field_index(column), tmp_path / "other"
    others = [
        table.drop_columns([column]),
        table.set_column(place, column, pa.array(["x"] * len(table))),
        table.set_column(place, column, pa.nulls(len(table), table.schema.field(column).type)),
    ]
    if column == "cohort":
        others.append(table.set_column(place, column, pa.array([99] * len(table))))
    for other in others:
        pq.write_table(other, path)
        with pytest.raises(StateError, match="not a hushwatt state file, or damaged"):
            FleetState.load(plan, path).homes(slice(0, len(table)))


@pytest.mark.parametrize("crash", [0, 1])
def test_the_state_is_in_place_before_the_reports(tmp_path, plan_for, readings_at, watts, monkeypatch, crash):
    """Whenever the machine stops, no report is out whose spend the state does not know."""
    plan, state, out = plan_for("lbu"), tmp_path / "state", tmp_path / "out.parquet"
    readings = readings_at(tmp_path / "r.parquet", watts, plan.names)
    order, replace = [], Path.replace

    def stops(temporary, destination):
        if len(order) == crash:
            raise OSError("the power is gone")
        order.append(Path(destination).name)
        return replace(temporary, destination)

    monkeypatch.setattr(Path, "replace", stops)
    with pytest.raises(OSError, match="the power is gone"):
        randomise_file(plan, readings, out, state=state)
    monkeypatch.setattr(Path, "replace", replace)

    assert order == ["state"][:crash]
    assert not out.exists()
    assert state.exists() == (crash == 1)
    if crash:
        with pytest.raises(StateError, match="the state has already passed"):
            randomise_file(plan, readings, out, state=state)
