"""`hushwatt plan rehearse`: what very many homes would report under a plan, beside the truth."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from hushwatt.cli.options import Json, Place, Seed
from hushwatt.cli.progress import fractions
from hushwatt.cli.terminal import print_json, say

SPARE = ((4, 5, 6),)  # what narrow terminals lack: the share

if TYPE_CHECKING:
    from rich.table import Table

    from hushwatt.fleet.rehearse import RehearsalResult


def rehearse(plan: Path, readings: Place, /, *, homes: int, seed: Seed | None = None, as_json: Json = False) -> None:
    """See what HOMES homes like those of READINGS would show under PLAN, beside the truth.

    Nothing is collected: what the provider would count is drawn at once from its exact distribution, so
    a hundred million homes take seconds. For the methods lbu, lsp and lpu.

    Parameters
    ----------
    plan
        The plan's file.
    readings
        A table of readings, real or invented; each of its homes stands for as many as the others.
    homes
        How many homes take part.
    """
    from hushwatt.cli.estimate_tables import print_tables, remarks
    from hushwatt.fleet.rehearse import rehearse as rehearsed
    from hushwatt.plan.plan import Plan

    agreed = Plan.load(plan)
    with fractions("rehearsing") as tell:
        result = rehearsed(agreed, readings, homes, seed=seed, progress=tell)
    if as_json:
        print_json(document(result))
    else:
        lines = [*remarks(result.estimates), *about(result)]
        print_tables(result.estimates, [table(result)], lines, SPARE)
    drawn = f"with seed {seed}" if seed is not None else "with fresh noise"
    say(f"a rehearsal {drawn}: no home reported anything")


def document(result: "RehearsalResult") -> dict[str, Any]:
    """The estimates as everywhere, and what they should be."""
    from hushwatt.provider.estimate.document import document as estimates

    truth = {
        name: {
            "mean_watts": true.watts,
            "share": None if true.share != true.share else true.share,
            "rank": true.rank,
            "counted_watts": true.counted,
            **({"measured": true.measured} if result.estimates.plan.answers_unmeasured else {}),
        }
        for name, true in result.truth.items()
    }
    return estimates(result.estimates) | {"like": result.like, "truth": truth}


def table(result: "RehearsalResult") -> "Table":
    """Every appliance in the plan's order, each estimate followed by what is true."""
    from hushwatt.cli.estimate_tables import headed_table, percent, percents, places

    shown = headed_table("appliance", "watts ± se", "95 %", "truly", "share", "95 %", "truly", "rank", "truly")
    truth = result.truth
    for name, period in result.estimates.by_period.items():
        if period is None:
            shown.add_row(name, "too few homes" if name in result.estimates.withheld else "–", *["–"] * 7)
        else:
            digits = decimals(period.watts_se)
            shown.add_row(
                name,
                f"{period.watts:,.{digits}f} ± {period.watts_se:,.{digits}f}",
                f"{period.low:,.{digits}f} to {period.high:,.{digits}f}",
                f"{truth[name].watts:,.{digits}f}",
                percent(period.share),
                percents(period.share_low, period.share_high),
                percent(truth[name].share),
                places(period),
                str(truth[name].rank),
            )
    return shown


def decimals(error: float) -> int:
    """Digits after the point that a number with this error deserves: its first two, and at least one.

    >>> decimals(12.0), decimals(0.0123)
    (1, 3)
    """
    from math import floor, log10

    return min(max(1 - floor(log10(error)), 1), 6) if error > 0 else 6


def about(result: "RehearsalResult") -> list[str]:
    """What has to be said about the rehearsal itself."""
    lines = [f"Each of the {result.like:,} homes of the readings stands for as many as the others."]
    if not (truth := result.truth):
        return lines
    lines.append(f"{result.within} of {len(truth)} real means lie within their limits.")
    used = {name: abs(true.counted / true.watts - 1) for name, true in truth.items() if true.watts}
    name = max(used, key=used.__getitem__, default="")
    if (off := used.get(name, 0.0)) >= 0.005:
        less = "less" if truth[name].counted < truth[name].watts else "more"
        lines.append(
            f"The levels alone would count up to {off:.0%} {less} than homes really use ({name}): "
            f"{truth[name].counted:,.1f} W of {truth[name].watts:,.1f} W."
        )
    return lines
