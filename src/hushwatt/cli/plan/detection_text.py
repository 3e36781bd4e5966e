"""How many homes and weeks show a difference, in words and for programs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hushwatt.cli.terminal import terminal_width, wrapped

COLUMNS = 124  # where there is no terminal
NO_NUMBER, NOT_IN_A_YEAR = "no number", "over a year"

if TYPE_CHECKING:
    from rich.table import Table

    from hushwatt.plan.plan import Plan
    from hushwatt.privacy.advice import Candidate, Prior
    from hushwatt.privacy.advice.compared_slots import ComparedSlots
    from hushwatt.privacy.advice.detect import Detection, Seen


@dataclass(frozen=True)
class DetectionAsked:
    """Which difference is looked for: a share of every appliance's mean, between two sides if these are given."""

    share: float
    plan: "Plan"  # as it is
    homes: int
    between: tuple[str, str] | None
    learnt: "Mapping[str, Prior]"

    def __post_init__(self) -> None:
        self._comparison(self.plan)  # complains before the search

    def of(self, best: "Candidate", slots: int) -> "Detections":
        """What the plan and the advised one can tell apart, when each side has so many slots."""
        from hushwatt.privacy.advice import prior_of

        priors = tuple(self.learnt.get(each.name) or prior_of(self.plan, each) for each in self.plan.appliances)
        decided = self.plan.decision is not None
        alike = slots * best.plan.slot.seconds // self.plan.slot.seconds  # as long, in slots of the plan
        own = None if decided else self._found(self.plan, priors, max(alike, 1))
        return Detections(self, own, self._found(best.plan, best.priors, slots))

    def _found(self, plan: "Plan", priors: "tuple[Prior, ...]", slots: int) -> "Detection":
        from hushwatt.privacy.advice.detect import DetectionSearch

        return DetectionSearch(plan, priors, self.homes, slots, self.share, self._comparison(plan)).found()

    def _comparison(self, plan: "Plan") -> "ComparedSlots | None":
        """The two sides that are given, in slots of a plan."""
        from hushwatt.privacy.advice.compared_slots import ComparedSlots
        from hushwatt.provider.estimate.contrasts.side import Side

        if self.between is None:
            return None
        a, b = (Side.parse(plan, each).planned_slots(plan) for each in self.between)
        return ComparedSlots(a, b, groups=False)


@dataclass(frozen=True)
class Detections:
    """The plan as it is, where that can be foretold, beside the advised one."""

    asked: DetectionAsked
    own: "Detection | None"
    best: "Detection"

    def document(self) -> dict[str, Any]:
        """For programs."""
        told = {"plan": self.own and _document(self.own), "best": _document(self.best)}
        between = {} if self.asked.between is None else {"between": list(self.asked.between)}
        return {"detect": {"share": self.asked.share, "power": 0.8, "false_alarms": 0.05, **between, **told}}

    def print(self) -> None:
        """Two tables, and how to read them."""
        from rich.console import Console

        width = terminal_width(COLUMNS)
        console = Console(highlight=False, width=width)
        for title, found in (("the plan as it is", self.own), ("the advised plan", self.best)):
            if found is not None:
                console.print(f"\nTo find {_percent(self.asked.share)} less, with {title}:", markup=False)
                console.print(_table(found))
        for line in wrapped(self._remarks(), width):
            console.print(line, markup=False)

    def _remarks(self) -> list[str]:
        plan, between = self.best.plan, self.asked.between
        sides = plan.slot.lasting(self.best.slots)
        less = _percent(self.asked.share)
        second = f"Stretches: the same homes in {sides}, and in the {sides} after."
        if between is not None:
            second = f"Sides: the same homes in {between[0]}, and in {between[1]}."
        lines = [
            f"Groups: two halves of the homes in the same {sides}. {second} Seen from: so large a difference is sure "
            f"for `hushwatt compare` in four of five cases, at 5 % for all {len(plan.appliances)} appliances together.",
            f"Homes: in all, that show {less} less in that time; what lies above the levels is not seen. No number: "
            f"not with these levels. Weeks: of each side, with {self.best.homes:,} homes; over a year: not with so "
            "few.",
        ]
        if self.own is None:
            lines.append(
                f"With {self.asked.plan.method}, homes decide for themselves: what it finds cannot be foretold."
            )
        return lines


def _document(found: "Detection") -> dict[str, Any]:
    second = "stretches" if found.between is None else "between"
    return {
        "plan": found.plan.id,
        "homes": found.homes,
        "slots": found.slots,
        "appliances": {
            name: {
                "mean_watts": each.watts,
                "difference": found.share * each.watts,
                "shown": each.shown,
                "groups": _seen(each.groups) | {"weeks": each.groups.weeks},
                second: _seen(each.stretches) | ({"weeks": each.stretches.weeks} if found.between is None else {}),
            }
            for name, each in found.appliances.items()
        },
    }


def _seen(each: "Seen") -> dict[str, Any]:
    return {"detectable": each.detectable, "homes_needed": each.homes}


def _table(found: "Detection") -> "Table":
    from rich import box
    from rich.table import Table

    given = found.between is not None
    second = ("sides: seen from", "homes") if given else ("stretches: seen from", "homes", "weeks")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("appliance", "mean", "less", "groups: seen from", "homes", "weeks", *second):
        table.add_column(heading, justify="left" if heading == "appliance" else "right")
    for name, each in found.appliances.items():
        cells = [*_cells(each.groups), *_cells(each.stretches)[: len(second)]]
        table.add_row(name, _watts(each.watts), _watts(found.share * each.watts), *cells)
    return table


def _cells(each: "Seen") -> list[str]:
    from hushwatt.cli.plan.protection_text import count

    weeks = NOT_IN_A_YEAR if each.weeks is None else f"{each.weeks}"
    return [_watts(each.detectable), NO_NUMBER if each.homes is None else count(each.homes), weeks]


def _watts(watts: float) -> str:
    return f"{watts:,.3g} W" if watts < 1000 else f"{watts:,.0f} W"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
