"""Learn which appliances use how much, when, while each home keeps its own usage deniable.

    plan ──────────────┬──────────────────────────────┐        what both sides agree on, in public
                       ▼                              ▼
    household: readings → levels → encode → budget → randomise → outbox
                                                      │ wire: the only thing that leaves home
                                                      ▼
    provider:  inbox → store → tally → estimate → analyse → dashboard

Each word on the left is a room of this package.  A room imports only from the
rooms below it, and `household` and `provider` never import each other:

    cli → evaluate → chaos → audit → fleet → household | provider → wire → privacy → plan

The names a script needs are here: `Plan`, `Appliance`, `preset`, `promise`, `advise`, `simulate`,
`randomise`, `estimate` and its `Result`, `compare`, and `HushwattError`.  Importing hushwatt itself costs nothing: a
name loads its room when it is first used.

    >>> import hushwatt
    >>> plan = hushwatt.preset("advised")
    >>> readings = hushwatt.simulate("ideal", plan, homes=1000, slots=30, seed=1)  # or your own data frame
    >>> reports = hushwatt.randomise(plan, readings, seed=2)
    >>> hushwatt.estimate(plan, reports)
    <Result: 1,000 homes, 30 slots, most watts: fridge_freezer, ...>
"""

from importlib import import_module
from warnings import warn

__version__ = "0.2.0"

NAMES = {
    "Appliance": "hushwatt.plan.appliance",
    "HushwattError": "hushwatt.errors",
    "Plan": "hushwatt.plan.plan",
    "Result": "hushwatt.fleet.result",
    "advise": "hushwatt.privacy.advice",
    "compare": "hushwatt.fleet.selection",
    "estimate": "hushwatt.fleet.dataframes",
    "preset": "hushwatt.plan.presets",
    "promise": "hushwatt.privacy.promise",
    "randomise": "hushwatt.fleet.dataframes",
    "simulate": "hushwatt.evaluate.simulate",
}
OLD_NAMES = {"Answer": "Result"}  # still there, with a warning

__all__ = sorted(["__version__", *NAMES])


def __getattr__(name: str) -> object:
    """A public name, from the room where it lives."""
    if name in OLD_NAMES:
        warn(f"hushwatt.{name} is now called hushwatt.{OLD_NAMES[name]}", DeprecationWarning, stacklevel=2)
        name = OLD_NAMES[name]
    if name not in NAMES:
        raise AttributeError(f"hushwatt has no {name}; it has {', '.join(NAMES)}")
    return getattr(import_module(NAMES[name]), name)


def __dir__() -> list[str]:
    return __all__
