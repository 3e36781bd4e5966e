"""State files of before go on: each home in them has spent, saved and waited what it had.

The files in `older_states` were written by version 0.1 in format 1, which has a column for each charge: 40
homes after nine days, with the seed 7 and the readings that are made here.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hushwatt.fleet.randomise import randomise_file
from hushwatt.fleet.state import FleetState
from hushwatt.plan.presets import preset
from hushwatt.plan.slot import SlotLength

FILES = sorted(Path(__file__).with_name("older_states").glob("*.parquet"))
HOMES, SLOTS = 40, 9


def plan_of(name):
    """The plan of a file: method, who decides, window, appliances in a report, cap."""
    method, decision, window, asked, cap = (None if word == "None" else word for word in name.split("-"))
    return replace(
        preset("paper"), appliances=preset("paper").appliances[:4], minimum_homes=1, slot=SlotLength(1, "d"),
        epsilon=10_000_000, method=method, decision=decision, window=int(window), appliances_per_report=int(asked),
        appliance_epsilon=cap and int(cap),
    )  # fmt: skip


@pytest.fixture(scope="module")
def readings(tmp_path_factory):
    plan, chance, path = (
        plan_of("lbu-None-3-4-None"),
        np.random.default_rng(3),
        tmp_path_factory.mktemp("r") / "r.parquet",
    )
    rows = [
        (f"h{home:03}", plan.calendar.start_of(slot).replace(tzinfo=None), name, float(chance.integers(0, 3000)))
        for slot in range(SLOTS)
        for home in range(HOMES)
        for name in plan.names
    ]
    names = ("household", "time", "appliance", "watts")
    pq.write_table(pa.table(dict(zip(names, zip(*rows, strict=True), strict=True))), path)
    return path


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_older_state_is_the_state(tmp_path, readings, file):
    """The homes of an older file are those of a file that is written today after the same slots."""
    plan = plan_of(file.stem)
    randomise_file(plan, readings, tmp_path / "out.parquet", state=tmp_path / "state", seed=7)
    older, today = (FleetState.load(plan, path) for path in (file, tmp_path / "state"))
    then, now = (each.homes(slice(0, HOMES)) for each in (older, today))

    assert older.slot == today.slot == SLOTS
    assert [then.strategies.state(home) for home in range(HOMES)] == [
        now.strategies.state(home) for home in range(HOMES)
    ]
    assert then.strategies.offers().tolist() == now.strategies.offers().tolist()
    for slot in range(SLOTS - 1, SLOTS + plan.window):
        assert then.ledger.spent(slot).tolist() == now.ledger.spent(slot).tolist()
        since = then.ledger.first_slot(slot)
        tables = [each.ledger.log.since(since).by_appliance(4).tolist() for each in (then, now)]
        assert tables[0] == tables[1]
    assert then.ledger.spent(SLOTS - 1).any()
    assert (older.turns_taken(SLOTS) == today.turns_taken(SLOTS)).all()


def test_there_are_older_states():
    """One for each form that homes' strategies have."""
    assert {file.stem.split("-")[0] for file in FILES} == {"lbu", "lsp", "lpu", "lbd", "lba", "lpd"}
