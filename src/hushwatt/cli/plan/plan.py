"""`hushwatt plan`: write a plan, read it, and see what it promises."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from hushwatt.cli.options import Json
from hushwatt.cli.terminal import say
from hushwatt.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from hushwatt.plan.plan import Plan
    from hushwatt.privacy.promise import Promise

app = App(name="plan", help="Write a plan, read it, and see what it promises.")
app.command(
    "hushwatt.cli.plan.advise:advise",
    name="advise",
    help="Search for the most accurate plan with the protection of PLAN.",
)
app.command(
    "hushwatt.cli.plan.rehearse:rehearse",
    name="rehearse",
    help="See what HOMES homes like those of READINGS would show under PLAN, beside the truth.",
)
app.command(
    "hushwatt.cli.plan.statement:statement",
    name="statement",
    help="State what PLAN promises, what was checked and what cannot be claimed, for those who must sign.",
)


@app.command
def new(
    *, preset: str, output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None, force: bool = False
) -> None:
    """Write a plan to start from.

    Parameters
    ----------
    preset
        Which one: everyday, mains, advised, year, paper or paper-synthetic.
    output
        Where to write; without it the plan is printed.
    force
        Replace an older file of that name.
    """
    from hushwatt.files import atomic_write
    from hushwatt.plan.plan import Plan
    from hushwatt.plan.presets import preset_text

    text = preset_text(preset)
    if output is None:
        _print_bytes(text.encode())
    elif output.exists() and not force and not output.is_dir():
        raise UsageError(f"{output} is already there; choose another name, or replace it with --force")
    else:
        with atomic_write(output) as temporary:
            temporary.write_text(text, encoding="utf-8")
    say(f"preset {preset}, plan {Plan.parse(text).id}")
    say(f"next: say who asks and what for, then `hushwatt plan check {output or 'PLAN'}`")


@app.command
def show(plan: Path, *, as_json: Json = False) -> None:
    """Show what PLAN asks, of whom, and for how long.

    With --json this is the canonical form: the SHA-256 of that line, without its end, is the plan's id.

    Parameters
    ----------
    plan
        The plan's file.
    """
    from hushwatt.plan.plan import Plan
    from hushwatt.plan.summary import facts, levels

    agreed = Plan.load(plan)
    if as_json:
        _print_bytes(agreed.canonical() + b"\n")
    else:
        _print_lines(agreed.name, _facts(facts(agreed)), _levels(levels(agreed)))


@app.command
def check(plan: Path, *, as_json: Json = False) -> None:
    """Try what can be decided under PLAN, and say what it promises and what the dearest window costs.

    Exits with 1 when a window can cost more than the plan promises, or when homes that decide for themselves
    would follow their levels too closely for means over time to be right.

    Parameters
    ----------
    plan
        The plan's file.
    """
    from hushwatt.plan.plan import Plan
    from hushwatt.privacy.length_bias import leaning
    from hushwatt.privacy.promise import promise
    from hushwatt.privacy.promise_words import sentences
    from hushwatt.wire.payload import Layout

    agreed = Plan.load(plan)
    promised = promise(agreed)
    if as_json:
        print(json.dumps(_promise_json(agreed, promised), indent=2))
    else:
        _print_lines(agreed.name, _facts(sentences(agreed, promised, Layout.of(agreed).size)))
    if not promised.kept or leaning(agreed):
        raise SystemExit(1)


def _promise_json(plan: "Plan", promise: "Promise") -> dict[str, Any]:
    """What a plan promises, for programs; amounts are whole millionths of ε."""
    from hushwatt.plan.phases import blind_spot
    from hushwatt.privacy.influence import influence, month, report_influence
    from hushwatt.privacy.length_bias import sharpness
    from hushwatt.privacy.long_run import SPANS, long_run
    from hushwatt.privacy.promise_words import reach
    from hushwatt.wire.payload import Layout

    return {
        "plan": plan.id,
        "window": plan.window,
        "epsilon": plan.epsilon,
        "appliance_epsilon": plan.appliance_epsilon,
        "dearest_window": promise.dearest,
        "dearest_window_of_one_appliance": reach(promise),
        "odds": promise.odds,
        "odds_of_one_appliance": promise.appliance_odds,
        "long_run": long_run(plan).as_json(),
        "long_runs": [long_run(plan, days).as_json() for days in SPANS],
        "names_true_level": list(promise.told),
        "only_true_level": list(promise.truthful),
        "influence": {
            "report": report_influence(plan),
            "slot": influence(plan, plan.publish),
            "month": influence(plan, month(plan)),
            "plan": influence(plan, plan.calendar.slots),
        },
        "blind_spot": blind_spot(plan),
        "sharpness": sharpness(plan),
        "report_bytes": Layout.of(plan).size,
        **({"publish": plan.publish} if plan.publish != 1 else {}),
        "kept": promise.kept,
    }


def _facts(facts: list[tuple[str, str]]) -> "Table":
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, sentence in facts:
        table.add_row(label, Text(sentence))
    return table


def _levels(levels: list[tuple[str, int, str]]) -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table("appliance", "levels", "which", box=box.SIMPLE_HEAD, pad_edge=False)
    for names, count, which in levels:
        table.add_row(Text(names), str(count), Text(which))
    return table


def _print_lines(title: str, *tables: "Table") -> None:
    """Print tables under a title, without the spaces that fill them up to the right."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    with console.capture() as capture:
        console.print(Text(title, style="bold"), *tables, sep="\n")
    for line in capture.get().rstrip().splitlines():
        print(line.rstrip())


def _print_bytes(data: bytes) -> None:
    """Print exactly these bytes, whatever letters the terminal has."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
