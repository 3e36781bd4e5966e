"""Levels become an answer: encoded, randomised by the law, and packed.

This is the only place at home where noise is drawn, and it is called only after
the budget was charged.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from hushwatt.household.report.levels import Levels
from hushwatt.privacy.entropy import Entropy
from hushwatt.privacy.kernels import Rows, answer_bits, answer_levels
from hushwatt.privacy.laws import BitLaw, DirectLaw, Law, law_for
from hushwatt.wire.payload import Layout, Members

Randomiser = Callable[[Layout, Levels, Members | None, int, Entropy], Rows]


def laws_of(layout: Layout, drawn: int) -> tuple[Law, ...]:
    """The law of every appliance in a report drawn with `drawn` millionths of ε."""
    return tuple(law_for(layout.oracle, drawn, layout.asked, width) for width in layout.widths)


def randomise(layout: Layout, levels: Levels, members: Members | None, drawn: int, entropy: Entropy) -> Rows:
    """A payload for every row of true levels, each drawn with `drawn` millionths of ε.

    `members` names the asked appliances of every row in the plan's order, when not all are asked.
    """
    if layout.direct:
        return layout.pack(_randomise_direct(layout, levels, members, drawn, entropy), members)
    truth = layout.pack_answers(levels)
    law = cast(BitLaw, law_for(layout.oracle, drawn, layout.asked, max(layout.widths)))
    return layout.name(layout.blank(answer_bits(truth, law, entropy), members), members)


def _randomise_direct(layout: Layout, levels: Levels, members: Members | None, drawn: int, entropy: Entropy) -> Levels:
    """A direct answer for every level, by the law of its own appliance."""
    answers = np.empty_like(levels)
    laws = [cast(DirectLaw, law) for law in laws_of(layout, drawn)]
    for appliance, law in enumerate(laws):
        here: Any = (slice(None), appliance) if members is None else members == appliance
        answers[here] = answer_levels(levels[here], law, entropy)
    return answers
