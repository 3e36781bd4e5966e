"""Homes that forge their reports as badly as they can, through the shipped tally and estimate.  [claim C19]

The attacker keeps to what every door checks: his turn, his order, amounts and numbers of ones that fit.
He chooses the turn and the order that suit him, the smallest budget there is, and the answers that push an
appliance's mean furthest.  What he then counts as may not exceed what the result prints; nor may fewer homes
than it prints swap two neighbours in the ranking.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations, pairwise
from math import ceil

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hushwatt.audit.attacks.plans_to_forge import measuring_plan, random_plan
from hushwatt.audit.finding import Audit, Finding
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import report
from hushwatt.plan.plan import Plan
from hushwatt.privacy.band import band
from hushwatt.privacy.entropy import Simulation
from hushwatt.privacy.influence import influence, smallest_budget
from hushwatt.privacy.laws import is_direct
from hushwatt.privacy.rotation import has_turns, repeats_by_clock
from hushwatt.privacy.strategies import rules_of, strategy_for
from hushwatt.privacy.tails import is_real
from hushwatt.provider.checks.plausible import amounts_fit, payloads_fit
from hushwatt.provider.estimate.appliance_series import ApplianceSeries
from hushwatt.provider.estimate.arrays import SlotTimeline, TallyArrays
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.measuring_mean import is_plain, moved_means
from hushwatt.provider.estimate.results import Estimates
from hushwatt.provider.tally.tally import Tallies, Tally, TallyKey, tally_batches
from hushwatt.wire.payload import Layout, put
from hushwatt.wire.reports import ReportBatch

HOMES_A_TURN = 24
MORE_HOMES = 10  # times as many, where homes decide and a mean is a ratio: with few, hardly anybody is known to measure
FORGERS = 1
PLANS, MEASURING_PLANS, QUICK_PLANS = 100, 60, 6
CLOSE = 1e-9  # floats that were worked out on two roads
MOST_SUBSETS = 4  # answers up to which everything that bits can say is tried
Wishes = dict[int, tuple[int, ...]]  # by the number of an appliance: the answers to say yes to, the best first


@dataclass(frozen=True)
class HonestReports:
    """What the honest homes of a collection sent, slot by slot."""

    plan: Plan
    homes: int
    slots: int
    batches: tuple[ReportBatch, ...]

    @cached_property
    def groups(self) -> dict[TallyKey, Tally]:
        """What they add up to."""
        tallies = Tallies(self.homes, {})
        tallies.add_all(tally_batches(self.plan, iter(self.batches)))
        return tallies.groups

    @cached_property
    def results(self) -> dict[tuple[int, tuple[int, ...]], "ForgedResult"]:
        """Of attacks on one appliance that were tried."""
        return {}


def forger_audits(quick: bool = False) -> Iterator[Audit]:
    """One attack for each of many random plans."""
    for seed in range(QUICK_PLANS if quick else PLANS):
        yield partial(audit_forgers, *random_plan(seed), seed=seed)
    for seed in range(QUICK_PLANS if quick else MEASURING_PLANS):
        yield partial(audit_forgers, *measuring_plan(seed), seed=seed)


def audit_forgers(plan: Plan, slots: int, seed: int = 0) -> Finding:
    """What forging homes count as over `slots` slots, against what is printed, and how few swap ranks."""
    honest = collected(plan, slots, seed)
    counted, printed = max(counts(honest, target) for target in range(len(plan.appliances)))
    said = influence(plan, slots) if plan.appliances_per_report == len(plan.appliances) else printed
    held = counted <= min(printed, said) * (1 + CLOSE)
    swapped = too_few_swap(honest)
    figure = f"a forging home counts as {counted:.2f} homes of the {printed:.2f} printed"
    figure += f"; {swapped} pairs swapped by fewer homes than printed"
    passed, reached = held and not swapped, counted / printed
    some = f"{plan.appliances_per_report} of {len(plan.appliances)}"
    subject = f"forgers, {plan.method}, {plan.oracle}, {some}, w={plan.window}, {slots} slots"
    subject += ", not measured is an answer" * plan.answers_unmeasured + ", real watts" * is_real(plan, 0)
    return Finding("C19", subject, figure, passed, numbers={"reached": reached})


def collected(plan: Plan, slots: int, seed: int = 0) -> HonestReports:
    """Honest homes at random levels."""
    many = MORE_HOMES if plan.decision and not is_plain(plan, 0) else 1
    homes, source = HOMES_A_TURN * plan.window * len(plan.appliances) * many, Simulation(seed, "forgers")
    fleet, names = enrol(plan, homes, 0, source), pa.array([f"h{place:06}" for place in range(homes)])
    random, batches = np.random.default_rng(seed), []
    for slot in range(slots):
        levels = random.integers(0, plan.widths, (homes, len(plan.widths))).astype(np.uint16)
        sent = report(fleet, slot, levels, source)
        batches.append(_batch(names.take(pa.array(sent.homes)), slot, sent.spent, sent.drawn, sent.payloads))
    return HonestReports(plan, homes, slots, tuple(batches))


def counts(honest: HonestReports, target: int) -> tuple[float, float]:
    """How many homes one forging home counts as in the mean of an appliance, and how many are printed.

    Half of what lies between pushing up and pushing down, and half of what the home weighs: its answers reach
    as far beyond the highest level as below the lowest, on average.
    """
    name = honest.plan.names[target]
    pushes = [pushed(honest, target, push) for push in every_push(honest.plan, target)]
    found = [each for each in pushes if each.estimates.by_period[name] is not None]
    if not found:
        return 0.0, max(each.estimates.influence or 0.0 for each in pushes)
    watts = [_watts(each.estimates, name) for each in found]
    swing = (max(watts) - min(watts)) / honest_swing(honest, target)
    printed = min(each.estimates.influence or 0.0 for each in found)
    return (swing * found[0].estimates.homes / FORGERS + found[0].weight) / 2, printed


def honest_swing(honest: HonestReports, target: int) -> float:
    """How far a mean moves when all homes go from the lowest level to the highest, as fast as at the first home."""
    plan = honest.plan
    values = plan.appliances[target].values
    if is_plain(plan, target):
        return values[-1] - values[0]
    tallies, _ = attacked_tallies(honest, {}, 0)
    arrays = TallyArrays.of(plan, tallies)
    timeline = SlotTimeline.of(arrays, plan.minimum_homes)
    series = ApplianceSeries.of(plan, arrays, target, timeline, tallies.homes_in(timeline.slots).astype(float))
    assert series.answers is not None
    part = 1 / honest.homes
    return float(np.ptp(moved_means(plan, target, series.answers, part, np.eye(plan.widths[target])))) / part


def every_push(plan: Plan, target: int) -> list[tuple[int, ...]]:
    """What a home may say about an appliance to push its mean, one way or the other."""
    answers = plan.widths[target]
    if is_direct(plan.oracle):
        return [(answer,) for answer in range(answers)]
    if not is_plain(plan, target) and answers <= MOST_SUBSETS:
        return [push for many in range(answers + 1) for push in combinations(range(answers), many)]
    return [_pushing(plan, target, rising) for rising in (True, False)]


def too_few_swap(honest: HonestReports, most: int = 400) -> int:
    """How many pairs of neighbours change places when one home fewer than printed pushes them."""
    plan = honest.plan
    before = estimate(plan, attacked_tallies(honest, {}, 0)[0])
    swapped = 0
    for upper, lower in pairwise(before.top):
        homes = min(ceil(before.swap_homes[upper]) - 1, most)
        wishes = furthest(honest, upper, rising=False) | furthest(honest, lower, rising=True)
        after = attacked(honest, wishes, homes).estimates
        swapped += _watts(after, upper) < _watts(after, lower) * (1 - CLOSE)
    return swapped


def furthest(honest: HonestReports, name: str, rising: bool) -> Wishes:
    """What pushes the mean of an appliance furthest."""
    target = honest.plan.names.index(name)
    tried = {push: pushed(honest, target, push) for push in every_push(honest.plan, target)}
    watts = {push: _watts(each.estimates, name) for push, each in tried.items()}
    return {target: (max if rising else min)(watts, key=watts.__getitem__)}


@dataclass(frozen=True)
class ForgedResult:
    """What a result says after an attack, and what one forging home weighs in it, in honest homes."""

    estimates: Estimates
    weight: float


def pushed(honest: HonestReports, target: int, push: tuple[int, ...]) -> ForgedResult:
    """What a few forging homes make of one appliance; kept, as it is asked for more than once."""
    if (target, push) not in honest.results:
        honest.results[target, push] = attacked(honest, {target: push}, FORGERS)
    return honest.results[target, push]


def attacked(honest: HonestReports, wishes: Wishes, forgers: int) -> ForgedResult:
    """Estimate from honest and forged reports together."""
    tallies, heard = attacked_tallies(honest, wishes, forgers)
    found = estimate(honest.plan, tallies)
    first = next(iter(wishes))
    speaking = np.zeros(honest.slots)
    for key, tally in tallies.groups.items():
        speaking[key.slot] += tally.reports[first]
    counted = speaking > 0
    parts = np.where(heard & counted, 1 / np.maximum(speaking, 1), 0.0)
    return ForgedResult(found, float(tallies.homes * parts.sum() / counted.sum()))


def attacked_tallies(honest: HonestReports, wishes: Wishes, forgers: int) -> tuple[Tallies, NDArray[np.bool_]]:
    """The tallies of all reports, and when forging homes are heard about what they push first."""
    plan = honest.plan
    names = pa.array([f"x{place:06}" for place in range(forgers)], pa.string())
    heard, forged = np.zeros(honest.slots, dtype=bool), []
    if wishes:
        phase, start = best_turn(honest, next(iter(wishes)))
        release = None
        for slot in range(honest.slots):
            members = asked_in(plan, slot, phase, start, list(wishes))
            if members is not None:
                release = forged_payload(plan, members, wishes)
                about = next(iter(wishes)) in members
            if release is not None and (members is not None or repeats_by_clock(plan)):
                heard[slot] = about
                forged.append(_forged(plan, slot, names, release))
    tallies = Tallies(honest.homes + forgers, dict(honest.groups))
    tallies.add_all(tally_batches(plan, iter(forged)))
    return tallies, heard


def best_turn(honest: HonestReports, target: int) -> tuple[int, int]:
    """The turn, and the place of an appliance in the order, that make a home heard most."""
    plan, layout = honest.plan, Layout.of(honest.plan)
    speaking = (layout.tally(each.payloads)[0][target] if len(each.payloads) else 0 for each in honest.batches)
    worth = np.array([1 / (1 + int(count)) for count in speaking])
    best, choice = -1.0, (0, 0)
    for phase in range(plan.window if has_turns(plan) else 1):
        for start in range(len(plan.appliances)):
            heard, now = 0.0, False
            for slot in range(honest.slots):
                members = asked_in(plan, slot, phase, start, [target])
                now = target in members if members is not None else now and repeats_by_clock(plan)
                heard += worth[slot] * now
            if heard > best:
                best, choice = heard, (phase, start)
    return choice


def asked_in(plan: Plan, slot: int, phase: int, start: int, wanted: list[int]) -> list[int] | None:
    """What a home draws about in a slot, the wanted ones being at `start` in its order; None: nothing."""
    appliances, asked = len(plan.appliances), plan.appliances_per_report
    stride = rules_of(plan).stride(plan.window) if plan.decision is None else 1
    if slot % stride != phase:
        return None
    draw = slot // stride
    others = [each for each in range(appliances) if each not in wanted]
    order = [*wanted, *others]
    order = order[-start:] + order[:-start] if start else order
    return sorted(order[(draw * asked + step) % appliances] for step in range(asked))


def forged_payload(plan: Plan, members: list[int], wishes: Wishes) -> NDArray[np.uint8]:
    """The answers that push furthest, with a number of ones that the inbox lets pass."""
    layout = Layout.of(plan)
    named = np.array([members], dtype=np.uint16) if layout.partial else None
    if layout.direct:
        levels = [wishes.get(each, (0,))[0] for each in members]
        return layout.pack(np.array([levels], dtype=np.uint16), named)
    few, many = band(plan.oracle, smallest_budget(plan), len(members), sum(plan.widths[each] for each in members))
    chosen = {each: list(wishes.get(each, ())) for each in members}
    order = sorted(members, key=lambda each: each in wishes)  # others give way first
    for each in order:
        while sum(map(len, chosen.values())) > many and chosen[each]:
            chosen[each].pop()
        while sum(map(len, chosen.values())) < few and len(chosen[each]) < plan.widths[each]:
            left = [level for level in range(plan.widths[each]) if level not in chosen[each]]
            rising = bool(chosen[each]) and chosen[each][0] > left[0]
            chosen[each].append(left[-1] if rising else left[0])
    rows = np.zeros((1, layout.size), dtype=np.uint8)
    for entry, each in enumerate(members):
        for level in chosen[each]:
            place = layout.places[entry] + layout.number_bits + level
            put(rows, place, 1, np.ones(1, dtype=np.uint8))
    return layout.name(rows, named)


def _pushing(plan: Plan, appliance: int, rising: bool) -> tuple[int, ...]:
    """The levels to say yes to, the one that pushes most first."""
    values = np.asarray(plan.appliances[appliance].values)
    away = (values - values.mean()) * (1 if rising else -1)
    return tuple(int(level) for level in np.argsort(-away) if away[level] > 0)


def _forged(plan: Plan, slot: int, names: pa.Array, payload: NDArray[np.uint8]) -> ReportBatch:
    """The same report from all forging homes, after what every door asks of amounts and payloads."""
    drawn = np.full(len(names), smallest_budget(plan), dtype=np.int64)
    probe = strategy_for(plan).probe
    spent = drawn + probe if plan.decision is not None else drawn
    if repeats_by_clock(plan) and slot != rules_of(plan).drawn_in(slot, plan.window):
        spent = np.zeros_like(drawn)
    payloads = np.repeat(payload, len(names), axis=0)
    slots = np.full(len(names), slot)
    assert amounts_fit(plan, slots, spent, drawn).all()
    assert payloads_fit(Layout.of(plan), drawn, payloads).all()
    return _batch(names, slot, spent, drawn, payloads)


def _batch(
    names: pa.Array, slot: int, spent: NDArray[np.int64], drawn: NDArray[np.int64], payloads: NDArray[np.uint8]
) -> ReportBatch:
    slots, rounds = np.full(len(names), slot, dtype=np.int32), np.zeros(len(names), dtype=np.int8)
    return ReportBatch(names, slots, rounds, spent, drawn, payloads)


def _watts(estimates: Estimates, name: str) -> float:
    period = estimates.by_period[name]
    return 0.0 if period is None else period.watts
