"""What docs/compatibility.md says stays as it is, stays: these lists only ever grow."""

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hushwatt
from hushwatt.cli.main import COMMANDS
from hushwatt.plan import Plan
from hushwatt.provider.app import make_app
from hushwatt.provider.service.config import Config
from hushwatt.provider.store import open_store

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", PAGE)))
PLAN = """
name = "Kettles of Leeds"
description = "How many kettles boil, and when."
contact = "kettles@example.org"
start = 2024-01-01
expires = 2025-01-01
slot = "1d"
epsilon = 1
window = 3
method = "lpu"
oracle = "grr"
minimum_homes = 1
[[appliance]]
name = "kettle"
edges = [100]
"""
ADDRESSES = """
    /v1/healthz /v1/keys /v1/metrics /v1/readyz /v1/plans /v1/plans/{plan_id} /v1/plans/{plan_id}/devices
    /v1/plans/{plan_id}/devices/{device} /v1/plans/{plan_id}/estimates /v1/plans/{plan_id}/export.{form}
    /v1/plans/{plan_id}/health /v1/plans/{plan_id}/publish /v1/plans/{plan_id}/reports
    /v1/plans/{plan_id}/slots /v1/plans/{plan_id}/top
"""
COLUMNS = {
    "household": pa.array(["ada", "bob", "cem"], pa.string()),
    "slot": pa.array([0, 0, 1], pa.int32()),
    "round": pa.array([0, 0, 0], pa.int8()),
    "spent": pa.array([1_000_000] * 3, pa.int64()),
    "drawn": pa.array([1_000_000] * 3, pa.int64()),
    "payload": pa.array([b"\0", b"\1", b"\1"], pa.binary()),
}


def test_exported_names_are_still_there():
    """Every name that a script of an earlier version imports from hushwatt is there."""
    names = "Appliance HushwattError Plan Result advise estimate preset promise randomise simulate"

    assert set(names.split()) <= hushwatt.NAMES.keys()
    assert all(getattr(hushwatt, name) for name in names.split())


def test_old_names_work_and_say_so():
    """A name that was given up is the new one, with a warning that tells it."""
    with pytest.warns(DeprecationWarning, match="hushwatt.Answer is now called hushwatt.Result"):
        old = hushwatt.Answer

    assert old is hushwatt.Result


def test_commands_are_still_there():
    """Every command of an earlier version is one."""
    commands = "audit completion data demo doctor estimate household plan provider randomise reproduce simulate top"

    assert set(commands.split()) <= COMMANDS.keys()


def test_addresses_are_still_there(tmp_path):
    """Every address of an earlier version's service is one."""
    (tmp_path / "plan.toml").write_text(PLAN)
    config = Config(plan=(str(tmp_path / "plan.toml"),), data=str(tmp_path))
    store = open_store(str(tmp_path / "store.sqlite"))
    paths = make_app(config, store).openapi()["paths"]
    store.close()

    assert set(ADDRESSES.split()) <= paths.keys()


def test_a_file_of_reports_of_the_first_version_is_read(tmp_path):
    """A file with these columns and notes, made without any code of hushwatt, gives its estimates."""
    plan = Plan.parse(PLAN)
    notes = {"hushwatt.plan": plan.id, "hushwatt.homes": "3"}
    pq.write_table(pa.table(COLUMNS).replace_schema_metadata(notes), tmp_path / "reports.parquet")
    found = hushwatt.estimate(plan, tmp_path / "reports.parquet").json

    assert plan.id == "a290a9737a4a197ceab5ab5e03b209291d9de6613628afe3a1a21063843419a4"
    assert found["homes"] == 3


@pytest.mark.parametrize("file, test", NAMED)
def test_what_the_page_names_is_there(file, test):
    """Every test that the page counts on exists."""

    assert f"def {test}(" in (ROOT / file).read_text() if test else (ROOT / file).is_file()
