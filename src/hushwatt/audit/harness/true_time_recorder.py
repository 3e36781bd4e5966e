"""What a home told and when, in true time: noted where no clock and no disk of the home reaches."""

from dataclasses import dataclass, field

from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.home_under_test import HomeUnderTest
from hushwatt.household.clock import SECOND
from hushwatt.household.ledger.caps import DAY, YEAR, Caps
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import nanoseconds

REPORTS = "SELECT place, slot, spent FROM reports"
JITTER = SECOND  # by which a window may be shorter: two looks at the clocks are never at one time


@dataclass(frozen=True)
class TimedReport:
    """One report that could have left, with the true time of the slot it tells of."""

    place: int
    slot: int
    start: int
    end: int
    cost: int


@dataclass
class TrueTimeRecorder:
    """Looks over a home's shoulder after every tick."""

    plans: dict[int, Plan]  # by place
    reports: list[TimedReport] = field(default_factory=list)
    known: set[tuple[int, int]] = field(default_factory=set)  # reports in the ledger: place and slot

    def look(self, home: HomeUnderTest) -> None:
        """Note the reports that are new, with the true time of their slots."""
        reports = {(place, slot): spent for place, slot, spent in home.store.disk.execute(REPORTS)}
        for place, slot in reports.keys() - self.known:
            ends = nanoseconds(self.plans[place].calendar.start_of(slot + 1))
            end = home.clock.true - (home.clock.wall - ends)
            length = self.plans[place].slot.seconds * SECOND
            self.reports.append(TimedReport(place, slot, end - length, end, reports[place, slot]))
        self.known = set(reports)

    def restored(self, home: HomeUnderTest) -> None:
        """The ledger is another one: what it drew was seen before, and what it forgot may be drawn again."""
        self.known = {(place, slot) for place, slot, _ in home.store.disk.execute(REPORTS)}

    def judge(self, caps: Caps, boots: int) -> None:
        """No stretch of true time cost more than promised: a whole one, or after boots a twentieth less."""
        for place, plan in self.plans.items():
            length = stretch(plan.window * plan.slot.seconds * SECOND, boots)
            cost = dearest_starts([each for each in self.reports if each.place == place], length)
            expect(
                cost <= plan.epsilon,
                f"{cost} of {plan.epsilon} in {plan.window} slots of real time ({plan.method}, {boots} boots)",
            )
        for span, cap, word in ((DAY, caps.epsilon_per_day, "day"), (YEAR, caps.epsilon_per_year, "year")):
            cost = dearest_touch(self.reports, stretch(span, boots))
            expect(cost <= cap, f"{cost} in a real {word}, where the owner allows {cap} ({boots} boots)")
        cost, cap = sum(each.cost for each in self.reports), caps.epsilon_lifetime
        expect(cost <= cap, f"{cost} in all, where the owner allows {cap} ({boots} boots)")


def stretch(length: int, boots: int) -> int:
    return length - JITTER - (length // 20 if boots else 0)


def dearest_starts(reports: list[TimedReport], length: int) -> int:
    """The most that slots beginning within `length` of each other cost."""
    return max(
        (sum(each.cost for each in reports if 0 <= each.start - first.start < length) for first in reports), default=0
    )


def dearest_touch(reports: list[TimedReport], length: int) -> int:
    """The most that slots touching an interval of `length` cost; it begins just before some slot's end."""
    return max(
        (sum(each.cost for each in reports if each.end >= x.end and each.start < x.end + length) for x in reports),
        default=0,
    )
