"""`hushwatt household compare`: this home beside what was published about all homes, on this machine alone."""

import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from hushwatt.cli.household.options import FolderOption, PlanName, open_folder, say
from hushwatt.cli.options import Json
from hushwatt.cli.terminal import print_json, terminal_width
from hushwatt.errors import UsageError
from hushwatt.sanitise import quoted, sanitised

if TYPE_CHECKING:
    from rich.table import Table

    from hushwatt.household.compare import Comparison
    from hushwatt.plan.plan import Plan

ON = "this home's own means are kept from now on, on this machine alone; it takes a week or two until they tell"
OFF = "this home's own means are deleted, and none are kept"
HOW = "your home's own means are not kept; to be compared with homes here, `hushwatt household compare --on`"
NOT_SHARED = "it does not share its results, so there is nothing to compare with"
NOT_YET = "nothing that homes may see is published yet, or it was not fetched yet"
WHOSE = "What homes use is the provider's word: where their mean lies, 95 times in 100. Your own means stay here."
WIDE = 100  # columns where a file or another program reads


def compare(
    *,
    on: Annotated[bool, Parameter(negative=())] = False,
    off: Annotated[bool, Parameter(negative=())] = False,
    plan: PlanName = None,
    folder: FolderOption = None,
    as_json: Json = False,
) -> None:
    """Compare this home with what was published about all homes, where a plan shares that.

    It is worked out here and told to nobody; what leaves this home is the same with it on or off.

    Parameters
    ----------
    on
        Keep this home's own means from now on, in a file beside the ledger: a sum for each appliance and week.
    off
        Delete them, and keep none.
    """
    from hushwatt.household.compare import comparisons, set_comparison, wants_comparison
    from hushwatt.household.join import taking_part
    from hushwatt.plan.plan import Plan

    if on and off:
        raise UsageError("--on and --off cannot both be; choose one")
    with open_folder(folder).store() as store:
        if on or off:
            set_comparison(store, on)
            say(ON if on else OFF)
            return
        kept, now = wants_comparison(store), time.time_ns()
        plans = [Plan.parse(row["canonical"]) for row in taking_part(store, plan)]
        found = [(each, comparisons(store, each, now)) for each in plans]
    if as_json:
        print_json({"on": kept, "plans": [_document(*each) for each in found]})
    else:
        _print(found, kept)


def _document(plan: "Plan", found: list["Comparison"]) -> dict[str, Any]:
    rows = [
        {**asdict(each), "start": each.start.isoformat(), "end": each.end.isoformat(), "verdict": each.verdict}
        for each in found
    ]
    return {"plan": plan.id, "name": plan.name, "shares": plan.share_results, "appliances": rows}


def _print(found: list[tuple["Plan", list["Comparison"]]], kept: bool) -> None:
    from rich.console import Console

    console = Console(width=terminal_width(WIDE), highlight=False)
    for plan, rows in found:
        console.print(sanitised(plan.name), markup=False)
        if not rows:
            say(f"plan {quoted(plan.name, 60)}: {NOT_YET if plan.share_results else NOT_SHARED}")
            continue
        console.print(_table(rows, kept))
        console.print(WHOSE)
    if not kept and any(plan.share_results for plan, _ in found):
        say(HOW)


def _table(rows: list["Comparison"], kept: bool) -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("appliance", "your home", "homes here", "your home is", "in"):
        table.add_column(heading)
    for each in rows:
        table.add_row(*_cells(each, kept))
    return table


def _cells(each: "Comparison", kept: bool) -> Iterator[str]:
    from rich.markup import escape

    yield escape(sanitised(each.appliance))
    yield each.own_words if kept else "not kept"
    yield each.homes_words
    yield each.verdict or ""
    yield each.when
