"""What a fleet remembers, kept in a file from one batch of readings to the next.

It stays with the homes' side: kept probes are private.  Releases and spends are
there so that no later batch can spend again what an earlier one spent.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from hushwatt.errors import StateError
from hushwatt.fleet.decided import Decided
from hushwatt.household.homes import Homes, enrol
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import OperatingSystem
from hushwatt.privacy.ledger import Charge
from hushwatt.privacy.strategies import STRATEGIES, Cohorts, Strategy

FORMAT = 1


def save_state(path: Path, households: pa.Array, homes: Homes, decided: Decided | None) -> None:
    """Write everything that the next batch must know."""
    columns: dict[str, pa.Array] = {
        "household": households,
        "cohort": pa.array(homes.strategies.which),
        "drawn": pa.array(homes.drawn),
    }
    rows = {"release": homes.releases, "probe": homes.probes, "order": homes.order}
    columns |= {name: _binary(table) for name, table in rows.items() if table is not None}
    if homes.cursor is not None:
        columns["cursor"] = pa.array(homes.cursor)
    if decided is not None:
        columns["spoke"] = pa.array(decided.spoke)
    for place, charge in enumerate(homes.ledger.charges):
        columns |= _charge_columns(place, charge, len(homes))
    memory = {
        "format": FORMAT,
        "plan": homes.plan.id,
        "slot": homes.slot,
        "strategies": [asdict(state) for state in homes.strategies.states],  # type: ignore[call-overload]
        "charges": [charge.slot for charge in homes.ledger.charges],
        "decided": None
        if decided is None
        else {
            "strategy": asdict(decided.strategy),  # type: ignore[call-overload]
            "last": None if decided.last is None else decided.last.tolist(),
        },
    }
    table = pa.table(columns).replace_schema_metadata({"hushwatt.state": json.dumps(memory)})
    pq.write_table(table, path)


def load_state(plan: Plan, path: Path) -> tuple[pa.Array, Homes, Decided | None]:
    """The households of a state file, and what they and the provider remember."""
    try:
        table = pq.read_table(path)
        memory = json.loads((table.schema.metadata or {})[b"hushwatt.state"])
    except (pa.ArrowInvalid, KeyError, ValueError, OSError) as wrong:
        raise StateError(f"{path}: not a hushwatt state file, or damaged") from wrong
    if memory.get("format") != FORMAT:
        raise StateError(f"{path}: state of format {memory.get('format')}; this hushwatt reads {FORMAT}")
    if memory["plan"] != plan.id:
        raise StateError(f"{path}: belongs to plan {memory['plan'][:12]}…, not to {plan.id[:12]}…")
    count = table.num_rows
    homes = enrol(plan, count, memory["slot"], OperatingSystem())
    homes.strategies = Cohorts(
        tuple(_strategy(plan, fields) for fields in memory["strategies"]), _numbers(table, "cohort", np.int32)
    )
    homes.drawn = _numbers(table, "drawn", np.int64)
    homes.releases = _rows(table, "release", homes.releases)
    homes.probes = _rows(table, "probe", homes.probes)
    homes.order = _rows(table, "order", homes.order)
    homes.cursor = None if homes.cursor is None else _numbers(table, "cursor", np.int64)
    homes.ledger.charges = [
        _charge(table, place, slot, homes) for place, slot in enumerate(memory["charges"])
    ]
    return _households(table), homes, _decided(plan, table, memory["decided"])


def _households(table: pa.Table) -> pa.Array:
    return table["household"].combine_chunks()


def _strategy(plan: Plan, fields: dict[str, Any]) -> Strategy:
    """A strategy from its fields; JSON has lists where it has tuples."""
    frozen = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    return STRATEGIES[plan.method](**frozen)


def _decided(plan: Plan, table: pa.Table, memory: dict[str, Any] | None) -> Decided | None:
    if memory is None:
        return None
    last = None if memory["last"] is None else np.array(memory["last"])
    return Decided(_strategy(plan, memory["strategy"]), last, _numbers(table, "spoke", np.int64))


def _charge_columns(place: int, charge: Charge, homes: int) -> dict[str, pa.Array]:
    amounts = np.zeros(homes, dtype=np.int64)
    amounts[charge.homes] = charge.amounts
    columns = {f"charge{place}": pa.array(amounts)}
    if charge.members is not None:
        members = np.zeros((homes, charge.members.shape[1]), dtype=np.uint16)
        members[charge.homes] = charge.members
        columns[f"members{place}"] = _binary(members)
    return columns


def _charge(table: pa.Table, place: int, slot: int, homes: Homes) -> Charge:
    amounts = _numbers(table, f"charge{place}", np.int64)
    who = np.flatnonzero(amounts).astype(np.int32)
    members = None
    if f"members{place}" in table.column_names:
        shape = np.empty((0, homes.plan.appliances_per_report), dtype=np.uint16)
        every = _rows(table, f"members{place}", shape)
        members = None if every is None else every[who]
    return Charge(slot, who, amounts[who], members)


def _numbers(table: pa.Table, name: str, kind: type[np.generic]) -> NDArray[Any]:
    return np.asarray(table[name].to_numpy().astype(kind))


def _binary(rows: NDArray[Any]) -> pa.Array:
    """The bytes of every row."""
    width = rows.shape[1] * rows.itemsize
    data = pa.py_buffer(np.ascontiguousarray(rows))
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), len(rows), [None, data])


def _rows(table: pa.Table, name: str, like: NDArray[Any] | None) -> NDArray[Any] | None:
    """The rows back from their bytes, shaped like `like`."""
    if like is None:
        return None
    column = table[name].combine_chunks()
    data = np.frombuffer(column.buffers()[1], dtype=like.dtype, count=len(column) * like.shape[1])
    return data.reshape(len(column), like.shape[1]).copy()
