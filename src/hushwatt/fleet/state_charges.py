"""The charges of a fleet's ledgers in its state file.

What all homes of all parts paid alike is written once, as runs of slots; the rest is a few
lines for each home.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from operator import and_
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hushwatt.fleet.state_columns import binary, check_between, matrix, numbers, packed, unpacked
from hushwatt.household.report.homes import Homes
from hushwatt.privacy.charge_lines import ChargeBook, ChargeLines, Members
from hushwatt.privacy.charge_log import UNNAMED, Charge, ChargeLog, Run
from hushwatt.privacy.ledger import Ledger

Shared = Counter[tuple[int, int, int]]  # slot, amount and page (−1: none) of charges that all homes paid


def shared_charges(log: ChargeLog) -> Shared:
    """What all homes of a ledger paid alike."""
    return Counter(
        (run.first + place, run.amount, -1 if run.pages is None else run.pages[place])
        for run in log.runs
        for place in range(run.last - run.first + 1)
    )


def common_charges(logs: Iterable[Shared]) -> Shared:
    """What all homes of all ledgers paid alike."""
    return reduce(and_, logs)


def run_rows(common: Shared) -> list[list[Any]]:
    """Charges as runs, for JSON: first and last slot, amount, and pages."""
    log = ChargeLog.empty(1)
    for slot, amount, page in sorted(common.elements()):
        log = log.with_shared(slot, amount, None if page < 0 else page)
    return [[run.first, run.last, run.amount, run.pages] for run in log.runs]


def charge_columns(homes: Homes, common: Shared, pages: int) -> dict[str, pa.Array]:
    """What each home paid beside that, and which appliances it named in each page."""
    log, unnamed = homes.ledger.log, np.full((len(homes), homes.plan.appliances_per_report), UNNAMED)
    lines, named = log.lines.lines, log.named.lines
    for charge in log.shared_but(common):
        if charge.members is None:
            lines = lines.added(charge.slot, charge.homes, charge.amounts)
        else:
            named = named.added(charge.slot, charge.homes, charge.amounts, charge.members)
    columns = {
        "charges": packed(lines, log.homes),
        "named": packed(named, log.homes),
        "began": pa.array(np.zeros(log.homes, dtype=np.int32) if log.began is None else log.began),
    }
    for page in range(pages):
        columns[f"page{page}"] = binary(log.pages[page] if page < len(log.pages) else unnamed)
    return columns


def read_log(table: pa.Table, runs: list[Any], homes: Homes, slots: int) -> ChargeLog:
    """The log back from its columns, for the homes of some rows."""
    ledger, asked = homes.ledger, homes.plan.appliances_per_report
    lines = _checked(unpacked(table, "charges"), ledger, slots)
    named = _checked(unpacked(table, "named", asked), ledger, slots)
    shape = np.empty((0, asked), dtype=np.uint16)
    count = page_count(table.column_names)
    began = numbers(table, "began", np.int32)
    check_between(began, 0, slots + 1)
    pages = [_page(matrix(table, f"page{page}", shape), began, ledger.appliances) for page in range(count)]
    log = ChargeLog(
        total=lines.sums(len(homes)) + named.sums(len(homes)),
        runs=read_runs(runs, count, ledger.epsilon, slots),
        pages=tuple(pages),
        lines=ChargeBook.of(lines),
        named=ChargeBook.of(named),
        began=began if began.any() else None,
    )
    return replace(log, total=log.total + log.shared_totals())


def page_count(columns: list[str]) -> int:
    """How many of a file's columns are pages."""
    return sum(name.startswith("page") for name in columns)


def _page(named: Members | None, began: NDArray[np.int32], appliances: int) -> Members:
    """A table of appliances; only homes that came later have rows without any."""
    assert named is not None
    missing = (named == UNNAMED).all(axis=1)
    check_between(named[~missing], 0, appliances)
    if (missing & (began == 0)).any():
        raise ValueError("a home that named no appliance")
    return named


def read_runs(rows: list[Any], pages: int, epsilon: int, slots: int) -> tuple[Run, ...]:
    """The runs back from JSON, of a plan with so many slots and a file with so many pages."""
    return tuple(_run(row, pages, epsilon, slots) for row in rows)


def _run(row: list[Any], pages: int, epsilon: int, slots: int) -> Run:
    first, last, amount, held = row
    run = Run(int(first), int(last), int(amount), None if held is None else tuple(int(page) for page in held))
    fits = 0 <= run.first <= run.last < slots and 0 < run.amount <= epsilon
    if not fits or (run.pages is not None and len(run.pages) != run.last - run.first + 1):
        raise ValueError("not a run of charges")
    check_between(np.array(run.pages or (), dtype=np.int64), 0, pages)
    return run


def _checked(lines: ChargeLines, ledger: Ledger, slots: int) -> ChargeLines:
    check_between(lines.slots, 0, slots)
    check_between(lines.amounts, 1, ledger.epsilon + 1)
    check_between(lines.members, 0, ledger.appliances)
    return lines


def read_older_log(table: pa.Table, charged: list[int], homes: Homes) -> ChargeLog:
    """The log of a file that has a column for each charge."""
    charges = (_charge(table, index, slot, homes) for index, slot in enumerate(charged))
    return ChargeLog.of(len(homes), (homes.ledger.as_kept(charge) for charge in charges if len(charge.homes)))


def _charge(table: pa.Table, index: int, slot: int, homes: Homes) -> Charge:
    amounts = numbers(table, f"charge{index}", np.int64)
    who = np.flatnonzero(amounts).astype(np.int32)
    members = None
    if f"members{index}" in table.column_names:
        shape = np.empty((0, homes.plan.appliances_per_report), dtype=np.uint16)
        every = matrix(table, f"members{index}", shape)
        members = None if every is None else every[who]
        check_between(members, 0, homes.ledger.appliances)
    return Charge(slot, who, amounts[who], members)
