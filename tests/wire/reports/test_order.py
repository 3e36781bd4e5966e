"""The order of a table of reports is by slot, household and round, within batches and across them."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.wire.reports.order import ReportOrder, sort_order

REPORT = st.tuples(st.integers(0, 2), st.sampled_from(["ada", "bob", "Δora", ""]), st.integers(0, 1))


def places(reports):
    """Reports as columns."""
    slots, names, rounds = zip(*reports, strict=True) if reports else ((), (), ())
    return pa.array(names, pa.string()), np.array(slots, np.int32), np.array(rounds, np.int8)


@given(reports=st.lists(REPORT, max_size=12), cut=st.integers(0, 12))
def test_the_first_break(reports, cut):
    """The first report that is not above its predecessor is found, also between two batches."""
    order = ReportOrder()
    found = order.first_break(places(reports[:cut]))
    if found is None:
        found = order.first_break(places(reports[cut:]))
        found = None if found is None else found + len(reports[:cut])
    breaks = [row for row in range(1, len(reports)) if reports[row] <= reports[row - 1]]

    assert found == (breaks[0] if breaks else None)


@pytest.mark.parametrize("second", [(0, "bob", 0), (0, "ada", 1), (0, "bob", 1)])
def test_what_a_report_is_above(second):
    """A lower household is a break even with a higher round, and so is the same report again."""
    above = second > (0, "bob", 0)

    assert (ReportOrder().first_break(places([(0, "bob", 0), second])) is None) == above


@given(reports=st.lists(REPORT, max_size=12))
def test_any_order_is_put_right(reports):
    """The ascending order is that of the reports themselves."""
    assert [reports[row] for row in sort_order(places(reports))] == sorted(reports)
