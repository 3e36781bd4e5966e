"""`hushwatt reproduce`: the paper's tables and figures, beside what hushwatt reaches."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from hushwatt.cli.options import Json
from hushwatt.cli.terminal import print_json, say
from hushwatt.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from hushwatt.evaluate.reproduce import ReproducedExperiment, Reproduction

WIDTH = 120  # of tables that go to a file
SEED = 2311  # the paper's number at arXiv begins so


def reproduce(
    *names: str,
    quick: bool = False,
    as_json: Json = False,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    data: Path | None = None,
    seed: int = SEED,
) -> None:
    """Reproduce the paper's tables and figures, and show where it slips.

    Parameters
    ----------
    names
        The experiments to run, all of the paper's when none is named: floors, methods, windows, budgets, levels,
        distributions, users, appliances, per-appliance, top-k, shares, benchmark, usage, drift, privacy,
        privacy-at-size, release-bias, accuracy, per-slot, advice, year. Also questions; and real-homes, which
        needs --data.
    quick
        Fewer repetitions: about a minute, where a full run takes some minutes.
    output
        A folder for everything: page.html, results.json, results.csv, and a picture of each figure.
    data
        Readings of your own, as `hushwatt data convert` writes them: augmented to 1,000 homes, as in the
        paper, they take the place of the invented homes that stand for IDEAL. real-homes and questions draw
        theirs from them as they are.
    seed
        Other homes and other noise; the same seed gives the same numbers.
    """
    from hushwatt.cli.extras import need

    if output is not None:
        need("evaluate")  # which draws the figures, after all the work

    from rich.console import Console

    from hushwatt.cli.progress import progress
    from hushwatt.evaluate.experiments import experiment, experiments
    from hushwatt.evaluate.reproduce import count, document
    from hushwatt.evaluate.reproduce import reproduce as run

    if seed < 0:
        raise UsageError(f"the seed is {seed}; it must be a whole number of at least 0")
    asked = list(dict.fromkeys(names)) or [
        each.name for each in experiments().values() if not each.needs_data and not each.only_named
    ]
    for name in asked:
        experiment(name)
    if output is not None:
        _check_folder(output)
    with progress("reproducing", count(asked, quick)) as advance:
        reproduction = run(asked, seed, quick, data, advance)
    if output is not None:
        _write(reproduction, output)
    if as_json:
        print_json(document(reproduction))
    else:
        console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
        for part in reproduction.parts:
            _print_part(part, console)


def _check_folder(folder: Path) -> None:
    """Refuse, before the work, a folder that cannot be made."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; --output wants a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as wrong:
        raise UsageError(f"cannot make the folder {folder}: {wrong.strerror}") from None


def _write(reproduction: "Reproduction", folder: Path) -> None:
    from hushwatt.evaluate.figures import draw
    from hushwatt.evaluate.page import page
    from hushwatt.evaluate.reproduce import document
    from hushwatt.evaluate.result_tables import as_csv
    from hushwatt.files import atomic_write

    texts = {
        "page.html": page(reproduction),
        "results.json": json.dumps(document(reproduction), ensure_ascii=False, allow_nan=False, indent=1) + "\n",
        "results.csv": as_csv(reproduction),
    }
    for name, text in texts.items():
        with atomic_write(folder / name) as temporary:
            temporary.write_text(text, encoding="utf-8")
    pictures = [path for part in reproduction.parts for path in draw(part, folder)]
    say(f"wrote page.html, results.json, results.csv and {len(pictures)} pictures to {folder}")


def _print_part(part: "ReproducedExperiment", console: "Console") -> None:
    """The tables of one experiment, and its figures to reach."""
    from rich import box
    from rich.table import Table

    from hushwatt.evaluate.result_tables import shown, tables

    console.print(f"\n[bold]{part.experiment.title}[/] ({part.experiment.name})")
    if part.homes:
        console.print(f"[dim]{'; '.join(part.homes)}[/]")
    for one in tables(part):
        table = Table(one.title, *one.columns, box=box.SIMPLE_HEAD, pad_edge=False)
        for column in table.columns[1:]:
            column.justify = "right"
        for setting, cells in one.rows:
            table.add_row(setting, *cells)
        console.print(table)
    for goal, result, reached in part.goals():
        if not reached:
            value = shown(part.experiment.metric(goal.metric), result)
            console.print(f"not reached: {goal.setting}, {goal.column}, {goal.metric}: {value}")
