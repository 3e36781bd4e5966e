"""Pieces that other processes tally, without other processes: what travels, and what comes back."""

import pickle
from collections import defaultdict

import numpy as np
import pyarrow as pa
import pytest
from tests.provider.reported import HOMES, KINDS, one_by_one, part, plainly, reported, saved, twice

from hushwatt.errors import ReportError, UsageError
from hushwatt.provider.tally.engines.embedded import EmbeddedEngine
from hushwatt.provider.tally.engines.pieces import (
    PartTally,
    bucket_count,
    deal_piece,
    piece_addresses,
    tally_address,
    tally_bucket,
    tally_with_turns,
    with_turns,
)
from hushwatt.provider.tally.label_table import LabelTable
from hushwatt.provider.tally.tally import finish_tallies
from hushwatt.wire.reports import report_files


def travelled(something):
    """As another process gets it."""
    return pickle.loads(pickle.dumps(something))


def addresses_of(plan, path):
    return travelled(piece_addresses(report_files(plan, path)))


def added(parts):
    whole = PartTally()
    for each in parts:
        whole = whole.merged(travelled(each))
    return whole


def messages_of(plan, addresses, buckets):
    """The messages of each bucket."""
    dealt = defaultdict(list)
    for address in addresses:
        for bucket, message in deal_piece(plan, buckets, address):
            dealt[bucket].append(message)
    return dealt


def brought_together(plan, addresses, labels=None):
    """All homes' reports in three buckets, whose messages come in another order than they were sent."""
    dealt = messages_of(plan, addresses, 3)
    return added(tally_bucket(plan, messages[::-1], labels) for messages in dealt.values())


@pytest.fixture
def folder(tmp_path):
    """Makes a folder of a plan's reports, twice and in no order, the second time with other bytes."""

    def make(plan, batch):
        both, count = twice(batch), len(batch)
        saved(plan, tmp_path / "a.parquet", both, np.arange(count // 2))
        saved(plan, tmp_path / "b.parquet", both, np.arange(count // 2, count))
        again = count + np.random.default_rng(5).permutation(count)
        saved(plan, tmp_path / "c.parquet", both, again[::2], group=30)
        saved(plan, tmp_path / "d.parquet", both, again[1::2])
        return tmp_path

    return make


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_labels_travel_along(table, tmp_path, kind):
    """Every kind of home adds up to what it does on one machine, in pieces and brought together."""
    plan, batch = table(*kind)
    path = saved(plan, tmp_path / "a.parquet", batch, group=31)
    homes = sorted(set(batch.households.to_pylist()))
    labels = LabelTable.of(pa.table({"household": homes[3:], "tariff": ["A", *["B"] * (len(homes) - 4)]}))
    expected = plainly(EmbeddedEngine().tallies(plan, path, labels).groups)
    together = brought_together(plan, addresses_of(plan, path), travelled(labels)).tallies

    assert plainly(finish_tallies(plan, together, labels).groups) == expected
    if plan.decision is None and plan.appliances_per_report == len(plan.appliances):
        pieces = added(tally_address(plan, each, travelled(labels)) for each in addresses_of(plan, path))
        assert plainly(finish_tallies(plan, pieces.tallies, labels).groups) == expected


class TestBroughtTogether:
    """Where all reports of a home meet, the first of each counts."""

    @pytest.mark.parametrize("kind", KINDS, ids=str)
    def test_repeats_in_other_files(self, table, folder, kind):
        """Every method's reports add up to the same, in whatever order messages come."""
        plan, batch = table(*kind)
        whole = brought_together(plan, addresses_of(plan, folder(plan, batch)))

        assert plainly(finish_tallies(plan, whole.tallies).groups) == plainly(one_by_one(plan, batch))
        assert whole.tallies.repeats == len(batch)

    def test_a_home_is_in_one_bucket(self, table, folder):
        """Though its reports are in all files: the buckets' homes add up to those there are."""
        plan, batch = table("lbu", None, 8)
        dealt = messages_of(plan, addresses_of(plan, folder(plan, batch)), 3)
        heard = [max(t.rows for t in tally_bucket(plan, some).tallies.groups.values()) for some in dealt.values()]

        assert sum(heard) == HOMES
        assert len(heard) == 3

    def test_as_many_buckets_as_work_needs(self, table, folder):
        """Every core has one, and none has too many reports."""
        plan, batch = table("lbu", None, 8)
        addresses = addresses_of(plan, folder(plan, batch))

        assert bucket_count(addresses, 7) == 7
        assert bucket_count(addresses * 10_000, 7) == -(-2 * len(batch) * 10_000 // (1 << 19))


def with_all_turns(plan, addresses, buckets=3):
    """What comes of every bucket, tallies of pieces and turns of homes in it."""
    dealt = defaultdict(list)
    for address in addresses:
        for bucket, item in tally_with_turns(plan, buckets, address):
            dealt[bucket].append(travelled(item))
    return added(with_turns(plan, items) for items in dealt.values())


class TestWithTurns:
    """Where turns are all that reports have to agree about, only these meet."""

    def test_homes_that_keep_to_their_turns(self, table, tmp_path):
        """Pieces add up to what they do on one machine, and none is read again."""
        plan, batch = table("lpu", None, 8)
        path = saved(plan, tmp_path / "a.parquet", batch, group=31)
        whole = with_all_turns(plan, addresses_of(plan, path))

        assert (whole.two_turns, whole.again()) == (False, set())
        assert plainly(finish_tallies(plan, whole.tallies).groups) == plainly(one_by_one(plan, batch))

    def test_repeats_are_no_second_turn(self, table, folder):
        """A report that is there again is read again, and nobody is suspected for it."""
        plan, batch = table("lpu", None, 8)
        whole = with_all_turns(plan, addresses_of(plan, folder(plan, batch)))

        assert not whole.two_turns
        assert whole.again()

    @pytest.mark.parametrize("row", range(0, 60, 7))
    def test_a_home_with_two_turns(self, table, tmp_path, row):
        """One report in another's turn is noticed, in whichever piece it lies."""
        plan, batch = table("lpu", None, 8)
        late = part(batch, [row])
        late.slot[:] += 1
        saved(plan, tmp_path / "a.parquet", batch, group=31)
        saved(plan, tmp_path / "b.parquet", late)

        assert with_all_turns(plan, addresses_of(plan, tmp_path)).two_turns

    def test_who_is_refused_anyway_has_no_turn(self, table, tmp_path):
        """A report with amounts that no home has is not asked for its turn."""
        plan, batch = table("lpu", None, 8)
        late = part(batch, [3])
        late.slot[:] += 1
        late.spent[:] = late.drawn[:] = 1
        saved(plan, tmp_path / "a.parquet", batch)
        saved(plan, tmp_path / "b.parquet", late)
        whole = with_all_turns(plan, addresses_of(plan, tmp_path))

        assert not whole.two_turns
        assert whole.tallies.refused["wrong_amount"] == 1


class TestByItself:
    """A piece is tallied by whoever is told its address."""

    def test_only_addresses_travel(self, table, folder):
        """What goes to a worker does not grow with the reports."""
        plan, batch = table("lbu", None, 8)

        assert all(len(pickle.dumps(each)) < 400 for each in addresses_of(plan, folder(plan, batch)))

    def test_pieces_that_may_hold_a_report_twice(self, table, folder):
        """Those in no order, and those that overlap with another; what they add up to is taken away to the digit."""
        plan, batch = table("lbu", None, 8)
        path = folder(plan, batch)
        addresses = addresses_of(plan, path)
        whole = added(tally_address(plan, address) for address in addresses)
        again = [address for address in addresses if address.number in whole.again()]
        rest = whole.without(added(tally_address(plan, address) for address in again))
        found = rest.merged(brought_together(plan, again)).tallies
        expected = EmbeddedEngine().tallies(plan, path)

        assert {address.number for address in again} == set(range(len(addresses)))
        assert plainly(finish_tallies(plan, found).groups) == plainly(expected.groups)
        assert found.repeats == expected.repeats == len(batch)

    def test_pieces_apart(self, table, tmp_path):
        """Where none overlap, none is read again, and nothing is left of what is taken away."""
        plan, batch = table("lbu", None, 8)
        for number, rows in enumerate(np.array_split(np.arange(len(batch)), 3)):
            saved(plan, tmp_path / f"{number}.parquet", batch, rows)
        parts = [tally_address(plan, address) for address in addresses_of(plan, tmp_path)]
        whole = added(parts)

        assert whole.again() == set()
        assert plainly(whole.tallies.groups) == plainly(one_by_one(plan, batch))
        assert whole.without(added(parts)).tallies.groups == {}


class TestProblems:
    """What is wrong with a piece comes back as its worker found it."""

    def test_a_wrong_row(self, plan_of, tmp_path):
        """With its file and row, in the words of the engine on one machine."""
        plan, batch = reported(plan_of, "lbu", None, 8)
        batch.drawn[17] = -1
        path = saved(plan, tmp_path / "r.parquet", batch)
        (part,) = (tally_address(plan, address) for address in addresses_of(plan, path))
        with pytest.raises(ReportError) as here:
            EmbeddedEngine().tallies(plan, path)

        assert str(travelled(part).problems[0]) == str(here.value)
        assert "row 18: spent and drawn cannot be negative" in str(here.value)

    def test_a_file_that_is_not_there(self, plan_of, tmp_path):
        """A worker without the file says so."""
        plan, batch = reported(plan_of, "lbu", None, 8)
        path = saved(plan, tmp_path / "r.parquet", batch)
        addresses = addresses_of(plan, path)
        path.unlink()
        part = tally_address(plan, addresses[0])

        assert isinstance(part.problems[0], UsageError)
        assert str(part.problems[0]) == f"{path}: Spark's workers do not see it"
