"""`hushwatt randomise`: a table of readings becomes a table of reports."""

from pathlib import Path

from hushwatt.cli.options import Output, Place, Seed
from hushwatt.cli.progress import fractions
from hushwatt.cli.terminal import say


def randomise(
    plan: Path, readings: Place, /, *, output: Output, seed: Seed | None = None, state: Path | None = None
) -> None:
    """Randomise READINGS by PLAN into a Parquet file of reports.

    READINGS is a Parquet or CSV file, or a folder of them, with the columns household,
    time, appliance and watts. Every home in it takes part in every slot from the first to
    the last; what is missing counts as 0 W, or as not measured where the plan has that answer.

    Parameters
    ----------
    plan
        The plan file.
    readings
        The table of readings.
    state
        A file that carries ledgers, orders and releases from one batch to the next. It is made
        when it does not exist. Keep it with the homes' side: it holds private probes.
    """
    from hushwatt.fleet.randomise import randomise_file
    from hushwatt.plan.plan import Plan
    from hushwatt.wire.storage import check_output

    check_output(output, readings)
    agreed = Plan.load(plan)
    with fractions("randomising") as tell:
        done = randomise_file(agreed, readings, output, seed=seed, state=state, progress=tell)
    for line in done.lines():
        say(line)
    if seed is not None:
        say(f"a simulation with seed {seed}: not for real homes")
