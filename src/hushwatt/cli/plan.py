"""`hushwatt plan`: write a plan, read it, and see what it promises."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from hushwatt.cli.options import Json

if TYPE_CHECKING:
    from hushwatt.plan.plan import Plan

app = App(name="plan", help="Write a plan, read it, and see what it promises.")


@app.command
def new(
    *,
    preset: str,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    force: bool = False,
) -> None:
    """Write a plan to start from.

    Parameters
    ----------
    preset
        Which one: paper or paper-synthetic.
    output
        Where to write; without it the plan is printed.
    force
        Replace an older file of that name.
    """
    from hushwatt.errors import UsageError
    from hushwatt.files import written
    from hushwatt.plan.plan import Plan
    from hushwatt.plan.presets import preset_text

    text = preset_text(preset)
    if output is None:
        _print_bytes(text.encode())
    elif output.exists() and not force and not output.is_dir():
        raise UsageError(f"{output} is already there; choose another name, or replace it with --force")
    else:
        with written(output) as temporary:
            temporary.write_text(text, encoding="utf-8")
    _say(f"preset {preset}, plan {Plan.parse(text).id}")
    _say(f"next: say who asks and what for, then `hushwatt plan check {output or 'PLAN'}`")


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

    agreed = Plan.load(plan)
    if as_json:
        _print_bytes(agreed.canonical() + b"\n")
    else:
        _print_summary(agreed)


def _print_summary(plan: "Plan") -> None:
    """Two tables: what the plan says, and its levels."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from hushwatt.plan.summary import facts, levels

    about = Table(box=None, show_header=False, pad_edge=False)
    about.add_column(style="dim", no_wrap=True)
    about.add_column(overflow="fold")
    for label, sentence in facts(plan):
        about.add_row(label, Text(sentence))
    asked = Table("appliance", "levels", "which", box=box.SIMPLE_HEAD, pad_edge=False)
    for names, count, which in levels(plan):
        asked.add_row(Text(names), str(count), Text(which))
    console = Console(highlight=False)
    with console.capture() as capture:
        console.print(Text(plan.name, style="bold"), about, asked, sep="\n")
    for line in capture.get().rstrip().splitlines():
        print(line.rstrip())


def _print_bytes(data: bytes) -> None:
    """Exactly these bytes, whatever letters the terminal has."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)


def _say(line: str) -> None:
    print(line, file=sys.stderr)
