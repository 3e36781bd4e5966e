"""The public laws of a report: how likely each answer is, given the truth.

A law knows its two probabilities as exact fractions over 2⁶⁴, what they cost,
how to answer by them, how to undo them in a tally, and the noise that is left.
No other file knows them, so household and provider cannot disagree.

A new oracle is one file with one class, and one line in `LAWS`.
"""

from collections.abc import Callable
from functools import lru_cache

from hushwatt.plan.amounts import MICRO
from hushwatt.privacy.laws.direct import DirectLaw, grr
from hushwatt.privacy.laws.law import RESOLUTION, Budget, Law, debias, noise
from hushwatt.privacy.laws.unary import BitLaw, oue, sue

LAWS: dict[str, Callable[[Budget, int], Law]] = {"oue": oue, "sue": sue, "grr": grr}


@lru_cache(maxsize=4096)
def law_for(oracle: str, drawn: int, asked: int, levels: int) -> Law:
    """The law of one appliance when `drawn` millionths of ε are shared by `asked` appliances.

    >>> law_for("oue", drawn=3_000_000, asked=3, levels=10).hold
    Fraction(1, 2)
    """
    return LAWS[oracle](Budget(drawn, MICRO * asked), levels)


def is_direct(oracle: str) -> bool:
    """Whether an answer is a level's number (direct), rather than a bit for each level (unary).

    >>> is_direct("grr"), is_direct("oue")
    (True, False)
    """
    return law_for(oracle, drawn=MICRO, asked=1, levels=2).direct


__all__ = [
    "LAWS",
    "RESOLUTION",
    "BitLaw",
    "Budget",
    "DirectLaw",
    "Law",
    "debias",
    "is_direct",
    "law_for",
    "noise",
]
