"""How many homes take part, by a file's own word: believed within reason.

`hushwatt.homes` sets the scale of every answer, and no row shows the homes that kept silent.  So a
number is doubted that is far beyond the homes that are heard: one of them speaks in every slot, or,
where homes take turns, one of as many as there are groups.
"""

from dataclasses import dataclass

from hushwatt.errors import ReportError
from hushwatt.plan.plan import Plan
from hushwatt.privacy.strategies import rules_of


@dataclass(frozen=True)
class DeclaredHomesLimit:
    """How far a number may go beyond the homes that are heard."""

    per_heard: int  # homes that may take part for each that is heard
    spare: int  # added to those heard, as few homes tell little
    remedy: str  # what to do when the number is right nevertheless, or wrong

    def most_homes(self, plan: Plan, heard: int) -> int:
        """The highest number that is believed.

        >>> from hushwatt.plan.presets import preset
        >>> INGEST.most_homes(preset("paper"), heard=75)
        1000
        """
        return self.per_heard * rules_of(plan).groups(plan.window) * (heard + self.spare)


# A store keeps the number for all that it will publish: it is strict, as its operator can overrule it.
INGEST = DeclaredHomesLimit(10, 25, "give the true number with --homes")
# A file that is estimated answers for itself alone, and nobody can overrule it: only nonsense is refused.
ESTIMATE = DeclaredHomesLimit(1_000, 1_000, "write the true number there")


def check_declared_homes(plan: Plan, declared: int, heard: int, limit: DeclaredHomesLimit) -> None:
    """Refuse a number of homes that is beyond the limit when no more than `heard` are heard."""
    if declared > limit.most_homes(plan, heard):
        raise ReportError(
            f"hushwatt.homes says that {declared:,} homes take part, "
            f"but no more than {heard:,} are heard: {limit.remedy}"
        )
