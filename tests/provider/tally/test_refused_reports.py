"""What is refused is named: every report of it, once, where it stands and why, and nothing else."""

from collections import Counter

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.provider.reported import HOMES, KINDS, part, plainly, reported, saved
from tests.provider.tally.test_file_plausible import those_of, with_amounts

from hushwatt.provider.tally.engines import tally_reports
from hushwatt.provider.tally.refused_reports import refused_reports
from hushwatt.wire.reports import report_files

kinds = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(map(str, kind)))


def refused(plan, folder):
    """Every refused row by file and number, and why."""
    found = {}
    for each in refused_reports(plan, report_files(plan, folder)):
        for row, reason in zip(each.rows.tolist(), each.reasons, strict=True):
            assert (each.file, row) not in found
            found[each.file.rpartition("/")[2], row] = reason
    return found


@kinds
@pytest.mark.parametrize("shuffled", [False, True])
def test_rows_of_wrong_amounts(kind, shuffled, plan_of, tmp_path):
    """They are the rows that were forged, in whatever order they lie, and in whichever file."""
    plan, batch = reported(plan_of, *kind)
    forged = with_amounts(batch, those_of(batch, "home 03"), 1)
    order = np.random.default_rng(3).permutation(len(batch)) if shuffled else np.arange(len(batch))
    cut = len(order) // 3
    saved(plan, tmp_path / "a.parquet", forged, order[:cut], group=7)
    saved(plan, tmp_path / "b.parquet", forged, order[cut:], group=50)
    lies = [("a.parquet", row) if row < cut else ("b.parquet", row - cut) for row in range(len(order))]
    expected = {lies[row] for row in np.flatnonzero(forged.drawn[order] == 1)}

    found = refused(plan, tmp_path)

    assert set(found) == expected
    assert Counter(found.values()) == tally_reports(plan, tmp_path).refused


@pytest.mark.parametrize("backwards", [False, True])
def test_rows_out_of_turn(backwards, plan_of, tmp_path):
    """A home that speaks in every slot is named in those that are not its own; a repeat of one is not named again."""
    plan, batch = reported(plan_of, "lpu", None, 8)
    row = those_of(batch, "home 03")[:1]
    more = [part(batch, row) for _ in range(2)]
    for each in more:
        each.slot[:] = batch.slot[row] + 1
    saved(plan, tmp_path / "a.parquet", batch)
    for name, each in zip("bc", more, strict=True):
        saved(plan, tmp_path / f"{name}.parquet", each)
    if backwards:
        saved(plan, tmp_path / "a.parquet", batch, np.arange(len(batch))[::-1])

    assert refused(plan, tmp_path) == {("b.parquet", 0): "out_of_turn"}
    assert tally_reports(plan, tmp_path).refused == {"out_of_turn": 1}


@kinds
@pytest.mark.parametrize("backwards", [False, True])
def test_the_first_of_a_report_tells(kind, backwards, plan_of, tmp_path):
    """A wrong report after a right one is a repeat, a right one after a wrong one too, however the files lie."""
    plan, batch = reported(plan_of, *kind)
    rows = those_of(batch, "home 03")
    saved(plan, tmp_path / "a.parquet", batch, np.arange(len(batch))[:: -1 if backwards else 1])
    saved(plan, tmp_path / "b.parquet", with_amounts(batch, rows, 1), rows)
    right, honest = refused(plan, tmp_path), tally_reports(plan, tmp_path)
    (tmp_path / "b.parquet").rename(tmp_path / "0.parquet")
    wrong, forged = refused(plan, tmp_path), tally_reports(plan, tmp_path)
    saved(plan, tmp_path / "0.parquet", part(batch, np.setdiff1d(np.arange(len(batch)), rows)))
    (tmp_path / "a.parquet").unlink()

    assert right == {}
    assert (honest.refused, honest.repeats) == (Counter(), len(rows))
    assert set(wrong) == {("0.parquet", row) for row in range(len(rows))}
    assert (forged.refused, forged.repeats) == (Counter(wrong.values()), len(rows))
    assert plainly(forged.groups) == plainly(tally_reports(plan, tmp_path).groups)


def test_nothing_is_refused_of_honest_homes(plan_of, tmp_path):
    """Files as they should be name nothing."""
    plan, batch = reported(plan_of, *KINDS[3])
    saved(plan, tmp_path / "a.parquet", batch)

    assert refused(plan, tmp_path) == {}


def test_the_command_keeps_them(plan_of, tmp_path, hushwatt):
    """--rejected is a table of reports with three more columns, and changes no number."""
    plan, batch = reported(plan_of, *KINDS[0])
    (tmp_path / "plan.toml").write_text(plan.toml())
    saved(plan, tmp_path / "a.parquet", with_amounts(batch, those_of(batch, "home 03"), 1))
    plain = hushwatt("estimate", "plan.toml", "a.parquet", "--json")
    run = hushwatt("estimate", "plan.toml", "a.parquet", "--json", "--rejected", "no.parquet")
    wrong = hushwatt("estimate", "plan.toml", "a.parquet", "--rejected", "no.txt")
    table = pq.read_table(tmp_path / "no.parquet")

    assert run.stdout == plain.stdout
    assert "wrote 9 refused reports to no.parquet" in run.stderr
    assert table.column_names[6:] == ["file", "row", "reason"]
    assert table["row"].to_pylist() == (those_of(batch, "home 03") + 1).tolist()
    assert set(table["reason"].to_pylist()) == {"wrong_amount"}
    assert report_files(plan, tmp_path / "no.parquet")[0].homes == HOMES
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
