"""Files from elsewhere, changed, cut and spliced at will: each is used, or refused in one line."""

import io
import random
import resource
import struct
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.plans import plan_for
from hushwatt.chaos.scenario import Scenario
from hushwatt.errors import HushwattError
from hushwatt.fleet.randomise import randomise_file
from hushwatt.fleet.state import FleetState
from hushwatt.plan.plan import Plan
from hushwatt.provider.service.config import read_config
from hushwatt.provider.tally.engines.embedded import EmbeddedEngine
from hushwatt.wire.payload import Layout
from hushwatt.wire.reports.schema import HOMES, PLAN

FILES = 20  # in a case
MEMORY = 1 << 20  # KiB: more is never held, whatever the file
LONGEST = 300  # letters of a line
TEXTS = ["", "ada", "a" * 300, "=1+1", "\x00", "é" * 70, "'", '"', "home 1", "-1", "nan"]
NUMBERS = [0, 1, -1, 7, 2**31, 2**63 - 1, -(2**63), 10**6]
WORDS = [
    b"[", b"]", b"{", b"}", b"=", b'"', b"'", b"\n", b",", b".", b"\x00", b"\xff", b"9" * 40, b"[[", b"-",
    b"e9", b"nan", b"inf", b"1e999", b"2024-13-45", b"\xed\xa0\x80", b"a.b.c", b"PAR1",
    b"\x15\x00", b"true", b"null",
]  # fmt: skip
Use = Callable[[Path, Path], object]


@cache
def plan() -> Plan:
    return plan_for(random.Random(0), "lbu", minimum_homes=1)


def reports(chance: random.Random) -> bytes:
    """A table of reports, whose columns may be of other kinds, sizes and contents."""
    rows, size = chance.choice([0, 1, 5, 50]), Layout.of(plan()).size
    columns: dict[str, object] = {
        "household": pa.array([chance.choice(TEXTS) for _ in range(rows)], pa.string()),
        "slot": pa.array(_numbers(chance, rows, 2**31), pa.int64()),
        "round": pa.array(_numbers(chance, rows, 2), pa.int64()),
        "spent": pa.array(_numbers(chance, rows, 2**63), pa.int64()),
        "drawn": pa.array(_numbers(chance, rows, 2**63), pa.int64()),
        "payload": pa.array([bytes(chance.choice([size, size, 0, 300])) for _ in range(rows)], pa.binary()),
    }
    homes = chance.choice(["10", "0", "", "x", "9" * 30, "-1", "²"])
    notes = {PLAN: chance.choice([plan().id, "x"]).encode(), HOMES: homes.encode()}
    return _parquet(chance, _changed(chance, columns), notes)


def readings(chance: random.Random) -> bytes:
    """A table of readings, likewise."""
    rows = chance.choice([0, 1, 5, 50])
    moments = [plan().start + timedelta(hours=chance.randint(-50, 500)) for _ in range(rows)]
    columns: dict[str, object] = {
        "household": pa.array([chance.choice(TEXTS) for _ in range(rows)], pa.string()),
        "time": pa.array(moments, pa.timestamp(chance.choice(["s", "us", "ns"]), "UTC")),
        "appliance": pa.array([chance.choice([*plan().names, *TEXTS]) for _ in range(rows)], pa.string()),
        "watts": pa.array([chance.choice([0.0, 40.0, -3.0, 1e308, float("nan")]) for _ in range(rows)]),
    }
    return _parquet(chance, _changed(chance, columns), {})


def table(chance: random.Random) -> bytes:
    """The same as CSV."""
    cells = ["ada", "2024-01-02", "2024-01-02T03:00+01:00", "kettle", *plan().names, "12.5", *TEXTS]
    lines = ["household,time,appliance,watts"]
    for _ in range(chance.choice([0, 1, 5, 50])):
        lines.append(",".join(chance.choice(cells) for _ in range(chance.choice([4, 4, 4, 3, 5]))))
    return chance.choice(["\n", "\r\n", "\r"]).join(lines).encode()


def settings(chance: random.Random) -> bytes:
    """A provider's settings."""
    keys = ["port", "host", "plan", "store", "grace", "scrub", "tolerance", "access", "unknown"]
    values = ["1", '"x"', "true", "[]", '["a"]', "-5", "1e9", "{a = 1}", '"auto"', "9" * 30, "2024-01-01"]
    return "\n".join(f"{chance.choice(keys)} = {chance.choice(values)}" for _ in range(4)).encode()


@cache
def state(folder: Path) -> bytes:
    """A state that a run left."""
    rows = [(home, plan().start, name, 20.0) for home in ("ada", "bob") for name in plan().names]
    names = ("household", "time", "appliance", "watts")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    pq.write_table(pa.table(columns), folder / "first.parquet")
    randomise_file(plan(), folder / "first.parquet", folder / "first", seed=1, state=folder / "state")
    return (folder / "state").read_bytes()


def mutated(chance: random.Random, content: bytes) -> bytes:
    """Some bytes changed, cut out, repeated, or put in the place of others."""
    data = bytearray(content)
    for _ in range(chance.choice([0, 0, 1, 1, 2, 5, 30])):
        start = chance.randint(0, len(data))
        end = min(len(data), start + chance.choice([0, 1, 1, 4, 50]))
        data[start:end] = chance.choice([bytes([chance.getrandbits(8)]), chance.choice(WORDS), b"", data[:30]])
    return bytes(data) if chance.random() < 0.9 else bytes(data[: chance.randint(0, len(data))])


def mutated_notes(chance: random.Random, content: bytes) -> bytes:
    """A Parquet file whose notes were changed, and whose length still fits."""
    if len(content) < 12 or chance.random() < 0.5:
        return mutated(chance, content)
    length = struct.unpack("<I", content[-8:-4])[0]
    if length + 8 > len(content):
        return mutated(chance, content)
    notes = mutated(chance, content[-8 - length : -8])
    return content[: -8 - length] + notes + struct.pack("<I", len(notes)) + content[-4:]


def case(seed: int, folder: Path) -> None:
    """Twenty files of all kinds, each of which a command is given."""
    chance = random.Random(seed)
    for _ in range(FILES):
        kind = chance.choice(list(KINDS))
        content, use = KINDS[kind](chance, folder)
        path = folder / f"file.{kind}"
        path.write_bytes(content)
        _try(kind, path, folder, use)
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    expect(held < MEMORY, f"{held:,} KiB were held at once")


def _try(kind: str, path: Path, folder: Path, use: Use) -> None:
    """Use a file; what it is refused for is one short line."""
    for left in ("out.parquet", "out"):
        (folder / left).unlink(missing_ok=True)
    try:
        use(path, folder)
    except HushwattError as refused:
        said = str(refused)
        expect(said.isprintable(), f"{kind}: refused with more than a line: {said!r}")
        expect(len(said) < LONGEST + len(str(path)), f"{kind}: refused with {len(said)} letters")
        expect(not (folder / "out.parquet").exists(), f"{kind}: refused, and half a file is there")


def _randomise(path: Path, folder: Path) -> object:
    return randomise_file(plan(), path, folder / "out.parquet", seed=1)


def _remember(path: Path, folder: Path) -> object:
    known = FleetState.load(plan(), path)
    known.decisions()
    return known.homes(slice(0, len(known.households)))


KINDS: dict[str, Callable[[random.Random, Path], tuple[bytes, Use]]] = {
    "reports.parquet": lambda chance, _: (
        mutated_notes(chance, reports(chance)),
        lambda path, folder: EmbeddedEngine().tallies(plan(), path),
    ),
    "readings.parquet": lambda chance, _: (mutated_notes(chance, readings(chance)), _randomise),
    "csv": lambda chance, _: (mutated(chance, table(chance)), _randomise),
    "toml": lambda chance, _: (
        mutated(chance, plan().toml().encode() if chance.random() < 0.5 else plan().canonical()),
        lambda path, folder: Plan.load(path),
    ),
    "settings": lambda chance, _: (mutated(chance, settings(chance)), lambda path, folder: read_config(path, {})),
    "state": lambda chance, folder: (mutated_notes(chance, state(folder)), _remember),
}


def _numbers(chance: random.Random, rows: int, most: int) -> list[int]:
    fitting = [number for number in NUMBERS if -most <= number < most]
    return [chance.choice([0, 1, *fitting]) for _ in range(rows)]


def _changed(chance: random.Random, columns: dict[str, object]) -> dict[str, object]:
    """Some columns missing, of another kind, or there under another name."""
    for name in list(columns):
        if chance.random() < 0.05:
            del columns[name]
        elif chance.random() < 0.1:
            rows = len(columns[name])  # type: ignore[arg-type]
            others = [pa.nulls(rows), pa.array([[1]] * rows), pa.array(["x"] * rows), pa.array(np.ones(rows))]
            columns[name] = chance.choice(others)
    return columns


def _parquet(chance: random.Random, columns: dict[str, object], notes: dict[bytes, bytes]) -> bytes:
    file = io.BytesIO()
    pq.write_table(
        pa.table(columns).replace_schema_metadata(notes),
        file,
        row_group_size=chance.choice([1, 3, 1000]),
        compression=chance.choice(["none", "snappy", "zstd", "lz4", "gzip"]),
        use_dictionary=chance.random() < 0.5,
        data_page_version=chance.choice(["1.0", "2.0"]),
        write_statistics=chance.random() < 0.5,
    )
    return file.getvalue()


SAYS = "whatever a file holds, it is used or refused in one line, in less than a gigabyte"
SCENARIO = Scenario("foreign-files", 25, SAYS, quick=400, full=100_000, case=case, each=FILES, unit="files")
