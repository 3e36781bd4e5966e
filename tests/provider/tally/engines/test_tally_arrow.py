"""Tallies travel as Arrow batches."""

from tests.provider.reported import one_by_one, plainly

from hushwatt.provider.tally.engines.tally_arrow import decode_tallies, encode_tallies
from hushwatt.provider.tally.tally import Tallies


def test_encoding_round_trip(table):
    """Tallies arrive as they left."""
    plan, batch = table("lbd", "household", 8)
    tallies = Tallies(0, one_by_one(plan, batch))

    assert plainly(decode_tallies(encode_tallies(tallies).to_pylist())[0].groups) == plainly(tallies.groups)
