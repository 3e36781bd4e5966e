"""What the reports say, as tables and as one document."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import pyarrow as pa

from hushwatt.fleet.dataframe_kinds import from_arrow
from hushwatt.provider.estimate.document import document
from hushwatt.provider.estimate.export import tidy_table
from hushwatt.provider.estimate.results import Estimates

F = TypeVar("F")
LIMITS = {"watts": "ci95", "share": "share_ci95", "rank": "rank_ci95"}


@dataclass(frozen=True, repr=False)
class Result(Generic[F]):
    """What the reports say: `top`, `period` and `slots` as tables, `json` as everything at once.

    The tables are frames of the kind that the reports were.
    """

    estimates: Estimates
    kind: str = "pyarrow"  # the library whose frames the tables are

    @property
    def top(self) -> list[str]:
        """The appliances, those with the most watts first."""
        return list(self.estimates.top)

    @property
    def period(self) -> F:
        """A row for each appliance: its mean watts, share and rank over all slots, with 95 % limits."""
        asked = self.estimates.plan.answers_unmeasured
        rows = [_row(name, numbers or {}, asked) for name, numbers in self.json["appliances"].items()]
        made: F = from_arrow(self.kind, pa.Table.from_pylist(rows))
        return made

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

    def __repr__(self) -> str:
        answer = self.json
        first, told = ", ".join(self.top[:3]), f"{len(answer['slots']):,} {self.estimates.plan.periods.word}s"
        return f"<Result: {answer['homes']:,} homes, {told}, most watts: {first}>"


def _row(name: str, numbers: dict[str, Any], asked: bool) -> dict[str, Any]:
    """One appliance; `asked` whether homes say that they do not measure it."""
    row = {"appliance": name, "mean_watts": numbers.get("mean_watts"), "se": numbers.get("mean_watts_se")}
    row |= {key: numbers.get(key) for key in ("share", "rank")}
    row |= {"measured": numbers.get("measured")} if asked else {}
    for column, key in (LIMITS | ({"measured": "measured_ci95"} if asked else {})).items():
        row[f"{column}_low"], row[f"{column}_high"] = numbers.get(key, (None, None))
    return row
