"""The columns of a table of reports, and what its file says about itself."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.wire.reports.order import SortKeys

PLAN, HOMES, SIMULATION = b"hushwatt.plan", b"hushwatt.homes", b"hushwatt.simulation"

REPORT_SCHEMA = pa.schema(
    [
        pa.field("household", pa.string(), nullable=False),
        pa.field("slot", pa.int32(), nullable=False),
        pa.field("round", pa.int8(), nullable=False),  # 0 a publication or a repeat, 1 a probe
        pa.field("spent", pa.int64(), nullable=False),  # millionths of ε charged in this slot and round
        pa.field("drawn", pa.int64(), nullable=False),  # millionths of ε the payload was drawn with
        pa.field("payload", pa.binary(), nullable=False),
    ]
)


def report_schema(plan: Plan, homes: int, seed: int | None = None) -> pa.Schema:
    """The schema of a plan's reports: its id, how many homes take part, and the seed of a simulation."""
    simulation = {} if seed is None else {SIMULATION: str(seed)}
    return REPORT_SCHEMA.with_metadata({PLAN: plan.id, HOMES: str(homes)} | simulation)


@dataclass(frozen=True)
class ReportBatch:
    """Consecutive reports of a table, a row each."""

    households: pa.Array  # string
    slot: NDArray[np.int32]
    round: NDArray[np.int8]
    spent: NDArray[np.int64]
    drawn: NDArray[np.int64]
    payloads: NDArray[np.uint8]  # reports × bytes of one payload

    def __len__(self) -> int:
        return len(self.slot)

    @property
    def keys(self) -> SortKeys:
        """What tells its reports apart."""
        return self.households, self.slot, self.round

    def taken(self, rows: NDArray[np.intp] | slice) -> "ReportBatch":
        """These rows of it, in this order."""
        households = self.households[rows] if isinstance(rows, slice) else self.households.take(pa.array(rows))
        slot, round, spent, drawn = self.slot[rows], self.round[rows], self.spent[rows], self.drawn[rows]
        return ReportBatch(households, slot, round, spent, drawn, self.payloads[rows])

    def without(self, left_out: NDArray[np.bool_]) -> "ReportBatch":
        """The batch without some of its rows."""
        return self.taken(np.flatnonzero(~left_out)) if left_out.any() else self
