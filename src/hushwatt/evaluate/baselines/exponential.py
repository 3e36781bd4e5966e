"""The exponential mechanism: each home answers with one of a few watts, near ones more often."""

import numpy as np

from hushwatt.evaluate.baselines.baseline import MAX_WATTS, Baseline, Means, Stream, Watts, bounded, mean

ANSWERS = np.linspace(0.0, MAX_WATTS, 11)  # what a home can answer


class Exponential(Baseline):
    """Answers r with chance ∝ e^(−ε·|watts − r|/2Δ).

    The mean of the answers is drawn towards the middle, as it is used in the
    literature; equal shifts leave an order as it is.  Less than ε is lost in
    truth, as both ends cannot be reached at once.
    """

    name = "exponential"
    title = "Exponential"

    def collect(self, watts: Watts, epsilon: float, stream: Stream) -> Means:
        """The plain mean of the answers."""
        return mean(answers(bounded(watts), epsilon, stream))


def answers(watts: Watts, epsilon: float, stream: Stream) -> Watts:
    """The answer with the largest score, −ε|watts − r|/2Δ plus Gumbel noise: the same law."""
    best, score = np.zeros(watts.shape), np.full(watts.shape, -np.inf)
    for answer in ANSWERS.tolist():
        tried = stream.gumbel(size=watts.shape) - epsilon * np.abs(watts - answer) / (2 * MAX_WATTS)
        best, score = np.where(tried > score, answer, best), np.maximum(tried, score)
    return best
