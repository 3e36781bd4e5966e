"""What a home remembers is the same on disk as in memory."""

from typing import Any

import numpy as np
import pytest
from tests.household.living import NO_CAPS, fresh_store, join

from hushwatt.errors import StateError
from hushwatt.household.ledger.home_ledger import HomeLedger
from hushwatt.household.membership import Membership
from hushwatt.household.report.serialise import dump_home, load_home, strategy_of
from hushwatt.privacy.entropy import Simulation

SLOTS = 14
KINDS: dict[str, dict[str, Any]] = {
    "lbu": {"method": "lbu"},
    "lbu some": {"method": "lbu", "appliances_per_report": 1},
    "lsp": {"method": "lsp", "window": 4},
    "lpu": {"method": "lpu", "oracle": "grr", "appliances_per_report": 2},
    "lbd": {"method": "lbd", "window": 4},
    "lba": {"method": "lba", "window": 4, "oracle": "grr"},
}


def reports(plan, forgetful):
    """What a home stores slot by slot; a forgetful one knows after each only what is on its disk."""
    source, watts = Simulation(4, plan.id), [50.0, 250.0]
    with fresh_store() as store:
        member = Membership(plan, join(store, plan, source=source), HomeLedger(store, NO_CAPS), source)
        for slot in range(SLOTS):
            member.report_slot(np.array([watts[slot // 5 % 2]] * len(plan.appliances)), due=0)
            if forgetful:
                member.reload()
        kept = store.rows("SELECT slot, spent, drawn, payload FROM reports")
        return (
            kept,
            store.rows("SELECT slot, amount, members FROM spends"),
            store.rows("SELECT * FROM silences"),
        )


@pytest.mark.parametrize("kind", KINDS)
def test_the_disk_remembers_everything(kind, plan_of):
    """A home that forgets all but its disk after every slot does the same as one that never does."""
    plan = plan_of(3, 3, 2, **{"window": 3, **KINDS[kind]})

    assert reports(plan, forgetful=True) == reports(plan, forgetful=False)


@pytest.mark.parametrize("kind", KINDS)
def test_text_and_back(kind, plan_of):
    """Memory written and read again is the same memory, in the middle of a window too."""
    plan = plan_of(3, 3, 2, **{"window": 3, **KINDS[kind]})
    with fresh_store() as store:
        member = Membership(plan, join(store, plan), HomeLedger(store, NO_CAPS), Simulation(1, "x"))
        for slot in range(5):
            member.report_slot(np.full(3, 100.0 * (slot % 3)), due=0)
            text = dump_home(member.homes)
            again = load_home(plan, member.slot, text, member.homes.ledger)

            assert dump_home(again) == text
            assert strategy_of(again) == strategy_of(member.homes)


@pytest.mark.parametrize("text", ["", "{}", '{"strategy": {}, "drawn": 0}', '{"strategy": 3, "drawn": "x"}'])
def test_a_damaged_memory_is_one_clear_line(text, plan_of):
    """What cannot be read is no reason to begin anew: it is refused, without a word of what it holds."""
    plan = plan_of(3, 3)

    with pytest.raises(StateError, match=r"^the ledger's memory of plan \w{12}… is damaged$"):
        load_home(plan, 0, text, None)
