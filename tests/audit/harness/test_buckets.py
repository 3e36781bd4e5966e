"""Counting on fingers: every way in which tallies can be wrong is told apart."""

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.audit.harness.buckets import GatewayHomes, bucket_plan, check_tallies, modelled
from hushwatt.audit.harness.expect import Fault
from hushwatt.provider.checks.plausible import payloads_fit
from hushwatt.provider.tally.tally import Tally, tally_rows
from hushwatt.wire.payload import Layout
from hushwatt.wire.record import unpack

KEPT = {(0, 0), (2, 0), (1, 3)}


@pytest.fixture
def crowd():
    return GatewayHomes(bucket_plan(4, 5), Ed25519PrivateKey.generate(), bytes(16), np.zeros((4, 16), np.uint8))


def test_reports_are_plausible_and_land_in_their_buckets(crowd):
    """What the crowd sends passes the inbox, and its tally is the model's."""
    layout = Layout.of(crowd.plan)
    records = unpack(crowd.body([(0, 0), (2, 0)]), layout.size)
    counts = tally_rows(layout, records.payloads).counts

    assert payloads_fit(layout, records.drawn.astype(np.int64), records.payloads).all()
    assert counts.tolist() == [1, 0, 1, 0]
    check_tallies(crowd, KEPT, modelled(crowd, KEPT).groups)


def changed(crowd, slot, counts, rows):
    """The right tallies, but for those of one slot."""
    groups = modelled(crowd, KEPT).groups
    return {
        key: Tally(rows, tally.reports, np.array(counts)) if key.slot == slot else tally
        for key, tally in groups.items()
    }


@pytest.mark.parametrize(
    "counts, rows, word",
    [
        ([2, 0, 1, 0], 2, "count twice"),
        ([1, 1, 1, 0], 2, "count twice"),
        ([1, 0, 0, 0], 2, "does not count"),
        ([1, 0, 1, 0], 3, "miscounted"),
    ],
)
def test_what_is_wrong_is_said(crowd, counts, rows, word):
    """A 2, a report where none is, a lost one, and a wrong number of homes."""
    with pytest.raises(Fault, match=word):
        check_tallies(crowd, KEPT, changed(crowd, 0, counts, rows))


def test_a_slot_too_many_or_too_few(crowd):
    """Tallies of a slot without reports, and reports of a slot without tallies."""
    groups = modelled(crowd, KEPT).groups

    with pytest.raises(Fault, match="slots with tallies"):
        check_tallies(crowd, KEPT - {(1, 3)}, groups)
    with pytest.raises(Fault, match="slots with tallies"):
        check_tallies(crowd, KEPT | {(1, 4)}, groups)
