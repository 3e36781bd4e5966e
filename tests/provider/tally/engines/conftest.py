"""Reports of every kind that the engines' tests share."""

from functools import cache

import pytest
from tests.provider.reported import reported


@pytest.fixture(scope="module")
def table(plan_of):
    """The plan and all reports of a small fleet, made once for each kind."""
    return cache(lambda *kind: reported(plan_of, *kind))
