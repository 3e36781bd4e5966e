"""Reports become tallies: right keys, nothing lost, wherever the table is cut."""

from functools import cache
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushwatt.errors import ReportError
from hushwatt.fleet.decided import Decided, report_rounds
from hushwatt.household.homes import enrol
from hushwatt.household.report import report
from hushwatt.privacy.entropy import Simulation
from hushwatt.provider.tally import (
    Tallies,
    Tally,
    TallyKey,
    check_amounts,
    groups,
    tally_batches,
    tally_reports,
    tally_rows,
    with_repeats,
)
from hushwatt.wire.payload import Layout
from hushwatt.wire.table import ReportBatch, ReportWriter

HOMES, SLOTS = 20, 9
WIDTHS = (8, 8, 8, 8, 8, 8, 8, 8)  # 64 bits: two draws alike are never chance
KINDS = [  # method, who decides, appliances per report
    ("lbu", None, 8),
    ("lbu", None, 2),
    ("lsp", None, 8),
    ("lsp", None, 3),
    ("lpu", None, 8),
    ("lbd", "household", 8),
    ("lba", "household", 8),
    ("lbd", "provider", 8),
    ("lba", "provider", 5),
]

cuts = st.lists(st.integers(0, 2 * HOMES * SLOTS), max_size=8)


@pytest.fixture(scope="module")
def table(plan_of):
    """The plan and all reports of a small fleet, as one batch in the order of the table."""

    @cache
    def made(method, decision, asked):
        plan = plan_of(*WIDTHS, method=method, decision=decision, appliances_per_report=asked)
        return plan, joined(sent_by(plan))

    return made


def sent_by(plan):
    """What a fleet sends whose levels change in slot 5."""
    source = Simulation(7, plan.id)
    homes = enrol(plan, HOMES, 0, source)
    decided = Decided.start(plan, HOMES) if plan.decision == "provider" else None
    for slot in range(SLOTS):
        levels = np.full((HOMES, len(WIDTHS)), slot // 5, dtype=np.uint16)
        if decided is None:
            yield report(homes, slot, levels, source)
        else:
            yield from report_rounds(homes, decided, slot, levels, source)


def joined(sent):
    sent = list(sent)
    columns = [
        np.concatenate([getattr(each, name) for each in sent])
        for name in ("homes", "spent", "drawn", "payloads")
    ]
    slot, round_ = (
        np.repeat([getattr(s, name) for s in sent], [len(s.homes) for s in sent])
        for name in ("slot", "round")
    )
    order = np.lexsort((round_, columns[0], slot))
    who, spent, drawn, payloads = (column[order] for column in columns)
    households = pa.array([f"home {home:02}" for home in who])
    return ReportBatch(
        households, slot[order].astype(np.int32), round_[order].astype(np.int8), spent, drawn, payloads
    )


def part(batch, rows):
    """Some rows of a batch."""
    names = ("slot", "round", "spent", "drawn", "payloads")
    return ReportBatch(
        batch.households.take(pa.array(np.arange(len(batch))[rows])),
        *(getattr(batch, n)[rows] for n in names),
    )


def one_by_one(plan, batch):
    """The same tallies by looking at each report's bytes: it is fresh when they differ from the last ones."""
    layout, last, found = Layout.of(plan), {}, {}
    for row, household in enumerate(batch.households.to_pylist()):
        slot, round_, payload = int(batch.slot[row]), int(batch.round[row]), batch.payloads[row]
        if round_ == 1 or last.get(household, (None, None))[0] != payload.tobytes():
            as_of = slot
        else:
            as_of = last[household][1]
        if round_ == 0:
            last[household] = (payload.tobytes(), as_of)
        key = TallyKey(slot, round_, as_of, int(batch.drawn[row]))
        found.setdefault(key, []).append(tally_rows(layout, payload[None]))
    return {key: sum(tallies[1:], start=tallies[0]) for key, tallies in found.items()}


def added(plan, batches):
    tallies = Tallies(HOMES, {})
    for key, tally in tally_batches(plan, batches):
        tallies.add(key, tally)
    return tallies.groups


def plainly(groups):
    return {key: (t.rows, t.reports.tolist(), t.counts.tolist()) for key, t in groups.items()}


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

        assert set(added(plan, [batch])) == {
            TallyKey(slot, 0, slot - slot % 3, 4_000_000) for slot in range(SLOTS)
        }

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
        tallies = Tallies(
            9, {**dict.fromkeys(keys, one), TallyKey(1, 0, 1, 4): one, TallyKey(4, 0, 4, 4): other}
        )

        groups = with_repeats(plan, tallies).groups

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

        assert set(with_repeats(plan_of(2, method=method), tallies).groups) == {TallyKey(0, 0, 0, 4)}


class TestGroups:
    """Rows are grouped by slot, round, slot of drawing and budget."""

    rows = st.lists(st.tuples(*[st.integers(0, 2)] * 4), max_size=30)

    @given(rows=rows)
    def test_every_row_is_in_the_group_of_its_numbers(self, rows):
        """Each key comes once and holds exactly the rows that have its numbers."""
        columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T

        found = [(key, np.arange(len(rows))[here].tolist()) for key, here in groups(*columns)]

        expected = {
            TallyKey(*row): [place for place, other in enumerate(rows) if other == row] for row in rows
        }
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

        with pytest.raises(ReportError, match="payload"):
            added(
                plan,
                [ReportBatch(batch.households, batch.slot, batch.round, batch.spent, batch.drawn, payloads)],
            )
        with pytest.raises(ReportError, match="drawn is 0"):
            added(
                plan,
                [ReportBatch(batch.households, batch.slot, batch.round, batch.spent, drawn, batch.payloads)],
            )
