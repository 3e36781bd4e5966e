"""Reports become tallies: right keys, nothing lost, wherever the table is cut."""

from functools import cache
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.provider.reported import HOMES, KINDS, SLOTS, one_by_one, part, plainly, reported

from hushwatt.errors import ReportError
from hushwatt.provider.tally.engines import tally_reports
from hushwatt.provider.tally.tally import (
    Tallies,
    Tally,
    TallyKey,
    carry_forward,
    check_amounts,
    finish_tallies,
    group_rows,
    tally_batches,
)
from hushwatt.wire.reports import ReportBatch, ReportWriter

cuts = st.lists(st.integers(0, 2 * HOMES * SLOTS), max_size=8)


@pytest.fixture(scope="module")
def table(plan_of):
    """The plan and all reports of a small fleet, made once for each kind."""
    return cache(lambda *kind: reported(plan_of, *kind))


def added(plan, batches):
    tallies = Tallies(HOMES, {})
    for key, tally in tally_batches(plan, batches):
        tallies.add(key, tally)
    return tallies.groups


def spending(homes):
    """Publications of some homes, who spent so much in each slot."""
    slots = len(homes[0])
    who, slot = np.tile(np.arange(len(homes)), slots), np.repeat(np.arange(slots), len(homes))
    return ReportBatch(
        pa.array([f"{home}" for home in who]),
        slot.astype(np.int32),
        np.zeros(len(slot), dtype=np.int8),
        np.array(homes, dtype=np.int64).T.ravel(),
        np.full(len(slot), 4, dtype=np.int64),
        np.zeros((len(slot), 1), dtype=np.uint8),
    )


class TestKeys:
    """Reports of one slot, drawn in one slot, with one budget are counted together."""

    @pytest.mark.parametrize("kind", KINDS, ids=str)
    def test_tallies_equal_reports_one_by_one(self, table, kind):
        """Every key and every count, as found by comparing each home's bytes with its last ones."""
        plan, batch = table(*kind)

        assert plainly(added(plan, [batch])) == plainly(one_by_one(plan, batch))

    @pytest.mark.parametrize("kind", KINDS, ids=str)
    @settings(max_examples=20)
    @given(cuts=cuts)
    def test_batches_cut_anywhere_give_the_same(self, table, kind, cuts):
        """Also within a slot, and with empty batches."""
        plan, batch = table(*kind)
        edges = [0, *sorted(min(cut, len(batch)) for cut in cuts), len(batch)]

        parts = [part(batch, slice(start, end)) for start, end in pairwise(edges)]

        assert plainly(added(plan, parts)) == plainly(added(plan, [batch]))

    def test_lbu_has_one_group_a_slot(self, table):
        """Drawn now, with ε/w."""
        plan, batch = table("lbu", None, 8)

        assert set(added(plan, [batch])) == {TallyKey(slot, 0, slot, 1_333_333) for slot in range(SLOTS)}

    def test_lsp_is_as_old_as_its_phase(self, table):
        """Drawn in the last multiple of w, with ε."""
        plan, batch = table("lsp", None, 8)

        assert set(added(plan, [batch])) == {TallyKey(slot, 0, slot - slot % 3, 4_000_000) for slot in range(SLOTS)}

    def test_homes_that_decide_are_kept_apart(self, table):
        """In a slot of LBD there are releases of several ages and budgets, of all homes together."""
        plan, batch = table("lbd", "household", 8)

        tallies = added(plan, [batch])

        last = {key: tally for key, tally in tallies.items() if key.slot == SLOTS - 1}
        assert len({key.as_of for key in last}) > 1
        assert len({key.drawn for key in last}) > 1
        assert sum(tally.rows for tally in last.values()) == HOMES

    def test_rounds_are_kept_apart(self, table):
        """A provider-decided slot has the probes of now, and a release of now or before."""
        plan, batch = table("lbd", "provider", 8)

        keys = set(added(plan, [batch]))

        assert {key for key in keys if key.round == 1} == {TallyKey(s, 1, s, 666_666) for s in range(SLOTS)}
        assert {key.slot for key in keys if key.round == 0} == set(range(SLOTS))
        assert any(key.as_of < key.slot for key in keys)


class TestFiles:
    """A table of reports on disk is tallied like its rows."""

    @pytest.mark.parametrize("kind", KINDS, ids=str)
    def test_a_file_gives_the_same_tallies(self, table, tmp_path, kind):
        """Written slot by slot and read back."""
        plan, batch = table(*kind)
        with ReportWriter(tmp_path / "reports.parquet", plan, HOMES) as writer:
            for slot in range(SLOTS):
                here = part(batch, np.flatnonzero(batch.slot == slot))
                writer.write(here.households, slot, here.round, here.spent, here.drawn, here.payloads)

        tallies = tally_reports(plan, tmp_path / "reports.parquet")

        assert tallies.homes == HOMES
        assert plainly(tallies.groups) == plainly(one_by_one(plan, batch))


class TestRepeats:
    """A slot of LPD or LPA that published nothing stands by the last release."""

    def test_a_silent_slot_has_the_last_release(self, plan_of):
        """With its own slot and the release's age; before the first there is none."""
        plan = plan_of(2, method="lpd", decision="provider")
        one, other = Tally(1, np.array([1]), np.array([1, 0])), Tally(2, np.array([2]), np.array([0, 2]))
        keys = [TallyKey(slot, 1, slot, 4) for slot in range(6)]
        tallies = Tallies(9, {**dict.fromkeys(keys, one), TallyKey(1, 0, 1, 4): one, TallyKey(4, 0, 4, 4): other})

        groups = carry_forward(plan, tallies).groups

        assert {key: tally for key, tally in groups.items() if key.round == 0} == {
            TallyKey(1, 0, 1, 4): one,
            TallyKey(2, 0, 1, 4): one,
            TallyKey(3, 0, 1, 4): one,
            TallyKey(4, 0, 4, 4): other,
            TallyKey(5, 0, 4, 4): other,
        }

    @pytest.mark.parametrize("method", ["lbu", "lpu", "lsp"])
    def test_other_methods_repeat_nothing(self, plan_of, method):
        """Where homes send their repeats, or have none, the tallies stay as they are."""
        tallies = Tallies(9, {TallyKey(0, 0, 0, 4): Tally(1, np.array([1]), np.array([1, 0]))})

        assert set(carry_forward(plan_of(2, method=method), tallies).groups) == {TallyKey(0, 0, 0, 4)}


class TestFinishTallies:
    """A repeat whose publication lies in another part is found its slot when all parts are known."""

    ONE = Tally(1, np.array([1]), np.array([1, 0]))

    def finished(self, plan, *keys):
        return finish_tallies(plan, Tallies(9, {TallyKey(*key): self.ONE for key in keys})).groups

    def test_repeats_stand_by_the_last_publication(self, plan_of):
        """Before their slot; those before the first stay as they are."""
        plan = plan_of(2, method="lbd", decision="provider")
        keys = [(0, 0, -1, 4), (1, 0, 1, 4), (3, 0, -1, 4), (3, 0, 1, 4), (5, 0, 5, 4), (6, 0, -1, 4)]

        found = self.finished(plan, *keys, (4, 1, 4, 4))

        assert {key[:4] for key in found} == {
            (0, 0, -1, 4),
            (1, 0, 1, 4),
            (3, 0, 1, 4),
            (4, 1, 4, 4),
            (5, 0, 5, 4),
            (6, 0, 5, 4),
        }
        assert found[TallyKey(3, 0, 1, 4)].rows == 2

    @settings(max_examples=60)
    @given(homes=st.lists(st.lists(st.sampled_from([0, 4]), min_size=6, max_size=6), min_size=2, max_size=4))
    def test_parts_of_a_collection_that_is_not_in_step(self, plan_of, homes):
        """A home that publishes alone tells the same in a part of its own as among all."""
        plan = plan_of(2, method="lbd", decision="provider")
        parts = Tallies(9, {})
        for spent in homes:
            parts.add_all(tally_batches(plan, [spending([spent])]))
        whole = Tallies(9, added(plan, [spending(homes)]))

        assert plainly(finish_tallies(plan, parts).groups) == plainly(finish_tallies(plan, whole).groups)

    def test_homes_that_decide_keep_their_own(self, plan_of):
        """A home that never published in this table does not stand by another home's release."""
        keys = {TallyKey(0, 0, -1, 4), TallyKey(0, 0, 0, 4)}

        assert set(self.finished(plan_of(2, method="lba"), *keys)) == keys


class TestGroups:
    """Rows are grouped by slot, round, slot of drawing and budget."""

    rows = st.lists(st.tuples(*[st.integers(0, 2)] * 4), max_size=30)

    @given(rows=rows)
    def test_every_row_is_in_the_group_of_its_numbers(self, rows):
        """Each key comes once and holds exactly the rows that have its numbers."""
        columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T

        found = [(key, np.arange(len(rows))[here].tolist()) for key, here in group_rows(*columns)]

        expected = {TallyKey(*row): [place for place, other in enumerate(rows) if other == row] for row in rows}
        assert dict(found) == expected
        assert len(found) == len(expected)


class TestRefusing:
    """A budget that no home following the plan draws with is refused."""

    @pytest.mark.parametrize("wrong", [0, -1, 4_000_001])
    def test_an_impossible_budget(self, plan_of, wrong):
        """Nothing, less than nothing, or more than ε; the number is named."""
        with pytest.raises(ReportError, match=f"drawn is {wrong} millionths; the plan allows 1 to 4000000"):
            check_amounts(plan_of(2), np.array([1, wrong, 4_000_000]))

    def test_possible_ones_are_accepted(self, plan_of):
        """From a millionth up to ε, and no report at all."""
        check_amounts(plan_of(2), np.array([1, 4_000_000]))
        check_amounts(plan_of(2), np.array([], dtype=np.int64))

        assert added(plan_of(2), []) == {}

    def test_a_wrong_report_stops_the_tally(self, table):
        """Among many right ones, a payload or a budget that cannot be is noticed."""
        plan, batch = table("lbu", None, 2)
        payloads, drawn = batch.payloads.copy(), batch.drawn.copy()
        payloads[7] = 255
        drawn[7] = 0

        with pytest.raises(ReportError, match="report 8: its payload has"):
            added(
                plan,
                [ReportBatch(batch.households, batch.slot, batch.round, batch.spent, batch.drawn, payloads)],
            )
        with pytest.raises(ReportError, match="report 8: drawn is 0"):
            added(
                plan,
                [ReportBatch(batch.households, batch.slot, batch.round, batch.spent, drawn, batch.payloads)],
            )


@pytest.mark.parametrize(("method", "turns"), [("lbu", 1), ("lpu", 3)])
def test_the_number_of_homes_must_be_plausible(plan_of, method, turns):
    """A file's word is believed up to a thousand homes for each that is heard, never below those."""
    plan = plan_of(2, method=method, window=3)
    heard = Tally(1_000, np.array([1_000]), np.array([400, 600]))
    most = 1_000 * turns * 2_000

    def told(homes):
        return finish_tallies(plan, Tallies(homes, {TallyKey(0, 0, 0, 1): heard})).homes

    assert told(1_000) == told(7) == 1_000
    assert told(most) == most
    with pytest.raises(ReportError, match=r"hushwatt.homes says that .* no more than 1,000 are heard"):
        told(most + 1)
