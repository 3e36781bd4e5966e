"""What the tests of weakened homes and providers share."""

import pytest

from hushwatt.chaos.run import seed_of, try_case
from hushwatt.chaos.scenarios import SCENARIOS


@pytest.fixture
def found_out():
    """Give what the first case says that breaks a promise, of those that the suite goes through."""

    def first(name: str) -> str:
        scenario = SCENARIOS[name]
        for case in range(scenario.cases(scenario.quick)):
            if failure := try_case(scenario, seed_of(1, name, case)):
                return failure.said
        return "nothing"

    return first
