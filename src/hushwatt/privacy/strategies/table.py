"""Which strategy a plan's method names."""

from typing import Any

from hushwatt.plan.plan import Plan
from hushwatt.privacy.strategies.absorb import Absorb
from hushwatt.privacy.strategies.distribute import Distribute
from hushwatt.privacy.strategies.population import PopulationAbsorb, PopulationDistribute, PopulationSample
from hushwatt.privacy.strategies.sample import Sample
from hushwatt.privacy.strategies.strategy import Strategy
from hushwatt.privacy.strategies.uniform import Uniform

STRATEGIES: dict[str, type[Strategy]] = {
    "lbu": Uniform,
    "lsp": Sample,
    "lbd": Distribute,
    "lba": Absorb,
    "lpu": PopulationSample,
    "lpd": PopulationDistribute,
    "lpa": PopulationAbsorb,
}


def rules_of(plan: Plan) -> type[Strategy]:
    """The rules of a plan's method: the class of its strategy."""
    return STRATEGIES[plan.method]


def strategy_from(plan: Plan, fields: dict[str, Any]) -> Strategy:
    """A strategy from its fields as JSON has them, with lists in place of tuples."""
    return rules_of(plan).from_fields({name: _frozen(value) for name, value in fields.items()})


def _frozen(value: Any) -> Any:
    return tuple(_frozen(each) for each in value) if isinstance(value, list) else value
