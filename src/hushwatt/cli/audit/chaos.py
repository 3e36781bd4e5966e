"""`hushwatt audit chaos`: does it hold when the world is against it?"""

import json
import os
import secrets
import sys
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from hushwatt.cli.options import Json
from hushwatt.cli.terminal import verdict_table
from hushwatt.errors import UsageError

if TYPE_CHECKING:
    from hushwatt.chaos.run import ScenarioResult
    from hushwatt.chaos.scenario import Scenario

Name = Annotated[str, Parameter(name="NAME", help="Only these scenarios; without, all of them.")]
Cases = Annotated[int | None, Parameter(name="--cases", help="Aim at so many of each.")]
Minutes = Annotated[float | None, Parameter(name="--minutes", help="Stop after this time, shared by all.")]
Seed = Annotated[int | None, Parameter(name="--seed", help="The same seed gives the same cases.")]
OneCase = Annotated[int | None, Parameter(name="--case", help="Go through this one case again.")]
Jobs = Annotated[int | None, Parameter(name="--jobs", help="How many processes; as many as processors.")]
Quick = Annotated[bool, Parameter(name="--quick", help="As few as the tests do.", show_default=False)]


def chaos(
    *names: Name,
    cases: Cases = None,
    minutes: Minutes = None,
    seed: Seed = None,
    case: OneCase = None,
    jobs: Jobs = None,
    quick: Quick = False,
    as_json: Json = False,
) -> None:
    """Kill, unplug, rewind and lie to it, thousands of times: every promise holds.

    Every failure is told with the command that shows it again.  Exits with 1 when there is one.
    """
    if cases is not None and cases < 1:
        raise UsageError("--cases: at least one")
    scenarios = _scenarios(names)
    if case is not None:
        _again(scenarios, case)
        return
    seed = secrets.randbits(32) if seed is None else seed
    print(f"seed {seed}: the same cases again with --seed {seed}", file=sys.stderr)
    aims = [cases or (each.quick if quick else each.full) for each in scenarios]
    outcomes = _run(scenarios, aims, seed, minutes, jobs or os.cpu_count() or 1)
    passed = all(outcome.passed for outcome in outcomes)
    if as_json:
        print(_as_json(outcomes, seed, quick, passed))
    else:
        _print_table(outcomes, passed)
    if outcomes[-1].interrupted:
        raise KeyboardInterrupt
    if not passed:
        raise SystemExit(1)


def _scenarios(names: tuple[str, ...]) -> "list[Scenario]":
    from hushwatt.chaos.scenarios import SCENARIOS

    for name in names:
        if name not in SCENARIOS:
            raise UsageError(f"there is no scenario called {name}; there are {', '.join(SCENARIOS)}")
    return [SCENARIOS[name] for name in names or SCENARIOS]


def _again(scenarios: "list[Scenario]", seed: int) -> None:
    """One case by itself, with all that it raises."""
    from hushwatt.audit.harness.expect import Fault
    from hushwatt.chaos.run import once

    if len(scenarios) != 1:
        raise UsageError("--case needs the name of the one scenario it is a case of")
    try:
        once(scenarios[0], seed)
    except Fault as fault:
        print(f"{scenarios[0].name}, case {seed}: {fault}")
        raise SystemExit(1) from None
    print(f"{scenarios[0].name}, case {seed}: holds")


def _run(
    scenarios: "list[Scenario]", aims: list[int], seed: int, minutes: float | None, jobs: int
) -> "list[ScenarioResult]":
    """One scenario after the other; what one leaves of its time goes to those after it."""
    from hushwatt.chaos.run import run
    from hushwatt.cli.progress import progress

    outcomes, began = list["ScenarioResult"](), monotonic()
    for number, (scenario, aim) in enumerate(zip(scenarios, aims, strict=True)):
        share = None
        if minutes is not None:
            share = max(0.0, minutes - (monotonic() - began) / 60) / (len(scenarios) - number)
        with progress(f"chaos {scenario.name}", total=aim) as advance:
            outcomes.append(run(scenario, aim, seed, share, jobs, advance))
        if outcomes[-1].interrupted:  # show what there is
            break
    return outcomes


def _as_json(outcomes: "list[ScenarioResult]", seed: int, quick: bool, passed: bool) -> str:
    from hushwatt.audit.report import versions

    rows = [
        {
            "promise": each.scenario.promise,
            "scenario": each.scenario.name,
            "says": each.scenario.says,
            "unit": each.scenario.unit,
            "done": each.done,
            "asked": each.asked,
            "full": each.scenario.full,
            "seconds": round(each.seconds, 3),
            "passed": each.passed,
            "failures": [vars(failure) for failure in each.failures],
        }
        for each in outcomes
    ]
    when = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
    head = {"audit": "chaos", "seed": seed, "passed": passed, "quick": quick, "when": when, "versions": versions()}
    return json.dumps({**head, "scenarios": rows}, indent=2)


def _print_table(outcomes: "list[ScenarioResult]", passed: bool) -> None:
    from rich.console import Console

    table = verdict_table("promise", "scenario", numbers=("done", "aimed at", "time"))
    for each in outcomes:
        amounts = (f"{each.done:,}", f"{each.asked:,} {each.scenario.unit}", f"{each.seconds:.1f} s")
        mark = "✓" if each.passed else f"✗ {len(each.failures)}"
        table.add_row(str(each.scenario.promise), each.scenario.name, *amounts, mark)
    Console().print(table)
    for each in outcomes:
        for failure in each.failures:
            print(f"✗ {each.scenario.name}: {failure.said}\n  {failure.replay}")
    good = sum(each.passed for each in outcomes)
    print(f"{good} of {len(outcomes)} hold" + ("" if passed else ": the answer is no, see ✗"))
