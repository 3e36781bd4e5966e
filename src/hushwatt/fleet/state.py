"""What a fleet remembers, kept in a file from one batch of readings to the next.

It stays with the homes' side: kept probes are private.  Releases and spends are
there so that no later batch can spend again what an earlier one spent.  It is
written and read part by part, as the fleet is moved.
"""

import json
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
from hushwatt.fleet.state_charges import (
    Shared,
    charge_columns,
    common_charges,
    page_count,
    read_log,
    read_older_log,
    read_runs,
    run_rows,
    shared_charges,
)
from hushwatt.fleet.state_columns import binary, check_between, matrix, numbers, packed, unpacked
from hushwatt.household.report.homes import Homes, enrol, walked_by_cursor
from hushwatt.plan.plan import Plan
from hushwatt.privacy.charge_lines import ChargeLines
from hushwatt.privacy.charge_log import ChargeLog
from hushwatt.privacy.entropy import OperatingSystem
from hushwatt.privacy.ledger import Ledger
from hushwatt.privacy.rotation import has_turns
from hushwatt.privacy.strategies import (
    Cohorts,
    HomeStrategies,
    Strategy,
    alike,
    in_columns,
    strategy_for,
    strategy_from,
)
from hushwatt.wire.reports.columns import MAX_NAME, byte_lengths
from hushwatt.wire.reports.parquet_bounds import UnsafeParquet, check_footer, check_pages

FORMAT, OLDER = 2, 1  # the older one has a column for each charge, and every state that homes were in
BATCH_ROWS = 1 << 17  # names read at a time
DAMAGE_ERRORS = (
    pa.ArrowException, UnsafeParquet, ArithmeticError, AttributeError, LookupError, OSError, RecursionError,
    TypeError, ValueError,
)  # fmt: skip


def save_state(path: Path, fleet: Fleet) -> None:
    """Write everything that the next batch must know."""
    part_numbers = range(len(fleet.partitions))
    states, shared, pages = dict[Strategy, int](), list[Shared](), 0
    for part in part_numbers:
        homes = fleet.memory.take(part)
        for state in _states(homes):
            states.setdefault(state, len(states))
        shared.append(shared_charges(homes.ledger.log))
        pages = max(pages, len(homes.ledger.log.pages))
    common = common_charges(shared)
    label = {"hushwatt.state": json.dumps(_memory(fleet, states, common))}
    writer: pq.ParquetWriter | None = None
    for part in part_numbers:
        columns = _columns(fleet, part, states) | charge_columns(fleet.memory.take(part), common, pages)
        table = pa.table(columns).replace_schema_metadata(label)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()


def _states(homes: Homes) -> tuple[Strategy, ...]:
    """The states that homes share, where they share some."""
    return homes.strategies.states if isinstance(homes.strategies, Cohorts) else ()


def _memory(fleet: Fleet, states: Iterable[Strategy], common: Shared) -> dict[str, Any]:
    """What is the same for all homes."""
    decisions = fleet.decisions
    return {
        "format": FORMAT,
        "plan": fleet.plan.id,
        "slot": fleet.slot,
        "strategies": [asdict(state) for state in states],  # type: ignore[call-overload]
        "runs": run_rows(common),
        "decided": None
        if decisions is None
        else {
            "strategy": asdict(decisions.strategy),  # type: ignore[call-overload]
            "last": None if decisions.last is None else decisions.last.tolist(),
        },
    }


def _columns(fleet: Fleet, part: int, states: dict[Strategy, int]) -> dict[str, pa.Array]:
    """What each home of a part remembers beside its charges, a row for each."""
    homes, where = fleet.memory.take(part), fleet.partitions[part]
    columns: dict[str, pa.Array] = {"household": fleet.households[where], "drawn": pa.array(homes.drawn)}
    for name, column in homes.strategies.columns().items():
        columns[name] = packed(column, len(homes)) if isinstance(column, ChargeLines) else pa.array(column)
    if shared := _states(homes):
        columns["cohort"] = pa.array(np.array([states[state] for state in shared])[columns["cohort"].to_numpy()])
    rows = {"release": homes.releases, "probe": homes.probes, "order": homes.order}
    columns |= {name: binary(table) for name, table in rows.items() if table is not None}
    if homes.cursor is not None:
        columns["cursor"] = pa.array(homes.cursor)
    if fleet.decisions is not None:
        columns["spoke"] = pa.array(fleet.decisions.last_spoke[where])
    return columns


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
                households, pages = _households(file), page_count(file.schema_arrow.names)
        with _as_state_error(path):
            form, owner = memory.get("format"), str(memory.get("plan"))
            if form not in (OLDER, FORMAT):
                raise StateError(f"{path}: state of format {str(form)[:12]}; this hushwatt reads {OLDER} and {FORMAT}")
            if owner != plan.id:
                raise StateError(f"{path}: belongs to plan {owner[:12]}…, not to {plan.id[:12]}…")
            _check_memory(plan, memory)
            if form == FORMAT:
                read_runs(memory["runs"], pages, Ledger.of(plan, 0).epsilon, plan.calendar.slots)
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
            last_spoke = numbers(self._rows(slice(0, len(self.households)), ["spoke"]), "spoke", np.int64)
            return DecisionState(strategy_from(self.plan, memory["strategy"]), last, last_spoke)

    def turns_taken(self, slot: int) -> NDArray[np.int64]:
        """How many of these homes wait 0, 1, … slots for their turn, seen from `slot`."""
        if not has_turns(self.plan):
            return np.zeros(self.plan.window, dtype=np.int64)
        everyone = slice(0, len(self.households))
        with _as_state_error(self.path):
            waits = self._read_strategies(self._rows(everyone, [self._strategy_column])).waits()
        return np.bincount((waits - (slot - self.slot)) % self.plan.window, minlength=self.plan.window)

    def homes(self, where: slice) -> Homes:
        """What some of the homes remember."""
        table = self._rows(where, None)
        homes = enrol(self.plan, table.num_rows, self.slot, OperatingSystem())
        with _as_state_error(self.path):
            homes.strategies = self._read_strategies(table)
            homes.drawn = numbers(table, "drawn", np.int64)
            homes.releases = matrix(table, "release", homes.releases)
            homes.probes = matrix(table, "probe", homes.probes)
            homes.order = matrix(table, "order", homes.order)
            if homes.order is not None:
                check_between(homes.order, 0, len(self.plan.appliances))
            if "cursor" in table.column_names:  # of homes whose provider decides, and in older files
                cursor = numbers(table, "cursor", np.int64)
                check_between(cursor, 0, len(self.plan.appliances))
                walked_by_cursor(homes, cursor)
            homes.ledger.log = self._read_log(table, homes)
        return homes

    @property
    def _older(self) -> bool:
        return bool(self.memory["format"] == OLDER)

    @property
    def _strategy_column(self) -> str:
        return "cohort" if self._older else next(iter(alike(strategy_for(self.plan), 0).columns()))

    def _read_strategies(self, table: pa.Table) -> HomeStrategies:
        """The strategy of every home of some rows."""
        states = tuple(strategy_from(self.plan, fields) for fields in self.memory["strategies"])
        form = alike(strategy_for(self.plan), table.num_rows)
        if self._older or isinstance(form, Cohorts):
            which = numbers(table, "cohort", np.int32)
            check_between(which, 0, len(states))
            return in_columns(Cohorts(states, which)) if states else form
        return form.with_columns(
            {
                name: unpacked(table, name) if isinstance(column, ChargeLines) else numbers(table, name, np.int64)
                for name, column in form.columns().items()
            }
        )

    def _read_log(self, table: pa.Table, homes: Homes) -> ChargeLog:
        if self._older:
            return read_older_log(table, self.memory["charges"], homes)
        return read_log(table, self.memory["runs"], homes, self.plan.calendar.slots)

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
    slots, charges = plan.calendar.slots, memory["charges"] if memory["format"] == OLDER else []
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
