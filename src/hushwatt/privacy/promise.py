"""What a plan promises, in numbers that a person can weigh.

Two protections are always stated: ε for the whole home in any w slots, and what of
it can reach one appliance.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import exp, log10

from hushwatt.plan.plan import Plan
from hushwatt.privacy.dearest import dearest_window
from hushwatt.privacy.laws import Law, law_for
from hushwatt.privacy.strategies import affordable, rules_of, strategy_for


@dataclass(frozen=True)
class Promise:
    """Amounts are millionths of ε in any `window` slots."""

    epsilon: int  # promised for the home
    appliance_epsilon: int  # promised for one appliance: its cap, or ε where the plan sets none
    window: int
    dearest: int  # the most that any window can really cost the home
    appliance_dearest: Fraction  # the most that any window can really cost one appliance
    drawn: int  # the largest budget a report is drawn with
    laws: tuple[Law, ...]  # of each appliance in such a report

    @property
    def kept(self) -> bool:
        """Whether no window can exceed what is promised."""
        return self.dearest <= self.epsilon and self.appliance_dearest <= self.appliance_epsilon

    @property
    def odds(self) -> str:
        """e^ε : 1, how much more likely one home's reports can make one past of it than another."""
        return odds(self.dearest / 1e6)

    @property
    def appliance_odds(self) -> str:
        """The same about one appliance, if everything else about the home were known."""
        return odds(float(self.appliance_dearest) / 1e6)

    @property
    def told(self) -> tuple[float, float]:
        """The least and the largest chance, over appliances, that an answer names the true level."""
        chances = [float(law.hold) for law in self.laws]
        return min(chances), max(chances)

    @property
    def truthful(self) -> tuple[float, float]:
        """The least and the largest chance that the answer about an appliance is the plain truth."""
        chances = [float(law.truthful) for law in self.laws]
        return min(chances), max(chances)


def promise(plan: Plan) -> Promise:
    """Work out what a plan promises, and what its dearest window can cost."""
    strategy = strategy_for(plan)
    if strategy.population:  # a home speaks once in a window, with all it may spend
        dearest = drawn = affordable(plan)
    else:
        dearest = dearest_window(strategy, plan.window)
        drawn = strategy.largest
    asked = plan.appliances_per_report
    return Promise(
        epsilon=plan.epsilon,
        appliance_epsilon=plan.epsilon if plan.appliance_epsilon is None else plan.appliance_epsilon,
        window=plan.window,
        dearest=dearest,
        appliance_dearest=dearest_appliance(plan, dearest),
        drawn=drawn,
        laws=tuple(law_for(plan.oracle, drawn, asked, width) for width in plan.widths),
    )


def dearest_appliance(plan: Plan, dearest: int) -> Fraction:
    """What of the dearest window can reach one appliance.

    Every report gives each of its s appliances 1/s of its budget.  Where the clock has D draws in a
    window, the rotation lets an appliance into at most ⌈D·s/n⌉ of them.
    """
    asked, draws = plan.appliances_per_report, -(-plan.window // rules_of(plan).stride(plan.window))
    turns = min(draws, -(-draws * asked // len(plan.appliances)))
    return Fraction(dearest * turns, draws * asked)


def odds(epsilon: float) -> str:
    """e^ε : 1, in words of a sensible length.

    >>> odds(0.667), odds(10), odds(1000)
    ('1.9 : 1', '22,026 : 1', '10^434 : 1')
    """
    if epsilon > 30:
        return f"10^{epsilon * log10(exp(1)):.0f} : 1"
    times = exp(epsilon)
    return f"{times:.1f} : 1" if times < 100 else f"{times:,.0f} : 1"
