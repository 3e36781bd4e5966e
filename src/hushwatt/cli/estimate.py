"""`hushwatt estimate` and `hushwatt top`: what the reports say, with error bars."""

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from hushwatt.cli.options import Json

From = Annotated[str | None, Parameter(name="--from")]
To = Annotated[str | None, Parameter(name="--to")]


def estimate(
    plan: Path,
    reports: Path,
    /,
    *,
    as_json: Json = False,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    start: From = None,
    end: To = None,
    consistency: Literal["norm-sub", "none"] = "norm-sub",
    smooth: bool = False,
    engine: Literal["embedded"] = "embedded",
) -> None:
    """Estimate from REPORTS how many homes are at which level, and every appliance's watts.

    Every number comes with its uncertainty. A slot with fewer homes than the plan's minimum has no answer.

    Parameters
    ----------
    plan
        The plan's file.
    reports
        The file of reports, or a folder of them.
    output
        Where to write as well: .json holds all; .csv and .parquet one row per slot, appliance and level.
    start
        The first slot, by a date or time in it; local to the plan unless it has an offset.
    end
        The last slot, likewise; a date includes the whole day.
    consistency
        Whether histograms are shown without negative counts and adding up to all homes (norm-sub), or as they
        were estimated (none). Nothing else is touched by it.
    smooth
        Let every slot learn from the slots before it. The whole period stays as it is.
    engine
        What adds the reports up.
    """
    from hushwatt.cli.estimated import period_table, print_tables, remarks
    from hushwatt.plan.plan import Plan
    from hushwatt.provider.estimate import estimate as estimated
    from hushwatt.provider.export import export
    from hushwatt.provider.span import span
    from hushwatt.provider.tally import tally_reports

    agreed = Plan.load(plan)
    first, last = span(agreed, start, end)
    tallies = tally_reports(agreed, reports)
    found = estimated(agreed, tallies, consistency=consistency, smooth=smooth, first=first, last=last)
    if output is not None:
        export(found, output)
    if as_json:
        from hushwatt.provider.document import document

        print_json(document(found))
    else:
        print_tables(found, period_table(found), remarks(found))
    if output is not None:
        print(f"wrote {output}", file=sys.stderr)


def top(
    plan: Path,
    reports: Path,
    /,
    *,
    count: Annotated[int, Parameter(name=["--count", "-k"])] = 10,
    as_json: Json = False,
) -> None:
    """Show which appliances use the most, with the ranks they may really have.

    Parameters
    ----------
    plan
        The plan's file.
    reports
        The file of reports, or a folder of them.
    count
        How many appliances to show.
    """
    from hushwatt.cli.estimated import print_tables, remarks, top_table
    from hushwatt.errors import UsageError
    from hushwatt.plan.plan import Plan
    from hushwatt.provider.estimate import estimate as estimated
    from hushwatt.provider.tally import tally_reports

    if count < 1:
        raise UsageError(f"-k is {count}; it must be at least 1")
    agreed = Plan.load(plan)
    found = estimated(agreed, tally_reports(agreed, reports))
    if as_json:
        from hushwatt.provider.document import top_document

        print_json(top_document(found, count))
    else:
        print_tables(found, top_table(found, count), remarks(found))


def print_json(found: object) -> None:
    """One line for programs."""
    import json

    print(json.dumps(found, ensure_ascii=False, allow_nan=False))
