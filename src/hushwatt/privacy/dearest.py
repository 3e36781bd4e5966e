"""The dearest window: the most that any w slots in a row can cost, whatever is decided.

A strategy's states and their successors are all there is to know about it, so the search
walks every state that any sequence of decisions can reach and then looks `window` slots
ahead from each.  No sequence is left out, and none is walked twice.
"""

from dataclasses import dataclass

from hushwatt.privacy.strategies.strategy import Strategy

MOST_STEPS = 30_000  # states times slots that are searched; beyond that the strategy's own bound stands

Moves = list[tuple[int, Strategy]]  # what a decision costs, and where it leads


@dataclass(frozen=True)
class Dearest:
    """What the dearest window costs, in millionths of ε, and whether that is exact or only a bound."""

    amount: int
    exact: bool


def dearest_window(strategy: Strategy, window: int) -> int:
    """The most that `window` slots in a row can cost from `strategy` on, in millionths of ε.

    >>> from hushwatt.privacy.strategies import Absorb, Sample
    >>> dearest_window(Absorb.start(epsilon=1_000_000, window=3), window=3)
    999996
    >>> dearest_window(Sample.start(epsilon=1_000_000, window=3), window=4)
    2000000
    """
    return dearest(strategy, window).amount


def dearest(strategy: Strategy, window: int) -> Dearest:
    """The same, and whether it was found by search or is the strategy's proved bound.  [claim C2]

    LBD gives out ever new amounts, so from w = 3 on it reaches more states than can be searched.
    """
    states = reachable(strategy, MOST_STEPS // window)
    if states is None:
        return Dearest(strategy.ceiling(window), exact=False)
    return Dearest(max(ahead(states, window).values()), exact=True)


def reachable(strategy: Strategy, most: int) -> dict[Strategy, Moves] | None:
    """Every state that some sequence of decisions reaches, and its moves; None if there are over `most`."""
    found: dict[Strategy, Moves] = {}
    waiting = [strategy]
    while waiting:
        state = waiting.pop()
        if state in found:
            continue
        if len(found) >= most:
            return None
        found[state] = moves(state)
        waiting += [after for _, after in found[state]]
    return found


def moves(state: Strategy) -> Moves:
    """What can be decided in a slot: to keep silent, or to publish when something is on offer."""
    silent = (state.probe, state.after(False))
    offer = state.offer()
    return [silent, (state.probe + offer, state.after(True))] if offer else [silent]


def ahead(states: dict[Strategy, Moves], slots: int) -> dict[Strategy, int]:
    """The most that the next `slots` slots can cost from each state."""
    worth = dict.fromkeys(states, 0)
    for _ in range(slots):
        worth = {state: max(cost + worth[after] for cost, after in options) for state, options in states.items()}
    return worth
