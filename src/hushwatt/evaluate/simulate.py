"""Invented readings as a table, for scripts and notebooks."""

import pyarrow as pa

from hushwatt.evaluate.generators import invent_homes
from hushwatt.evaluate.readings_file import SCHEMA
from hushwatt.plan.plan import Plan


def simulate(
    kind: str, plan: Plan, homes: int, slots: int, seed: int | None = None, *, measured: float = 1.0
) -> pa.Table:
    """The readings of invented homes: household, time, appliance, watts.

    Where the plan has the answer "not measured", watts are null for what a home does not own, and for all but
    the share `measured` of what it does.

    >>> from hushwatt.plan.presets import preset
    >>> simulate("ideal", preset("paper"), homes=2, slots=3, seed=1).num_rows
    90
    """
    pages = [page.cast(SCHEMA) for page in invent_homes(kind, plan, homes, slots, seed, measured).pages()]
    return pa.Table.from_batches(pages, SCHEMA)
