"""Turns are offered evenly: among all homes, and among those with the same labels."""

import numpy as np
import pytest
from tests.provider.collecting import STORES
from tests.provider.store.test_cells import NORTH, SOUTH

from hushwatt.privacy.rotation import assigned_turn
from hushwatt.provider.store import open_store
from hushwatt.provider.store.cells import cell_of
from hushwatt.provider.store.enrolment import Enrolled, enrol_home, remove_device
from hushwatt.provider.store.plans import add_plan
from hushwatt.provider.store.turns import offer_turns, offered_turns
from hushwatt.wire.labels import NO_LABELS

WINDOW, HOMES = 7, 60
both_stores = pytest.mark.parametrize("store_address", STORES, indirect=True)


@pytest.fixture
def enrol(plan_of, store_address):
    """A store, and what enrols a home of some labels there: what it is, and its turn."""
    plan, database = plan_of(2, method="lpu", window=WINDOW), open_store(store_address)
    with database.writing() as session:
        number = add_plan(session, plan)

        def home(labels=NO_LABELS) -> tuple[Enrolled, int]:
            ((keys,),) = session.all("SELECT next_home FROM plans")
            cell = cell_of(session, number, labels)
            enrolled = enrol_home(session, number, int(keys).to_bytes(32), cell=cell)
            (turn,) = offer_turns(session, number, plan, np.array(enrolled.homes), cell)
            return enrolled, turn

        yield plan, session, home
    database.close()


def spread(turns):
    """How many more homes the fullest turn has than the emptiest."""
    filled = np.bincount(turns, minlength=WINDOW)
    return filled.max() - filled.min()


@both_stores
def test_turns_fill_evenly_within_labels(enrol):
    """At every moment the turns of a set of labels differ by one home, and those of all homes by little."""
    _, _, home = enrol
    kinds = [NORTH, SOUTH, NO_LABELS]
    labels = np.random.default_rng(3).choice(len(kinds), HOMES, p=[0.6, 0.1, 0.3])
    turns = np.array([home(kinds[each])[1] for each in labels])

    for end in range(1, HOMES + 1):
        for each in range(len(kinds)):
            assert spread(turns[:end][labels[:end] == each]) <= 1
        assert spread(turns[:end]) <= 2


@both_stores
def test_without_labels_it_is_the_turn_of_the_number(enrol):
    """As long as no home has labels and none has left."""
    plan, _, home = enrol

    assert [home()[1] for _ in range(20)] == [assigned_turn(plan, number) for number in range(20)]


@both_stores
def test_a_turn_is_told_again_and_comes_free(enrol):
    """The same answer for the same home; the turn of one that has left is the next one offered."""
    plan, session, home = enrol
    homes = [home(NORTH) for _ in range(2 * WINDOW)]
    numbers = np.array([enrolled.homes[0] for enrolled, _ in homes])
    again = offered_turns(session, 1, plan, numbers)
    leaving, turn = homes[4]
    remove_device(session, 1, leaving.name, leaving.homes[0], 5)

    assert again == [each for _, each in homes]
    assert home(NORTH)[1] == turn


@both_stores
def test_homes_of_an_older_store_have_the_turns_of_their_numbers(enrol):
    """They are counted once, when the first home joins after them."""
    plan, session, _ = enrol
    for number in range(10):
        enrol_home(session, 1, number.to_bytes(32))
    (new,) = enrol_home(session, 1, bytes(32 * [99])).homes
    (turn,) = offer_turns(session, 1, plan, np.array([new]), 0)
    older = [assigned_turn(plan, number) for number in range(10)]

    assert offered_turns(session, 1, plan, np.arange(10)) == older
    assert turn == assigned_turn(plan, 10)
    assert session.all("SELECT sum(homes) FROM turns WHERE cell = -1") == [(11,)]
