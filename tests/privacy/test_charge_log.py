"""The log of a ledger: the same sums as a plain list, in room that does not grow with equal slots."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushwatt.privacy import charge_log
from hushwatt.privacy.charge_log import Charge, ChargeLog, Run

HOMES, APPLIANCES, YEAR = 3, 4, 35_040

amounts = st.lists(st.sampled_from([0, 2, 2, 2, 5]), min_size=HOMES, max_size=HOMES) | st.just([2] * HOMES)
members = st.none() | st.lists(st.sampled_from([(0, 1), (2, 3), (0, 3)]), min_size=HOMES, max_size=HOMES)
charges = st.lists(st.tuples(st.integers(0, 2), amounts, members), max_size=20)


def charge_of(slot, paid, named):
    who = np.flatnonzero(paid).astype(np.int32)
    tables = None if named is None else np.array(named, dtype=np.uint16)[who]
    return Charge(slot, who, np.array(paid, dtype=np.int64)[who], tables)


def written(draws):
    """A log and the same in plain tuples: slot, home, amount, appliances."""
    log, plain, slot = ChargeLog.empty(HOMES), [], 0
    for later, paid, named in draws:
        slot += later
        if any(paid):
            log = log.added(charge_of(slot, paid, named))
        plain += [(slot, home, paid[home], named and named[home]) for home in range(HOMES) if paid[home]]
    return log, plain


def plainly(charges):
    return sorted(
        (one.slot, int(home), int(amount), str(None if one.members is None else tuple(one.members[place].tolist())))
        for one in charges
        for place, (home, amount) in enumerate(zip(one.homes, one.amounts, strict=True))
    )


def told(plain):
    return sorted((slot, home, amount, str(named)) for slot, home, amount, named in plain)


@settings(max_examples=200)
@given(draws=charges, slot=st.integers(-1, 42))
def test_a_log_is_its_charges(draws, slot):
    """What is in it, before a slot, in a slot and since, is what was charged."""
    log, plain = written(draws)
    late = [each for each in plain if each[0] >= slot]

    assert plainly(log.before(100)) == told(plain)
    assert plainly(log.before(slot)) == told(each for each in plain if each[0] < slot)
    assert plainly(log.in_slot(slot)) == told(each for each in plain if each[0] == slot)
    assert plainly(log.since(slot).before(100)) == told(late)
    assert log.spent(slot).tolist() == [sum(paid for _, who, paid, _ in late if who == home) for home in range(HOMES)]
    assert (log.since(slot).total == log.spent(slot)).all()
    assert log.last == max((at for at, *_ in plain), default=None)


@settings(max_examples=200)
@given(before=charges, after=charges, order=st.permutations(range(HOMES + 1)), slot=st.integers(0, 60))
def test_newcomers_and_another_order(before, after, order, slot):
    """A home that joins was charged nothing before, whichever runs go on; another order is the same log."""
    log, plain = written(before)
    joined, now = log.joined(1), 0 if log.last is None else log.last
    for later, paid, named in after:
        now += later
        everyone = [*paid, paid[0]]
        if any(everyone):
            joined = joined.added(charge_of(now, everyone, named and [*named, named[0]]))
        plain += [(now, home, paid, named and [*named, named[0]][home]) for home, paid in enumerate(everyone) if paid]
    moved = joined.reordered(np.array(order))
    late = [each for each in plain if each[0] >= slot]
    table = [[sum(paid for _, who, paid, named in plain if who == home and what in (named or range(APPLIANCES)))
              for what in range(APPLIANCES)] for home in range(HOMES + 1)]  # fmt: skip

    assert plainly(joined.before(1_000)) == told(plain)
    assert joined.spent(slot).tolist() == [sum(p for _, who, p, _ in late if who == home) for home in range(HOMES + 1)]
    assert moved.spent(slot).tolist() == joined.spent(slot)[order].tolist()
    assert joined.by_appliance(APPLIANCES).tolist() == table
    assert moved.by_appliance(APPLIANCES).tolist() == np.array(table)[order].tolist()


class TestRoom:
    """A year of quarter hours takes no more room than three slots where homes are charged alike."""

    def test_one_run(self):
        """Equal charges of everybody are one run, whose beginning is forgotten."""
        log = ChargeLog.empty(HOMES)
        for slot in range(2_000):
            log = log.since(slot - 999).added(charge_of(slot, [7] * HOMES, None))

        assert log.runs == (Run(1_000, 1_999, 7),)
        assert not len(log.lines)
        assert log.total.tolist() == [7_000] * HOMES

    def test_turns_of_appliances(self):
        """Appliances that come round are a few tables, not one for each slot."""
        log, tables = ChargeLog.empty(HOMES), [[(k, (k + 1) % 4)] * HOMES for k in range(4)]
        for slot in range(400):
            log = log.since(slot - 99).added(charge_of(slot, [7] * HOMES, tables[slot % 4]))

        assert (len(log.runs), len(log.pages), len(log.named)) == (1, 4, 0)
        assert log.by_appliance(APPLIANCES).tolist() == [[350] * 4] * HOMES

    def test_newcomers_take_no_new_tables(self):
        """Homes that join name their appliances in the same few tables."""
        log, tables = ChargeLog.empty(HOMES), [[(k, (k + 1) % 4)] * HOMES for k in range(4)]
        for slot in range(8):
            log = log.added(charge_of(slot, [7] * HOMES, tables[slot % 4]))
        log = log.joined(1)
        for slot in range(8, 16):
            log = log.added(charge_of(slot, [7] * (HOMES + 1), [*tables[slot % 4], (3, 0) if slot % 2 else (1, 2)]))

        assert (len(log.runs), len(log.pages), len(log.named)) == (1, 4, 0)
        assert log.by_appliance(APPLIANCES)[HOMES].tolist() == [28, 28, 28, 28]

    def test_one_line_for_each_home_that_speaks_once(self):
        """Homes that take turns have a line each."""
        log = ChargeLog.empty(HOMES)
        for slot in range(0, 5 * YEAR, 1_000):
            log = log.since(slot - YEAR + 1).added(
                charge_of(slot, [5 * (slot % 3_000 == 1_000 * k) for k in range(3)], None)
            )

        assert len(log.lines) <= YEAR // 1_000 + 1

    def test_tables_that_never_come_round(self, monkeypatch):
        """Where there are too many tables, each home has its own lines, and the sums are the same."""
        monkeypatch.setattr(charge_log, "MOST_PAGES", 2)
        draws = [(1, [2] * HOMES, [named] * HOMES) for named in [(0, 1), (2, 3), (0, 3), (0, 1), (0, 3)]]
        log, plain = written(draws)

        assert len(log.pages) == 2
        assert plainly(log.before(100)) == told(plain)


@pytest.mark.parametrize("slot, left", [(2, (4, 5, 6)), (5, (5, 6)), (7, ())])
def test_a_run_is_cut_by_slot(slot, left):
    """What of a run is over and what is not are its two parts."""
    run = Run(4, 6, 3, pages=(0, 1, 0))

    assert (run.since(slot).pages, run.before(slot).pages) == (run.pages[3 - len(left) :], run.pages[: 3 - len(left)])
    assert run.since(slot).last - run.since(slot).first + 1 == len(left) or not left
