"""`hushwatt estimate` and `hushwatt top`: what the reports say, with error bars."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from hushwatt.cli.options import Json, Place
from hushwatt.cli.terminal import print_json, say
from hushwatt.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hushwatt.plan.plan import Plan
    from hushwatt.provider.tally.refused_reports import Refused
    from hushwatt.provider.tally.tally import Tallies

Engine = Annotated[
    Literal["embedded", "spark"],
    Parameter(help="What adds the reports up: this machine, or Apache Spark for more than it can hold."),
]
Master = Annotated[
    str | None, Parameter(help="Where Spark runs, as spark://host:7077; else on this machine (local[*]).")
]
SparkConf = Annotated[
    list[str] | None,
    Parameter(
        name="--spark-conf", negative_iterable=(), help="A setting of Spark's own, NAME=VALUE; may be given again."
    ),
]
From = Annotated[str | None, Parameter(name="--from")]
To = Annotated[str | None, Parameter(name="--to")]
FoldName = Literal["hour", "weekday", "hour-of-week", "month", "each-hour", "each-day", "each-week", "each-month"]
Fold = Annotated[
    FoldName | None,
    Parameter(
        help="Show also what is usual: all slots of the same hour, weekday, hour of the week or month together; or "
        "each hour, day, week or month by itself."
    ),
]
Hours = Annotated[
    str | None,
    Parameter(help="Only slots in these hours, as 17-21 (17:00 to 21:00) or 22-6, by the plan's clocks."),
]
Weekdays = Annotated[str | None, Parameter(help="Only slots on these weekdays, as mon-fri or sat,sun.")]
By = Annotated[
    str | None,
    Parameter(help="Show also every kind of home by itself: one label or several, as tariff or tariff,region."),
]
LabelsFile = Annotated[
    Path | None,
    Parameter(
        name="--labels",
        help="What you know of the homes anyway, .csv or .parquet: a column household, and one for each label.",
    ),
]

CustomersOption = Annotated[
    str | None,
    Parameter(
        name="--customers",
        help="Show also what all customers use: their number, or a .csv file with how many of each kind (label columns "
        "and customers).",
    ),
]
Above = Annotated[
    list[float] | None,
    Parameter(negative_iterable=(), help="Show also the share of homes above so many watts; may be given again."),
]
Using = Annotated[
    bool, Parameter(negative="", help="Show also the share of homes that use an appliance: above its lowest level.")
]


def estimate(
    plan: Path,
    reports: str,
    /,
    *,
    as_json: Json = False,
    output: Annotated[Place | None, Parameter(name=["--output", "-o"])] = None,
    start: From = None,
    end: To = None,
    consistency: Literal["norm-sub", "none"] = "norm-sub",
    smooth: bool = False,
    levels: Annotated[bool, Parameter(negative="")] = False,
    fold: Fold = None,
    hours: Hours = None,
    weekdays: Weekdays = None,
    rejected: Place | None = None,
    by: By = None,
    labels_file: LabelsFile = None,
    customers: CustomersOption = None,
    above: Above = None,
    using: Using = False,
    engine: Engine = "embedded",
    master: Master = None,
    spark_conf: SparkConf = None,
) -> None:
    """Estimate from REPORTS how many homes are at which level, and every appliance's watts.

    Every number comes with its uncertainty. A slot with fewer homes than the plan's minimum has no answer.

    Parameters
    ----------
    plan
        The plan's file.
    reports
        The file of reports, or a folder of them; or their address, as s3://bucket/folder.
    output
        Where to write as well: .json holds all; .csv and .parquet one row per slot, appliance and level.
    start
        The first slot, by a date or time in it; local to the plan unless it has an offset.
    end
        The last slot, likewise; a date includes the whole day.
    consistency
        Whether histograms are shown without negative counts and adding up to all homes (norm-sub), or as they
        were estimated (none). Nothing else is touched by it. Histograms of slots must not be averaged by hand
        with norm-sub; for that there are --levels, and homes_unbiased in files.
    smooth
        Let every slot learn from the slots before it, its season too. The whole period stays as it is.
    levels
        Show also how many homes are at each level, on average over all slots.
    rejected
        A file (.parquet, .csv) for the reports that are refused, with the file, row and reason of each. With it, a
        damaged file is left out as a whole, told, and kept there by its name.
    """
    from hushwatt.cli.answers.above_table import above_remarks, above_tables
    from hushwatt.cli.answers.totals_table import totals_remarks, totals_tables
    from hushwatt.cli.estimate_tables import AVERAGING, PERIOD_SPARE, levels_table, period_table, print_tables, remarks
    from hushwatt.cli.fold_table import fold_tables
    from hushwatt.cli.group_tables import group_remarks, group_tables
    from hushwatt.plan.plan import Plan
    from hushwatt.provider.estimate.estimate import estimate as estimated
    from hushwatt.provider.estimate.export import export
    from hushwatt.provider.estimate.homes_above.threshold import thresholds
    from hushwatt.provider.estimate.times.time_filter import TimeFilter
    from hushwatt.provider.estimate.times.time_range import parse_time_range
    from hushwatt.provider.estimate.totals.customers import Customers

    agreed = Plan.load(plan)
    first, last = parse_time_range(agreed, start, end)
    times = TimeFilter.parse(hours, weekdays)
    if by is not None and labels_file is None:
        raise UsageError("--by wants --labels, the file that says which labels each home has")
    if output is not None:
        from hushwatt.wire.storage import check_output

        check_output(output, reports)
    if rejected is not None:
        from hushwatt.wire.reports.rejected import check_apart, check_ending

        check_apart(check_ending(rejected), reports)
    told = None if customers is None else Customers.parse(customers)
    tallies = tally_with_engine(agreed, reports, engine, master, spark_conf, labels_file, rejected)
    estimates = estimated(
        agreed,
        tallies,
        consistency=consistency,
        smooth=smooth,
        first=first,
        last=last,
        times=times,
        fold=fold,
        by=[each.strip() for each in by.split(",")] if by is not None else (),
        customers=told,
        above=thresholds(above or (), using),
    )
    if output is not None:
        export(estimates, output)
    if as_json:
        from hushwatt.provider.estimate.document import document

        print_json(document(estimates))
    else:
        tables = [period_table(estimates), *totals_tables(estimates), *fold_tables(estimates)]
        tables += [levels_table(estimates)] if levels else []
        lines = [*remarks(estimates, levels=levels), *totals_remarks(estimates), *above_remarks(estimates)]
        tables += [*above_tables(estimates), *group_tables(estimates)]
        print_tables(estimates, tables, [*lines, *group_remarks(estimates)], PERIOD_SPARE)
    if output is not None:
        say(f"wrote {output}")
        if consistency != "none":
            say(AVERAGING)


def top(
    plan: Path,
    reports: str,
    /,
    *,
    count: Annotated[int, Parameter(name=["--count", "-k"])] = 10,
    as_json: Json = False,
    engine: Engine = "embedded",
    master: Master = None,
    spark_conf: SparkConf = None,
) -> None:
    """Show which appliances use the most, with the ranks they may really have.

    Parameters
    ----------
    plan
        The plan's file.
    reports
        The file of reports, or a folder of them; or their address, as s3://bucket/folder.
    count
        How many appliances to show.
    """
    from hushwatt.cli.estimate_tables import TOP_SPARE, print_tables, remarks, top_table
    from hushwatt.plan.plan import Plan
    from hushwatt.provider.estimate.estimate import estimate as estimated

    if count < 1:
        raise UsageError(f"-k is {count}; it must be at least 1")
    agreed = Plan.load(plan)
    estimates = estimated(agreed, tally_with_engine(agreed, reports, engine, master, spark_conf))
    if as_json:
        from hushwatt.provider.estimate.document import top_document

        print_json(top_document(estimates, count))
    else:
        legend = "forgers: at least so many homes must forge their reports to swap an appliance with the next one."
        print_tables(estimates, [top_table(estimates, count)], [legend, *remarks(estimates)], TOP_SPARE)


def tally_with_engine(
    plan: "Plan",
    reports: str,
    engine: str,
    master: str | None,
    spark_conf: list[str] | None,
    labels: Path | None = None,
    rejected: Path | None = None,
) -> "Tallies":
    """The reports' tallies, apart by labels if there are any, with a word about reports that are not counted.

    Those that are refused go into the file `rejected`.
    """
    from hushwatt.provider.tally.engines import engine as engine_of
    from hushwatt.provider.tally.label_table import read_labels

    settings = spark_settings(spark_conf)
    table = None if labels is None else read_labels(labels)
    wrote = ""

    def keep(homes: int, refused: "Iterable[Refused]") -> None:
        nonlocal wrote
        if rejected is not None:
            wrote = keep_refused(rejected, plan, homes, refused)

    adding = engine_of(engine, master=master, settings=settings)
    tallies = adding.tallies(plan, reports, table, None if rejected is None else keep)
    if tallies.repeats:
        repeats = f"{tallies.repeats:,} reports repeat an earlier one of the same household, slot and round"
        say(f"{repeats}; each is counted once")
    if tallies.refused:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(tallies.refused.items()))
        say(f"{tallies.refused.total():,} reports are refused and not counted: {reasons}")
    if rejected is not None:
        say(f"wrote {wrote} to {rejected}")
    return tallies


def keep_refused(where: "str | Path", plan: "Plan", homes: int, refused: "Iterable[Refused]") -> str:
    """Write what is refused into a file; how much that was, in words."""
    from hushwatt.wire.reports.refused_files import RefusedFile
    from hushwatt.wire.reports.rejected import rejected_file

    with rejected_file(where, plan, homes) as writer:
        for each in refused:
            if isinstance(each, RefusedFile):
                say(str(each))
                writer.write_file(each)
            else:
                writer.write(each.file, each.rows, each.batch, each.reasons)
    return f"{writer.rows:,} refused reports" + (f" and {writer.files:,} damaged files" if writer.files else "")


def spark_settings(spark_conf: list[str] | None) -> dict[str, str]:
    """Settings of Spark's own, by name."""
    settings = dict(setting.partition("=")[::2] for setting in spark_conf or ())
    if "" in settings or any("=" not in setting for setting in spark_conf or ()):
        raise UsageError("--spark-conf wants NAME=VALUE")
    return settings
