"""All scenarios by name, in the order of the promises.

To add one, write its file in `chaos/home` or `chaos/provider` with a `SCENARIO`, and add its name here.
"""

from importlib import import_module

from hushwatt.chaos.scenario import Scenario

MODULES = {
    "kill-agent": "home.kill_agent",
    "power-loss-home": "home.power_loss",
    "power-loss-provider": "provider.power_loss",
    "restored-ledger": "home.restored_ledger",
    "hostile-plans": "home.hostile_plans",
    "exactly-once": "provider.exactly_once",
    "kill-collector": "provider.kill_collector",
    "hostile-requests": "provider.hostile_requests",
    "slow-clients": "provider.slow_clients",
    "broken-disk-home": "home.broken_disk",
    "broken-disk-provider": "provider.broken_disk",
    "forged-uploads": "provider.forged_uploads",
    "small-groups": "provider.small_groups",
    "erased-homes": "provider.erased_homes",
    "restored-backups": "provider.restored_backups",
    "wild-clock": "home.wild_clock",
    "turns": "provider.turns",
    "published-once": "provider.published_once",
    "foreign-messages": "home.foreign_messages",
    "foreign-answers": "home.foreign_answers",
    "foreign-files": "provider.foreign_files",
    "swapped-server": "home.swapped_server",
}


def load(name: str) -> Scenario:
    """The scenario of that name, from its file.

    >>> load("restored-ledger").promise
    9
    """
    scenario: Scenario = import_module(f"hushwatt.chaos.{MODULES[name]}").SCENARIO
    return scenario


SCENARIOS = {name: load(name) for name in MODULES}
