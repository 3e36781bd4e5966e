"""How many homes take part, by a file's word: one rule, with a limit for each door."""

import pytest

from hushwatt.errors import ReportError
from hushwatt.provider.checks.declared_homes import ESTIMATE, INGEST, check_declared_homes


@pytest.mark.parametrize("limit, most", [(INGEST, 10 * (20 + 25)), (ESTIMATE, 1_000 * (20 + 1_000))])
@pytest.mark.parametrize("method, groups", [("lbu", 1), ("lsp", 1), ("lpu", 3)])
def test_believed_up_to_its_limit(plan_of, method, groups, limit, most):
    """A home more is refused, and the message says what to do."""
    plan = plan_of(2, method=method, window=3)
    check_declared_homes(plan, groups * most, 20, limit)

    with pytest.raises(ReportError, match=f"{groups * most + 1:,} homes .* no more than 20 .* {limit.remedy}"):
        check_declared_homes(plan, groups * most + 1, 20, limit)


def test_a_store_is_stricter_than_an_estimate(plan_of):
    """What it keeps sets the scale of all that comes later; what an ingest believes, an estimate does."""
    plan = plan_of(2)

    assert all(INGEST.most_homes(plan, heard) < ESTIMATE.most_homes(plan, heard) for heard in (0, 1, 10**6))
