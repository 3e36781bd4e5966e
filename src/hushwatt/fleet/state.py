"""What a fleet remembers, kept in a file from one batch of readings to the next.

It stays with the homes' side: kept probes are private.  Releases and spends are
there so that no later batch can spend again what an earlier one spent.  It is
written and read part by part, as the fleet is moved.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from hushwatt.errors import StateError
from hushwatt.fleet.fleet import Fleet
from hushwatt.fleet.provider_decisions import DecisionState
from hushwatt.household.report.homes import Homes, enrol, walked_by_cursor
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import OperatingSystem
from hushwatt.privacy.ledger import Charge
from hushwatt.privacy.rotation import has_turns
from hushwatt.privacy.strategies import Cohorts, Strategy, strategy_from
from hushwatt.wire.reports.columns import MAX_NAME, byte_lengths
from hushwatt.wire.reports.parquet_bounds import UnsafeParquet, check_footer, check_pages

FORMAT = 1
BATCH_ROWS = 1 << 17  # names read at a time
DAMAGE_ERRORS = (
    pa.ArrowException, UnsafeParquet, ArithmeticError, AttributeError, LookupError, OSError, RecursionError,
    TypeError, ValueError,
)  # fmt: skip


def save_state(path: Path, fleet: Fleet) -> None:
    """Write everything that the next batch must know."""
    part_numbers = range(len(fleet.partitions))
    states: dict[Strategy, int] = {}
    slots: Counter[int] = Counter()  # of the charges: how often each slot was charged
    for part in part_numbers:
        homes = fleet.memory.take(part)
        for state in homes.strategies.states:
            states.setdefault(state, len(states))
        slots |= Counter(charge.slot for charge in homes.ledger.charges)
    charged = sorted(slots.elements())
    label = {"hushwatt.state": json.dumps(_memory(fleet, states, charged))}
    writer: pq.ParquetWriter | None = None
    for part in part_numbers:
        table = _table(fleet, part, states, charged).replace_schema_metadata(label)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()


def _memory(fleet: Fleet, states: Iterable[Strategy], charged: list[int]) -> dict[str, Any]:
    """What is the same for all homes."""
    decisions = fleet.decisions
    return {
        "format": FORMAT,
        "plan": fleet.plan.id,
        "slot": fleet.slot,
        "strategies": [asdict(state) for state in states],  # type: ignore[call-overload]
        "charges": charged,
        "decided": None
        if decisions is None
        else {
            "strategy": asdict(decisions.strategy),  # type: ignore[call-overload]
            "last": None if decisions.last is None else decisions.last.tolist(),
        },
    }


def _table(fleet: Fleet, part: int, states: dict[Strategy, int], charged: list[int]) -> pa.Table:
    """What each home of a part remembers, a row for each."""
    homes, where = fleet.memory.take(part), fleet.partitions[part]
    numbers = np.array([states[state] for state in homes.strategies.states], dtype=np.int32)
    columns: dict[str, pa.Array] = {
        "household": fleet.households[where],
        "cohort": pa.array(numbers[homes.strategies.which]),
        "drawn": pa.array(homes.drawn),
    }
    rows = {"release": homes.releases, "probe": homes.probes, "order": homes.order}
    columns |= {name: _binary(table) for name, table in rows.items() if table is not None}
    if homes.cursor is not None:
        columns["cursor"] = pa.array(homes.cursor)
    if fleet.decisions is not None:
        columns["spoke"] = pa.array(fleet.decisions.last_spoke[where])
    for index, charge in enumerate(_aligned(homes, charged)):
        columns |= _charge_columns(index, charge, homes)
    return pa.table(columns)


def _aligned(homes: Homes, charged: list[int]) -> Iterable[Charge]:
    """A charge for each slot in `charged`; one of nobody where these homes were not charged."""
    charges = list(homes.ledger.charges)
    for slot in charged:
        if charges and charges[0].slot == slot:
            yield charges.pop(0)
        else:
            yield Charge(slot, np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64))


@dataclass
class FleetState:
    """A state file that was opened; its homes are read when they are needed."""

    plan: Plan
    path: Path
    memory: dict[str, Any]
    households: pa.Array  # sorted

    @classmethod
    def load(cls, plan: Plan, path: Path) -> "FleetState":
        """Look at a state file, and refuse one that does not fit."""
        with _as_state_error(path):
            check_footer(lambda: path)
            with pq.ParquetFile(path, read_dictionary=["household"]) as file:
                memory = dict(json.loads((file.schema_arrow.metadata or {})[b"hushwatt.state"]))
                check_pages(lambda: path, file.metadata, file.schema_arrow.names)
                households = _households(file)
        with _as_state_error(path):
            form, owner = memory.get("format"), str(memory.get("plan"))
            if form != FORMAT:
                raise StateError(f"{path}: state of format {str(form)[:12]}; this hushwatt reads {FORMAT}")
            if owner != plan.id:
                raise StateError(f"{path}: belongs to plan {owner[:12]}…, not to {plan.id[:12]}…")
            _check_memory(plan, memory)
        return cls(plan, path, memory, households)

    @property
    def slot(self) -> int:
        """The next slot of these homes."""
        return int(self.memory["slot"])

    def decisions(self) -> DecisionState | None:
        """What the provider remembers, of these homes in their order."""
        memory = self.memory["decided"]
        if memory is None:
            return None
        with _as_state_error(self.path):
            last = None if memory["last"] is None else np.array(memory["last"], dtype=np.float64)
            last_spoke = _numbers(self._rows(slice(0, len(self.households)), ["spoke"]), "spoke", np.int64)
            return DecisionState(strategy_from(self.plan, memory["strategy"]), last, last_spoke)

    def turns_taken(self, slot: int) -> NDArray[np.int64]:
        """How many of these homes wait 0, 1, … slots for their turn, seen from `slot`."""
        turns = np.zeros(self.plan.window, dtype=np.int64)
        if has_turns(self.plan):
            waits = [state.wait - (slot - self.slot) for state in self._strategies()]
            cohorts = _numbers(self._rows(slice(0, len(self.households)), ["cohort"]), "cohort", np.int32)
            np.add.at(turns, np.array(waits) % self.plan.window, np.bincount(cohorts, minlength=len(waits)))
        return turns

    def homes(self, where: slice) -> Homes:
        """What some of the homes remember."""
        table = self._rows(where, None)
        homes = enrol(self.plan, table.num_rows, self.slot, OperatingSystem())
        with _as_state_error(self.path):
            homes.strategies = Cohorts(self._strategies(), _numbers(table, "cohort", np.int32))
            _check_below(homes.strategies.which, len(homes.strategies.states))
            homes.drawn = _numbers(table, "drawn", np.int64)
            homes.releases = _matrix(table, "release", homes.releases)
            homes.probes = _matrix(table, "probe", homes.probes)
            homes.order = _matrix(table, "order", homes.order)
            if homes.order is not None:
                _check_below(homes.order, len(self.plan.appliances))
            if "cursor" in table.column_names:  # of homes whose provider decides, and in older files
                cursor = _numbers(table, "cursor", np.int64)
                _check_below(cursor, len(self.plan.appliances))
                walked_by_cursor(homes, cursor)
            homes.ledger.charges = [
                _charge(table, index, slot, homes) for index, slot in enumerate(self.memory["charges"])
            ]
        return homes

    def _strategies(self) -> tuple[Strategy, ...]:
        return tuple(strategy_from(self.plan, fields) for fields in self.memory["strategies"])

    def _rows(self, where: slice, columns: list[str] | None) -> pa.Table:
        """Some rows of the file; only the row groups that hold them are read."""
        with _as_state_error(self.path), pq.ParquetFile(self.path) as file:
            ends = np.cumsum([file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)])
            begins = np.concatenate([[0], ends[:-1]])
            groups = np.flatnonzero((begins < where.stop) & (ends > where.start))
            if not len(groups):
                return file.schema_arrow.empty_table().select(columns or file.schema_arrow.names)
            table = file.read_row_groups(groups.tolist(), columns=columns)
            return table.slice(where.start - begins[groups[0]], where.stop - where.start)


@contextmanager
def _as_state_error(path: Path) -> Iterator[None]:
    """Say of a file that it is none of ours, whatever is in the place of what should be there."""
    try:
        yield
    except DAMAGE_ERRORS as error:
        raise StateError(f"{path}: not a hushwatt state file, or damaged") from error


def _households(file: pq.ParquetFile) -> pa.Array:
    """The names of the homes, each once and ascending."""
    parts = [pa.array([], pa.string())]
    for batch in file.iter_batches(BATCH_ROWS, columns=["household"]):
        coded = batch.column(0)
        if len(coded.dictionary) < len(coded) or (byte_lengths(coded) > MAX_NAME).any():
            raise ValueError("a name twice, or too long for one")
        parts.append(coded.cast(pa.string()))
    names = pa.concat_arrays(parts)
    names.validate(full=True)
    if not pc.all(pc.less(names[:-1], names[1:]), min_count=0).as_py():
        raise ValueError("not in order")
    return names


def _check_memory(plan: Plan, memory: dict[str, Any]) -> None:
    """Refuse what no state says: other keys, or anything but numbers where numbers are."""
    slots, charges = plan.calendar.slots, memory["charges"]
    if not 0 <= memory["slot"] <= slots or not all(0 <= slot < slots for slot in charges):
        raise ValueError("a slot that the plan has not")
    decided = memory["decided"]
    for fields in memory["strategies"] + ([] if decided is None else [decided["strategy"]]):
        strategy = strategy_from(plan, fields)
        if not all(_is_whole(value) for value in vars(strategy).values()):
            raise ValueError("not a strategy of numbers")
        strategy.offer()


def _is_whole(value: object) -> bool:
    if isinstance(value, tuple):
        return all(_is_whole(each) for each in value)
    return value is None or (isinstance(value, int) and abs(value) < 2**63)


def _check_below(numbers: NDArray[Any] | None, limit: int) -> None:
    if numbers is not None and len(numbers) and not (numbers.min() >= 0 and numbers.max() < limit):
        raise ValueError("a number out of range")


def _charge_columns(index: int, charge: Charge, homes: Homes) -> dict[str, pa.Array]:
    amounts = np.zeros(len(homes), dtype=np.int64)
    amounts[charge.homes] = charge.amounts
    columns = {f"charge{index}": pa.array(amounts)}
    if homes.order is not None:
        members = np.zeros((len(homes), homes.plan.appliances_per_report), dtype=np.uint16)
        if charge.members is not None:
            members[charge.homes] = charge.members
        columns[f"members{index}"] = _binary(members)
    return columns


def _charge(table: pa.Table, index: int, slot: int, homes: Homes) -> Charge:
    amounts = _numbers(table, f"charge{index}", np.int64)
    who = np.flatnonzero(amounts).astype(np.int32)
    members = None
    if f"members{index}" in table.column_names:
        shape = np.empty((0, homes.plan.appliances_per_report), dtype=np.uint16)
        every = _matrix(table, f"members{index}", shape)
        members = None if every is None else every[who]
    return Charge(slot, who, amounts[who], members)


def _numbers(table: pa.Table, name: str, kind: type[np.generic]) -> NDArray[Any]:
    column = table[name]
    if column.null_count or not pa.types.is_integer(column.type):
        raise ValueError("not whole numbers")
    return np.asarray(column.to_numpy().astype(kind))


def _binary(rows: NDArray[Any]) -> pa.Array:
    """The bytes of every row."""
    width = rows.shape[1] * rows.itemsize
    data = pa.py_buffer(np.ascontiguousarray(rows))
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), len(rows), [None, data])


def _matrix(table: pa.Table, name: str, like: NDArray[Any] | None) -> NDArray[Any] | None:
    """The rows back from their bytes, shaped like `like`."""
    if like is None:
        return None
    column = table[name].combine_chunks()
    width = like.shape[1] * like.itemsize
    if column.null_count or column.type != pa.binary(width):
        raise ValueError("not rows of this width")
    data = np.frombuffer(column.buffers()[1] or b"", dtype=np.uint8)
    held = data[column.offset * width : (column.offset + len(column)) * width]
    return held.view(like.dtype).reshape(len(column), like.shape[1]).copy()
