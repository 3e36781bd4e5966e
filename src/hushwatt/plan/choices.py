"""The words a plan may choose from, and what each means."""

from collections.abc import Callable
from dataclasses import dataclass

PerWindow = Callable[[int], int]  # of the slots of a window


def one(window: int) -> int:
    """One of it, whatever the window."""
    return 1


def each(window: int) -> int:
    """As many as the window has slots."""
    return window


def two_each(window: int) -> int:
    """Two for every slot: one to look, one to publish."""
    return 2 * window


@dataclass(frozen=True)
class Method:
    """A way to share the budget out over time, as far as a plan must know it.

    >>> METHODS["lba"].shares(3), METHODS["lsp"].step(3)
    (6, 3)
    """

    says: str
    decided_by: str | None = None  # who chooses between publishing and repeating, unless the plan says so
    shares: PerWindow = one  # into how many parts a window's ε is cut; the smallest spend is one part
    step: PerWindow = one  # slots from one in which homes draw to the next


METHODS = {
    "lbu": Method("every slot, with an equal share of the budget", shares=each),
    "lsp": Method("one slot in each window, with all of the budget; repeated in between", step=each),
    "lbd": Method(
        "when something seems to have changed, with half of what is left; else repeated",
        "household",
        two_each,
    ),
    "lba": Method(
        "when something seems to have changed, with what was saved since; else repeated",
        "household",
        two_each,
    ),
    "lpu": Method("each home once in a window, with all of the budget, in a turn of its own"),
    "lpd": Method("the homes whose turn it is, fewer of them while little changes", "provider"),
    "lpa": Method("the homes whose turn it is, more of them after quiet slots", "provider"),
}
ORACLES = {
    "oue": "optimised unary encoding: one bit for each level",
    "sue": "symmetric unary encoding (RAPPOR): one bit for each level",
    "grr": "direct randomised response: the true level, or another one",
}
MAPPINGS = {
    "range": "the level whose range holds the watts",
    "dither": "one of the two nearest levels at random, so that the mean is right",
}
UNMEASURED = {
    "zero": "what nobody measures counts as 0 W",
    "answer": "a home may answer that it does not measure an appliance, randomised like a level",
}
DECISIONS = {
    "household": "each home for itself",
    "provider": "the provider for all homes",
}
