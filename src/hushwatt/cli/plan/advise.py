"""`hushwatt plan advise`: the most accurate plan for the same protection."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from hushwatt.cli.options import Json
from hushwatt.cli.progress import fractions
from hushwatt.cli.terminal import say
from hushwatt.errors import UsageError

Show = Callable[[], None]

if TYPE_CHECKING:
    from hushwatt.cli.plan.detection_text import DetectionAsked
    from hushwatt.plan.plan import Plan
    from hushwatt.privacy.advice import Prior


def advise(
    plan: Path,
    *,
    homes: int,
    slots: int | None = None,
    goal: str | None = None,
    within: str | None = None,
    protect: str | None = None,
    detect: str | None = None,
    between: Annotated[tuple[str, str] | None, Parameter(negative=())] = None,
    max_appliance_epsilon: str | None = None,
    learn: Path | None = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    as_json: Json = False,
) -> None:
    """Search for the most accurate plan with the protection of PLAN, or for the longest protection.

    It keeps ε and the window, and looks for the oracle, the appliances per report, the way through time and
    the levels with the smallest expected error. It uses prior knowledge only: what --learn tells, else the
    plan's typical_mean and typical_high, else the catalogue, else the edges.

    With --within it looks for the longest window, up to a year, and then for the smallest ε; with --protect
    the window is given. Both print what three days, a month, a year and the whole plan would cost.

    With --detect it also says how many homes and weeks show a difference, under PLAN as it is and under the plan
    that is advised: between two halves of the homes, and between two stretches of time of the same homes.

    Parameters
    ----------
    plan
        The plan's file.
    homes
        How many homes will take part.
    slots
        Over how many slots the means are taken; by default 30. With --within and --protect it is always 30 days.
    goal
        What should be right: watts (means of real watts, with limits that hold; the default), ranking (their
        order), or histogram (levels in each slot).
    within
        The expected error of a middling appliance's mean over 30 days, such as 10%, that the longest window must keep.
    protect
        How long a home's past is protected as one: a time such as 365d, or plan.
    detect
        A difference, such as 10% of an appliance's mean, that `hushwatt compare` should find in four of five cases.
        Each side has as many slots as --slots, or 30 days with --within and --protect.
    between
        Two sides as `hushwatt compare` takes them, instead of two stretches one after the other; needs --detect.
    max_appliance_epsilon
        The most that one appliance may spend in a window, or none; by default ε/n, the paper's.
    learn
        Where to learn what appliances use: the JSON of an earlier collection's estimates, or a table of readings.
        From estimates of PLAN itself tails are learnt too, and the advised plan succeeds it (`replaces`).
    output
        Where to write the advised plan.
    """
    from hushwatt.cli.plan.detection_text import DetectionAsked
    from hushwatt.cli.plan.protection_text import share_of
    from hushwatt.files import atomic_write
    from hushwatt.plan.plan import Plan

    asked_protection = within is not None or protect is not None
    if asked_protection and (slots is not None or goal is not None):
        raise UsageError("--within and --protect are about mean watts over 30 days; leave out --slots and --goal")
    if between is not None and detect is None:
        raise UsageError("--between says what is compared; say with --detect which difference should be found")
    agreed = Plan.load(plan)
    learnt, successor = learnt_from(agreed, learn)
    looking = None if detect is None else DetectionAsked(share_of(detect, "--detect"), agreed, homes, between, learnt)
    if asked_protection:
        best, show = _protected(successor, homes, within, protect, max_appliance_epsilon, learnt, as_json, looking)
    else:
        cap, many = cap_of(agreed, max_appliance_epsilon), 30 if slots is None else slots
        best, show = _advised(successor, homes, many, goal or "watts", cap, learnt, as_json, looking)
    if output is not None and best is not None:
        with atomic_write(output) as temporary:
            temporary.write_text(best.toml(), encoding="utf-8")
    show()
    if best is None:
        raise SystemExit(1)
    if output is not None:
        say(f"wrote {output}, plan {best.id}")


def _advised(
    plan: "Plan",
    homes: int,
    slots: int,
    goal: str,
    cap: int | None,
    learnt: "Mapping[str, Prior]",
    as_json: bool,
    looking: "DetectionAsked | None" = None,
) -> "tuple[Plan | None, Show]":
    """The most accurate plan for the same protection, and how to show it."""
    from hushwatt.cli.plan.advice_text import advice_document, print_advice
    from hushwatt.privacy.advice import advise as search

    advice = search(plan, homes, slots, goal, cap, learnt)
    detections = looking.of(advice.best, slots) if looking else None

    def show() -> None:
        if as_json:
            _print_indented(advice_document(advice) | (detections.document() if detections else {}))
        else:
            print_advice(advice)
            if detections:
                detections.print()

    return advice.best.plan, show


def _protected(
    plan: "Plan",
    homes: int,
    within: str | None,
    protect: str | None,
    max_appliance_epsilon: str | None,
    learnt: "Mapping[str, Prior]",
    as_json: bool,
    looking: "DetectionAsked | None" = None,
) -> "tuple[Plan | None, Show]":
    """The plan with the longest protection, or with a given one, and how to show it; no plan where there is none."""
    from hushwatt.cli.plan.protection_text import print_protection, protection_document, share_of
    from hushwatt.privacy.advice.protection import USUAL, ProtectionSearch, month_of

    if within is not None and protect is not None:
        raise UsageError("--within looks for the window and --protect fixes it; give one of them")
    error = USUAL if within is None else share_of(within)
    search = ProtectionSearch(plan, homes, error, partial(cap_of, asked=max_appliance_epsilon), learnt)
    found = search.longest() if protect is None else search.fixed(protect)
    detections = looking.of(found.best, month_of(found.best.plan)) if looking and found.best else None

    def show() -> None:
        if as_json:
            _print_indented(protection_document(found, protect) | (detections.document() if detections else {}))
        else:
            print_protection(found, plan, protect)
            if detections:
                detections.print()

    return (None if found.best is None else found.best.plan), show


def _print_indented(document: dict[str, Any]) -> None:
    print(json.dumps(document, ensure_ascii=False, indent=2))


def learnt_from(plan: "Plan", source: Path | None) -> "tuple[dict[str, Prior], Plan]":
    """Prior knowledge by appliance, and the plan to ask advice for: the successor of one that was collected under."""
    from dataclasses import replace

    from hushwatt.privacy.advice.learn import learn_from_estimates, learn_from_readings, read_estimates

    if source is None:
        return {}, plan
    if source.suffix.lower() != ".json":
        from hushwatt.fleet.typical import typical_usage

        with fractions("learning") as tell:
            return learn_from_readings(plan, typical_usage(plan, source, progress=tell)), plan
    estimates = read_estimates(source)
    try:
        learnt = learn_from_estimates(plan, estimates)
    except UsageError as wrong:
        raise UsageError(f"{source}: {wrong}") from None
    if estimates.get("plan") == plan.id:
        return learnt, replace(plan, replaces=plan.id)
    say("the estimates are of another plan: means are learnt, highs stay as they were thought to be")
    return learnt, plan


def cap_of(plan: Any, asked: str | None) -> int | None:
    """An appliance's cap in millionths: as asked, none, or ε/n rounded down."""
    from hushwatt.plan.amounts import parse_amount

    if asked == "none":
        return None
    if asked is None:
        return int(plan.epsilon // len(plan.appliances))
    cap = parse_amount(asked)
    if cap <= 0:
        raise UsageError(f"--max-appliance-epsilon is {asked}; it must be a number above 0, or none")
    return cap
