"""Errors say what stands in the way, in one line."""

import inspect
import pickle

import pytest

from hushwatt import errors
from hushwatt.errors import HushwattError, OverBudget

CLASSES = [thing for _, thing in inspect.getmembers(errors, inspect.isclass)]


@pytest.mark.parametrize("error", CLASSES)
def test_one_family(error):
    """Every error of hushwatt can be caught by one name, and is drawn in the tree at the top."""

    assert issubclass(error, HushwattError)
    assert error.__name__ in errors.__doc__


@pytest.mark.parametrize("error", [error for error in CLASSES if error is not OverBudget])
def test_one_line(error):
    """A message is one line, whatever it was made of."""

    assert str(error("kettle:\n  edges[2]\tis 250 W")) == "kettle: edges[2] is 250 W"


def test_over_budget_says_the_numbers():
    """A refused spend names what was asked, what is spent, and what may be."""
    error = OverBudget(asked=600_001, spent=12_600_000, epsilon=13_000_000, window=30)

    assert str(error) == (
        "cannot spend ε 0.600001 in this slot: the 29 before it spent ε 12.600000, "
        "and any 30 in a row may spend ε 13.000000"
    )
    assert (error.asked, error.spent, error.epsilon, error.window) == (600_001, 12_600_000, 13_000_000, 30)


def test_over_budget_travels():
    """A refused spend keeps its numbers on the way from a worker process."""
    error = pickle.loads(pickle.dumps(OverBudget(asked=1, spent=2, epsilon=3, window=4)))

    assert str(error) == str(OverBudget(asked=1, spent=2, epsilon=3, window=4))
