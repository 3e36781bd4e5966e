"""Differences in plain words, with limits that allow for how many were looked at."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from hushwatt.provider.dashboard import formatting
from hushwatt.provider.estimate.array_types import Mask
from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.estimate.contrasts.contrast import contrast_test
from hushwatt.provider.estimate.courses.course import side


@dataclass(frozen=True)
class Difference:
    """By how much one appliance's mean differs between two times; limits hold for all that were looked at, together."""

    name: str
    low: float  # watts
    high: float

    @property
    def certain(self) -> bool:
        """Whether it is certain which one is more."""
        return self.low > 0 or self.high < 0

    def sentence(self, here: str, there: str) -> str:
        """What the difference says, and how sure that is.

        >>> Difference("dishwasher", 9.2, 16.8).sentence("in the evening", "at night")
        "A home's dishwasher uses 9.2 to 16.8\\u202fW more in the evening than at night; the difference is certain."
        >>> Difference("kettle", -3.0, 11.0).sentence("on Mon", "on Sun")
        "A home's kettle cannot be told apart on Mon and on Sun: from 3.0\\u202fW less to 11.0\\u202fW more."
        """
        who = f"A home's {formatting.appliance_name(self.name)}"
        if not self.certain:
            between = f"from {self._watts(-self.low)} less to {self._watts(self.high)} more"
            return f"{who} cannot be told apart {here} and {there}: {between}."
        less, most = sorted((abs(self.low), abs(self.high)))
        size = f"{self._number(less)} to {self._watts(most)} {'more' if self.low > 0 else 'less'}"
        return f"{who} uses {size} {here} than {there}; the difference is certain."

    def _number(self, value: float) -> str:
        return formatting.number(value, formatting.decimals((self.high - self.low) / 2))

    def _watts(self, value: float) -> str:
        return f"{self._number(value)}{formatting.THIN}W"


def difference(a: CollectedSlots, b: CollectedSlots, name: str, looked_at: int) -> Difference | None:
    """How much more an appliance uses in a than in b; None where a side has no answer."""
    test = contrast_test((a, b), name)
    return None if test is None else Difference(name, *test.limits(looked_at))


@dataclass(frozen=True)
class Times:
    """Some slots by their name in a sentence."""

    words: str
    rows: Mask


def widest(
    collected: CollectedSlots, times: Sequence[Times], name: str, appliances: int
) -> tuple[Difference, str] | None:
    """The times with the most and the least watts, and their difference in a sentence."""
    return most_and_least([(each.words, side(collected, each.rows, name)) for each in times], name, appliances)


def most_and_least(
    sides: Sequence[tuple[str, CollectedSlots]], name: str, appliances: int
) -> tuple[Difference, str] | None:
    """The sides with the most and the least watts, each by its words, and their difference in a sentence.

    As the numbers choose the two, limits hold for every pair at once, of so many appliances.
    """
    means = [(part.series[name].period, words, part) for words, part in sides]
    known = sorted([(p.watts, words, part) for p, words, part in means if p is not None], key=lambda each: each[0])
    if len(known) < 2:
        return None
    (_, there, least), (_, here, most) = known[0], known[-1]
    pairs = len(list(combinations(sides, 2)))
    found = difference(most, least, name, pairs * appliances)
    return None if found is None else (found, found.sentence(here, there))
