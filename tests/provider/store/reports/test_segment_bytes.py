"""Columns of reports as bytes, and back."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.provider.store.reports.kept_reports import plainly

from hushwatt.provider.store.reports.segment_bytes import pack_reports, unpack_homes, unpack_reports
from hushwatt.provider.store.session import ReportRows

NUMBERS = st.integers(-1, 2**62)


@given(st.data(), st.sets(st.integers(0, 2**60), min_size=1, max_size=40), st.integers(0, 30))
def test_what_is_packed_comes_back(data, homes, size):
    """Whatever the homes, the amounts and the payloads are, without payloads too."""
    numbers = st.lists(NUMBERS, min_size=len(homes), max_size=len(homes))
    spent, drawn, as_of = (np.array(data.draw(numbers)) for _ in range(3))
    payloads = np.random.default_rng(1).integers(0, 256, (len(homes), size), dtype=np.uint8)
    reports = ReportRows(np.array(sorted(homes)), spent, drawn, as_of, payloads)

    packed = pack_reports(reports)

    assert plainly(unpack_reports(packed, len(homes), min(homes))) == plainly(reports)
    assert unpack_homes(packed.homes, min(homes), len(homes)).tolist() == sorted(homes)


def test_a_thousand_reports_take_little_more_than_their_payloads():
    """Where one home in seven has its turn three bytes more, and where homes decide for themselves six."""
    rng = np.random.default_rng(1)
    homes = np.cumsum(rng.geometric(1 / 7, 1_000))
    one, payloads = np.ones(1_000, dtype=np.int64), np.zeros((1_000, 19), dtype=np.uint8)
    fresh = rng.random(1_000) < 0.3
    spent, drawn = np.where(fresh, 700_000, 100_000), rng.choice([200_000, 600_000], 1_000)

    alike = pack_reports(ReportRows(homes, 5 * one, 5 * one, 9 * one, payloads))
    deciding = pack_reports(ReportRows(homes, spent, drawn, 9 - 3 * fresh, payloads))

    assert sum(map(len, alike)) < 22 * 1_000
    assert sum(map(len, deciding)) < 25 * 1_000
