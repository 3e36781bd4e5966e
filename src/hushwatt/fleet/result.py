"""What the reports say, as tables and as one document, and further questions about them."""

from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, Generic, TypeVar

from hushwatt.errors import UsageError
from hushwatt.fleet.dataframe_kinds import Frame, from_arrow, to_arrow
from hushwatt.fleet.result_rows import Row, above_rows, energy_rows, frame_of, period_rows
from hushwatt.fleet.selection import Selection
from hushwatt.provider.estimate.document import document
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.export import tidy_table
from hushwatt.provider.estimate.homes_above.threshold import thresholds
from hushwatt.provider.estimate.results import Estimates
from hushwatt.provider.estimate.totals.customers import Customers
from hushwatt.provider.tally.tally import Tallies

F = TypeVar("F")


@dataclass(frozen=True, repr=False)
class Result(Generic[F]):
    """What the reports say: `top`, `period` and `slots` as tables, `json` as everything at once.

    `fold`, `by`, `totals`, `above`, `using`, `peak` and `only` ask more of the same reports.  The tables are frames
    of the kind that the reports were.
    """

    estimates: Estimates
    kind: str = "pyarrow"  # the library whose frames the tables are
    tallies: Tallies | None = None  # what further questions are answered from

    @property
    def top(self) -> list[str]:
        """The appliances, those with the most watts first."""
        return list(self.estimates.top)

    @property
    def period(self) -> F:
        """A row for each appliance: its mean watts, share and rank over all slots, with 95 % limits."""
        return self._frame(period_rows(self.json["appliances"], self._asked))

    @property
    def slots(self) -> F:
        """A row for each slot, appliance and level: how many homes, and how sure.

        For averages over slots take `homes_unbiased`; `homes` was adjusted slot by slot, to be looked at.
        """
        made: F = from_arrow(self.kind, tidy_table(self.estimates))
        return made

    @property
    def json(self) -> dict[str, Any]:
        """The document that `hushwatt estimate --json` prints."""
        return document(self.estimates)

    def fold(self, key: str) -> F:
        """Time that repeats: a row for each `hour`, `weekday`, `hour-of-week` or `month`, and appliance."""
        told = self._ask(fold=key)["folds"]
        return self._frame([row for each in told for row in self._period(each["appliances"], key, each["key"])])

    def by(self, *labels: str) -> F:
        """Kinds of homes: a row for each group by these labels, and appliance; empty where it is not told."""
        told = self._ask(by=labels)["groups"]
        none = dict.fromkeys(self.estimates.plan.names)
        rows = [self._period(each.get("appliances", none), "group", name) for name, each in told.items()]
        return self._frame([row for each in rows for row in each])

    def only(self, what: str) -> Selection[F]:
        """Some homes and slots, as `tariff=A`, `hours=17-21,weekdays=mon-fri` or `2024-01-15..2024-01-21`."""
        return Selection.of(self.estimates.plan, self._tallies, what, self.kind)

    def totals(self, customers: int | Frame | None = None) -> F:
        """kWh of the homes taking part, or of all customers: their number, or a table of how many of each kind.

        A row for each appliance, and `together`; the period's total, and a day's.
        """
        return self._frame(energy_rows(self._ask(customers=_customers(customers)), self._asked))

    def above(self, watts: float, fold: str | None = None) -> F:
        """The share of homes above so many watts: a row for each appliance, and key of a fold.

        Where levels do not tell it, `share` is empty, its limits are bounds, and `needs` says which levels would.
        """
        return self._above("above", thresholds([watts]), fold)

    def using(self, fold: str | None = None) -> F:
        """The share of homes that use an appliance at all: above its lowest level."""
        return self._above("using", thresholds([], using=True), fold)

    def peak(self, fold: str = "hour") -> dict[str, Any]:
        """The key of a fold with the most watts, which others it could be, and its appliances with their ranks."""
        told = self._ask(fold=fold)
        if "peak" not in told:
            raise UsageError(f"no appliance has an answer for every {fold}")
        peak: dict[str, Any] = told["peak"]
        return peak

    @property
    def _asked(self) -> bool:
        return self.estimates.plan.answers_unmeasured

    @property
    def _tallies(self) -> Tallies:
        if self.tallies is None:
            raise UsageError("these are estimates alone; hushwatt.estimate gives a result that can be asked more")
        return self.tallies

    def _ask(self, **question: Any) -> dict[str, Any]:
        return document(estimate(self.estimates.plan, self._tallies, **question))

    def _above(self, key: str, watts: tuple[float | None, ...], fold: str | None) -> F:
        told = self._ask(above=watts, fold=fold)
        if fold is None:
            return self._frame(above_rows(told["appliances"], key))
        rows = [above_rows(each["appliances"], key, **{fold: each["key"]}) for each in told.get("folds", [])]
        return self._frame([row for each in rows for row in each])

    def _period(self, appliances: dict[str, Any], column: str, key: str) -> list[Row]:
        return period_rows(appliances, self._asked, **{column: key})

    def _frame(self, rows: list[Row]) -> F:
        made: F = frame_of(self.kind, rows)
        return made

    def __repr__(self) -> str:
        answer = self.json
        first, told = ", ".join(self.top[:3]), f"{len(answer['slots']):,} {self.estimates.plan.periods.word}s"
        return f"<Result: {answer['homes']:,} homes, {told}, most watts: {first}>"


def _customers(customers: int | Frame | None) -> Customers | None:
    """A number, the path of a .csv file, or a frame."""
    if customers is None or isinstance(customers, int):
        return None if customers is None else Customers(customers)
    if isinstance(customers, str | PathLike):
        return Customers.parse(fspath(customers))
    return Customers.of(to_arrow(customers).to_pylist())
