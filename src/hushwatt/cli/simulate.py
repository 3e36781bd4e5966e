"""`hushwatt simulate`: readings of invented homes, to try things out with."""

from pathlib import Path
from typing import Literal

from hushwatt.cli.options import Output
from hushwatt.cli.progress import progress
from hushwatt.cli.terminal import say

Kind = Literal["ideal", "normal", "uniform", "left-skewed", "right-skewed"]

PRESETS = {"ideal": "paper"}  # the plan without --plan; the paper's synthetic setting for the other kinds


def simulate(
    kind: Kind,
    /,
    *,
    output: Output,
    homes: int,
    slots: int,
    seed: int | None = None,
    plan: Path | None = None,
    measured: float = 1.0,
) -> None:
    """Invent the readings of many homes, to try things out with.

    The table is Parquet, or CSV when its name ends in .csv.

    Parameters
    ----------
    kind
        ideal: homes like those of the IDEAL study, each appliance at what it really draws.
        The others: one law in [0, 3000] W for all, as in the paper's synthetic data.
    homes
        How many homes.
    slots
        How many slots, from the first of the plan.
    seed
        Repeat the same readings; without it they are new each time.
    plan
        Take appliances and slots from this plan; without it from the preset "paper"
        for ideal and "paper-synthetic" for the others.
    measured
        Each home has a plug on this share of its appliances, if the plan says unmeasured = "answer"; the
        watts of the others are left empty.
    """
    from hushwatt.evaluate import generators
    from hushwatt.plan.plan import Plan
    from hushwatt.plan.presets import preset

    agreed = Plan.load(plan) if plan else preset(PRESETS.get(kind, "paper-synthetic"))
    if slots > agreed.calendar.slots:  # readings beyond the plan's end are skipped
        say(f"note: the plan expires after {agreed.calendar.slots} slots; the readings of later slots are not for it")
    rows = homes * slots * len(agreed.appliances)
    with progress("inventing readings", rows) as advance:
        generators.simulate_file(kind, agreed, homes, slots, seed, output, advance, measured)
    say(f"wrote {rows} synthetic readings of {homes} invented homes to {output}")
    say(f"kind: {kind} ({generators.GENERATORS[kind].about}), seed: {'none' if seed is None else seed}")
