"""A small plan that is right, to be made wrong one key at a time."""

from collections.abc import Callable

import pytest

RIGHT = {
    "name": '"Kettles of Leeds"',
    "description": '"How many kettles boil, and when."',
    "contact": '"kettles@example.org"',
    "start": "2024-01-01",
    "expires": "2025-01-01",
    "slot": '"1d"',
    "epsilon": "1",
    "window": "3",
    "method": '"lpu"',
}
KETTLE = '[[appliance]]\nname = "kettle"\nedges = [10, 40]\n'
FRIDGE = '[[appliance]]\nname = "fridge"\nedges = [20, 50]\n'

Write = Callable[..., str]


@pytest.fixture(scope="session")
def written() -> Write:
    """Write the plan with some keys changed: raw TOML by key, None to leave one out."""

    def write(*appliances: str, **changes: str | None) -> str:
        lines = [f"{key} = {value}\n" for key, value in (RIGHT | changes).items() if value is not None]
        return "".join([*lines, *(appliances or (KETTLE, FRIDGE))])

    return write
