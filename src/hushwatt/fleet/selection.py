"""Some homes and some slots of a result, and two of these against each other."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from hushwatt.errors import UsageError
from hushwatt.fleet.result_rows import contrast_rows, frame_of, period_rows
from hushwatt.plan.plan import Plan
from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.estimate.consistency import CONSISTENCIES
from hushwatt.provider.estimate.contrasts.contrast import contrasts
from hushwatt.provider.estimate.contrasts.contrast_document import contrast_document
from hushwatt.provider.estimate.contrasts.side import Side
from hushwatt.provider.estimate.document import group_document
from hushwatt.provider.estimate.estimate import group_estimates
from hushwatt.provider.tally.tally import Tallies

F = TypeVar("F")


@dataclass(frozen=True, repr=False)
class Selection(Generic[F]):
    """The homes and the slots that are meant by words such as `tariff=A,hours=17-21`."""

    what: str
    collected: CollectedSlots
    kind: str  # the library whose frames the tables are

    @classmethod
    def of(cls, plan: Plan, tallies: Tallies, what: str, kind: str) -> "Selection[F]":
        side = Side.parse(plan, what, tallies.cells)
        return cls(what, side.collected(plan, tallies), kind)

    @property
    def json(self) -> dict[str, Any]:
        """What `hushwatt estimate --by` prints of a group."""
        collected = self.collected
        return group_document(group_estimates({}, collected, CONSISTENCIES["norm-sub"], {}))

    @property
    def period(self) -> F:
        """A row for each appliance: its mean watts, share and rank, with 95 % limits."""
        asked = self.collected.plan.answers_unmeasured
        appliances = self.json.get("appliances", dict.fromkeys(self.collected.plan.names))
        made: F = frame_of(self.kind, period_rows(appliances, asked))
        return made

    def __repr__(self) -> str:
        collected, word = self.collected, self.collected.plan.periods.word
        return f"<Selection: {self.what}, {collected.homes:,} homes, {collected.slots:,} {word}s>"


def compare(a: Selection[F], b: Selection[F], *versus: Selection[F]) -> F:
    """By how much every appliance's watts in `a` differ from those in `b`, with 95 % limits and p.

    With two more, the difference beyond that between these.

    >>> import hushwatt
    >>> plan = hushwatt.preset("everyday")
    >>> readings = hushwatt.simulate("ideal", plan, homes=1000, slots=60, seed=1)
    >>> estimates = hushwatt.estimate(plan, hushwatt.randomise(plan, readings, seed=2))
    >>> found = hushwatt.compare(estimates.only("weekdays=sat+sun"), estimates.only("weekdays=mon-fri"))
    >>> found.column_names[:4]
    ['appliance', 'difference', 'difference_low', 'difference_high']
    """
    sides = [a, b, *versus]
    if any(side.collected.plan != a.collected.plan for side in sides):
        raise UsageError("these are of different plans; compare selections of one result")
    found = contrast_document(contrasts([side.collected for side in sides]), [side.what for side in sides])
    made: F = frame_of(a.kind, contrast_rows(found["appliances"]))
    return made
