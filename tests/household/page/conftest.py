"""A home whose pages are looked at."""

import pytest
from tests.household.living import FixedReadings, HomeUnderTest, join
from tests.household.page.looking import Owner

TURN = 86_400


@pytest.fixture
def owner(folder, plan_of):
    """The owner of a home with a plan of one report a day, after four of them; they left."""
    home = HomeUnderTest(folder / "ledger.sqlite", readings=FixedReadings(157.25))
    join(home.store, plan_of(3, 3, method="lbu", name="Kettles"))
    home.live(5 * TURN, TURN / 4)
    with home.store.transaction() as disk:
        disk.execute("UPDATE reports SET tries = 1, due = NULL, answer = 'accepted'")
    yield Owner(home)
    home.switch_off()


@pytest.fixture
def plan_id(owner):
    return owner.home.store.value("SELECT plan FROM plans")
