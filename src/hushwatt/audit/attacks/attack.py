"""An attacker who sees real bytes and must say which of two lives a home led.

He knows every public number: the plan, the laws, what was drawn anew and with how much.  Each
new payload adds its log-likelihood ratio to a home's score, and who spoke or published when
adds what the first half of the homes taught him.  He names his threshold on that half and is
judged on the other.
"""

from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from hushwatt.household.report.report import SlotReports
from hushwatt.plan.plan import Plan
from hushwatt.privacy.laws import law_for
from hushwatt.privacy.strategies import strategy_for
from hushwatt.wire.payload import Layout, take

Scores = NDArray[np.float64]
ONE, OTHER = 0, 1  # the levels that the two lives have where they differ
THRESHOLDS = 200


@dataclass
class StreamAttacker:
    """Everything that was seen of every home so far."""

    plan: Plan
    probe: int  # what is paid in every slot for one that is never sent
    suspects: list[int]  # the appliances that may differ
    scores: Scores
    patterns: NDArray[np.int64]  # who sent what when, as one number

    @classmethod
    def of(cls, plan: Plan, suspects: list[int], homes: int) -> "StreamAttacker":
        return cls(plan, unsent_probe(plan), suspects, np.zeros(homes), np.ones(homes, dtype=np.int64))

    def see(self, sent: SlotReports, differs: bool) -> None:
        """Take in what was sent in one slot and round; `differs`: the two lives may differ in it."""
        new = sent.spent == sent.drawn + self.probe
        kind = np.zeros(len(self.scores), dtype=np.int64)
        kind[sent.homes] = 1 + new
        self.patterns = self.patterns * 3 + kind
        for drawn in np.unique(sent.drawn[new]) if differs else ():
            rows = np.flatnonzero(new & (sent.drawn == drawn))
            self.scores[sent.homes[rows]] += self._told(sent.payloads[rows], int(drawn))

    def _told(self, payloads: NDArray[np.uint8], drawn: int) -> Scores:
        """How much more likely each payload is in the one life than in the other, as a logarithm."""
        layout, told = Layout.of(self.plan), np.zeros(len(payloads))
        for entry, place in enumerate(layout.places[:-1]):
            named = take(payloads, place, layout.number_bits) if layout.partial else np.full(len(payloads), entry)
            for suspect in self.suspects:
                here = named == suspect
                told[here] += self._answer(layout, payloads[here], place + layout.number_bits, suspect, drawn)
        return told

    def _answer(self, layout: Layout, payloads: NDArray[np.uint8], place: int, suspect: int, drawn: int) -> Scores:
        law = law_for(layout.oracle, drawn, layout.asked, layout.widths[suspect])
        if layout.direct:
            width = max(layout.widths) if layout.partial else layout.widths[suspect]
            answers = take(payloads, place, layout.field_bits(width))
            signs = (answers == ONE).astype(np.float64) - (answers == OTHER)
        else:
            signs = take(payloads, place + ONE, 1).astype(np.float64) - take(payloads, place + OTHER, 1)
        told: Scores = signs * log(law.likelihood_ratio)
        return told

    def shown(self, doubt: float) -> float:
        """The ε that this attack proves, wrong with chance `doubt` at the most.

        The first half of the homes led the one life, the second half the other; of each, every
        other home is for learning.
        """
        half = len(self.scores) // 2
        learned = _log_odds(self.patterns[0:half:2], self.patterns[half::2])
        scores = self.scores + np.array([learned.get(int(p), 0.0) for p in self.patterns])
        one, other = scores[:half], scores[half:]
        return max(
            attack(one[::2], other[::2], one[1::2], other[1::2], doubt / 2),
            attack(-other[::2], -one[::2], -other[1::2], -one[1::2], doubt / 2),
        )


def unsent_probe(plan: Plan) -> int:
    """What a home pays in every slot for a probe that it keeps to itself."""
    return strategy_for(plan).probe if plan.decision == "household" else 0


def _log_odds(one: NDArray[np.int64], other: NDArray[np.int64]) -> dict[int, float]:
    """How much more often each pattern was seen in the one life than in the other."""
    patterns, places = np.unique(np.concatenate([one, other]), return_inverse=True)
    counts = [np.bincount(part, minlength=len(patterns)) for part in np.split(places, [len(one)])]
    odds = np.log((counts[0] + 1) / (counts[1] + 1))
    return dict(zip(patterns.tolist(), odds.tolist(), strict=True))


def attack(learn_one: Scores, learn_other: Scores, one: Scores, other: Scores, doubt: float) -> float:
    """The ε shown by the event that scores reach the threshold which looked best while learning."""
    everything = np.concatenate([learn_one, learn_other])
    thresholds = np.unique(np.quantile(everything, np.linspace(0, 1, THRESHOLDS)))
    best = max(thresholds, key=lambda t: bound(learn_one, learn_other, t, doubt))
    return bound(one, other, best, doubt)


def bound(one: Scores, other: Scores, threshold: float, doubt: float) -> float:
    """ln of the least likely P[one life] over the most likely P[other], by Clopper and Pearson."""
    from scipy.stats import beta

    hits, misses = int((one >= threshold).sum()), int((other >= threshold).sum())
    low = beta.ppf(doubt / 2, hits, len(one) - hits + 1) if hits else 0.0
    high = beta.ppf(1 - doubt / 2, misses + 1, len(other) - misses) if misses < len(other) else 1.0
    return log(low / high) if low > 0 else -np.inf
