"""All scenarios by name, in the order of the promises.

To add one, write `audit/chaos/<its_name>.py` with a `SCENARIO` and add its name here.
"""

from importlib import import_module

from hushwatt.audit.chaos.scenario import Scenario

NAMES = (
    "kill-agent",
    "power-loss-home",
    "power-loss-provider",
    "restored-ledger",
    "hostile-plans",
    "exactly-once",
    "kill-collector",
    "hostile-requests",
    "slow-clients",
    "broken-disk-home",
    "broken-disk-provider",
    "forged-uploads",
    "small-groups",
    "erased-homes",
    "restored-backups",
    "wild-clock",
    "turns",
    "published-once",
    "foreign-messages",
    "foreign-answers",
    "foreign-files",
    "swapped-server",
)


def load(name: str) -> Scenario:
    """The scenario of that name, from the file of that name.

    >>> load("restored-ledger").promise
    9
    """
    module = import_module(f"hushwatt.audit.chaos.{name.replace('-', '_')}")
    found: Scenario = module.SCENARIO
    return found


SCENARIOS = {name: load(name) for name in NAMES}
