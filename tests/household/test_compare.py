"""This home beside others: worked out at home, only where the owner wants it."""

import random

from hushwatt.audit.harness.plans import plan_for
from hushwatt.household.compare import comparisons, set_comparison, wants_comparison
from hushwatt.household.ledger.store import Store


def test_a_new_home_keeps_nothing(tmp_path):
    """It is off until the owner turns it on, and there is nothing to compare with."""
    with Store(tmp_path / "ledger.sqlite") as store:
        assert not wants_comparison(store)
        assert comparisons(store, plan_for(random.Random(1), share_results=True), 0) == []
        set_comparison(store, True)
        assert wants_comparison(store)
        set_comparison(store, False)
        assert not wants_comparison(store)
