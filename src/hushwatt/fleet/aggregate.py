"""The tallies of a hundred million homes in seconds, for planning.

Only what the provider would count is drawn, not what each home says.  The law is
that of `fleet.simulate`, to the precision of a float:

* all appliances asked (s = n): of all tallies together, over appliances and slots;
* some asked (s < n): of one appliance over all slots, and of which homes have which
  turn.  Between two appliances it is not: here they stand in the homes' orders
  independently, while at home two never share a place.  So reports of single
  appliances add up to s times the homes only on average.

Methods that decide (lbd, lba, lpd, lpa) depend on each home's own past and cannot
be drawn this way.
"""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from hushwatt.errors import UsageError
from hushwatt.fleet.aggregate_draws import aggregate_draws, homes_per_answer
from hushwatt.fleet.aggregate_turns import TurnCounts
from hushwatt.household.report.levels import Watts
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Source
from hushwatt.privacy.laws import law_for
from hushwatt.privacy.strategies import rules_of, strategy_for
from hushwatt.provider.tally.draws import PUBLICATION
from hushwatt.provider.tally.tally import Tallies, Tally, TallyKey

MAX_HOMES = 10**9  # homes: beyond, hypergeometric numbers cannot be drawn


def aggregate(plan: Plan, watts: Iterable[Watts], homes: int, source: Source, first: int = 0) -> Tallies:
    """The tallies of `homes` homes that read `watts`, which come slot by slot, kinds × appliances.

    Each row stands for as many homes as the others, give or take one.
    """
    refuse_undrawable(plan, homes)
    random = np.random.Generator(np.random.SFC64(source.stream("aggregate").words(4)))
    tallies, speakers = Tallies(homes, {}), None
    for slot, now in enumerate(watts, start=first):
        speakers = speakers or TurnCounts.of(plan, homes_per_row(homes, len(now)), first, random)
        for key, tally in _slot_tallies(plan, slot, now, speakers, tallies):
            tallies.add(key, tally)
    return tallies


def refuse_undrawable(plan: Plan, homes: int) -> None:
    """Say no to what cannot be drawn all at once."""
    if plan.decision is not None:
        raise UsageError(
            f"{plan.method} decides by each home's own past; only lbu, lsp and lpu can be drawn for all "
            "homes at once: simulate and randomise fewer homes instead"
        )
    if homes > MAX_HOMES:
        raise UsageError(f"asked for {homes:,} homes; at most {MAX_HOMES:,} can be drawn at once")


def homes_per_row(homes: int, rows: int) -> NDArray[np.int64]:
    """How many homes each row stands for.

    >>> homes_per_row(8, 3).tolist()
    [2, 3, 3]
    """
    if homes < rows:
        raise UsageError(f"asked for {homes:,} homes; there must be at least the {rows:,} that they are like")
    return np.diff(np.arange(rows + 1, dtype=np.int64) * homes // rows)


def _slot_tallies(
    plan: Plan, slot: int, watts: Watts, speakers: TurnCounts, so_far: Tallies
) -> Iterator[tuple[TallyKey, Tally]]:
    """What is counted in one slot: a fresh draw, the last one again, or nothing."""
    drawn = strategy_for(plan).largest
    turn = speakers.draw_of(slot)
    if turn is not None:
        tally = _fresh_tally(plan, watts, speakers, turn, drawn)
        if tally.rows:
            yield TallyKey(slot, PUBLICATION, slot, drawn), tally
        return
    since = rules_of(plan).drawn_in(slot, plan.window)
    last = so_far.groups.get(TallyKey(since, PUBLICATION, since, drawn))
    if last is not None:
        yield TallyKey(slot, PUBLICATION, since, drawn), last


def _fresh_tally(plan: Plan, watts: Watts, speakers: TurnCounts, turn: tuple[int, int], drawn: int) -> Tally:
    """A fresh draw of all whose turn it is."""
    reports, counts = [], []
    for index, width in enumerate(plan.widths):
        homes = speakers.of_appliance(index, *turn)
        law = law_for(plan.oracle, drawn, plan.appliances_per_report, width)
        levels = homes_per_answer(plan, index, watts[:, index], homes, speakers.random)
        reports.append(int(homes.sum()))
        counts.append(aggregate_draws(levels, law, speakers.random))
    return Tally(int(speakers.turns[turn[0]].sum()), np.array(reports), np.concatenate(counts))
