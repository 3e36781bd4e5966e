"""`hushwatt compare`: two stretches of time or kinds of homes against each other, with how sure the difference is."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from hushwatt.cli.estimate import Engine, LabelsFile, Master, SparkConf, tally_with_engine
from hushwatt.cli.options import Json
from hushwatt.cli.terminal import print_json

if TYPE_CHECKING:
    from rich.table import Table

    from hushwatt.provider.estimate.collected import CollectedSlots
    from hushwatt.provider.estimate.contrasts.contrast import Contrast, Contrasts


def compare(
    plan: Path,
    reports: str,
    /,
    *,
    a: str,
    b: str,
    versus: Annotated[tuple[str, str] | None, Parameter(negative=())] = None,
    labels: LabelsFile = None,
    as_json: Json = False,
    engine: Engine = "embedded",
    master: Master = None,
    spark_conf: SparkConf = None,
) -> None:
    """Say by how much every appliance's watts on side A differ from those on side B, and how surely.

    A side is written as 2024-01-15..2024-01-21, hours=17-21, weekdays=mon-fri, a label of the homes as tariff=A, or
    several of these with commas between them. Times are by the plan's clocks.

    Parameters
    ----------
    plan
        The plan's file.
    reports
        The file of reports, or a folder of them, or their address, as s3://bucket/folder.
    a
        One side.
    b
        The other side; the difference is a − b.
    versus
        Two more sides, C and D: the difference between A and B beyond that between C and D.
    """
    from hushwatt.plan.plan import Plan
    from hushwatt.provider.estimate.contrasts.contrast import contrasts
    from hushwatt.provider.estimate.contrasts.side import Side

    agreed = Plan.load(plan)
    texts = (a, b, *(versus or ()))
    if labels is None:  # before the reports are read, which may take long
        sides = [Side.parse(agreed, text) for text in texts]
    tallies = tally_with_engine(agreed, reports, engine, master, spark_conf, labels)
    if labels is not None:
        sides = [Side.parse(agreed, text, tallies.cells) for text in texts]
    found = contrasts([side.collected(agreed, tallies) for side in sides])
    what = [side.what for side in sides]
    if as_json:
        from hushwatt.provider.estimate.contrasts.contrast_document import contrast_document

        print_json(contrast_document(found, what))
    else:
        _print(found, what)


def _print(found: "Contrasts", what: list[str]) -> None:
    from rich.console import Console

    from hushwatt.cli.terminal import terminal_width

    console = Console(highlight=False, width=terminal_width(120))
    names = "abcd"[: len(what)]
    for name, text, side in zip(names, what, found.sides, strict=True):
        console.print(f"{name}: {text}  ({side.slots:,} {side.plan.periods.word}s, {side.homes:,} homes)", markup=False)
    with console.capture() as capture:
        console.print(_table(found))
    print("\n".join(line.rstrip() for line in capture.get().rstrip().splitlines()))
    print()
    for line in _remarks(found):
        print(line)


def _table(found: "Contrasts") -> "Table":
    from hushwatt.cli.estimate_tables import headed_table

    table = headed_table("appliance", "a, W", "b, W", "difference, W", "95 %", "in %", "95 %", "sure", "seen from")
    for name, each in found.by_appliance.items():
        if each is None:
            table.add_row(name, *["–"] * 8)
            continue
        percent = ["–", "–"]
        if each.percent is not None and each.percent_low is not None and each.percent_high is not None:
            percent = [f"{each.percent:+.0f} %", f"{each.percent_low:+.0f} to {each.percent_high:+.0f} %"]
        table.add_row(
            name,
            f"{each.means[0]:,.1f}",
            f"{each.means[1]:,.1f}",
            f"{each.difference:+,.1f}",
            f"{each.low:+,.1f} to {each.high:+,.1f}",
            *percent,
            _verdict(each),
            f"{each.detectable:,.1f} W",
        )
    return table


def _in_common(found: "Contrasts") -> str:
    """Whether the same homes may speak on several sides."""
    from hushwatt.provider.estimate.ranking.common_homes import shares_homes

    if shares_homes(found.sides).sum() == len(found.sides):
        return "No home is on both sides."
    return "The same homes may speak on both sides; the limits hold whatever their habits have to do with each other."


def _withheld(side: "CollectedSlots") -> str:
    """Why appliances of a kind of homes have no answer; empty where they have."""
    from hushwatt.provider.estimate.groups.group_rows import GroupRows

    missing = [name for name, count in (side.most or {}).items() if count and name not in side.known]
    need = side.plan.minimum_homes
    if not missing:
        return ""
    if all(isinstance(rows := side.series[name].rows, GroupRows) and rows.answered.any() for name in missing):
        return (
            f"{', '.join(missing)}: answered over several slots together, and no such stretch lies whole in this time."
        )
    if all((side.most or {})[name] < need for name in missing):
        return f"too few homes spoke of {', '.join(missing)}; the plan needs {need:,}."
    return f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} withheld: too few homes, here or in the rest."


def _verdict(each: "Contrast") -> str:
    return "yes" if each.p_adjusted < 0.05 else "no"


def _remarks(found: "Contrasts") -> list[str]:
    from hushwatt.privacy.tails import is_real

    count = sum(each is not None for each in found.by_appliance.values())
    lines = [
        f"sure: with 95 % confidence, allowing for {count} appliances being compared at once (Holm).",
        "seen from: a difference of so many watts would be called sure in four of five cases.",
        _in_common(found),
        *(f"{name}: {_withheld(side)}" for name, side in zip("abcd", found.sides, strict=False) if _withheld(side)),
    ]
    plan = found.sides[0].plan
    if any(is_real(plan, number) for number in range(len(plan.appliances))):
        lines.append("What lies above the top level is taken to be spread alike on all sides.")
    return lines
