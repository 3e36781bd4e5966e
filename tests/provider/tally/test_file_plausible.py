"""Files are held to the amounts and numbers of ones that uploads are held to, at every door."""

import numpy as np
import pyarrow as pa
import pytest
from tests.provider.delivering import Depot
from tests.provider.reported import HOMES, KINDS, arrow, part, plainly, reported, saved

from hushwatt.errors import ReportError
from hushwatt.privacy.influence import smallest_budget
from hushwatt.provider.tally.engines import arrow_tally, tally_reports
from hushwatt.provider.tally.engines.tally_arrow import decode_tallies
from hushwatt.provider.tally.tally import finish_tallies
from hushwatt.wire.payload import Layout
from hushwatt.wire.reports.schema import ReportBatch

kinds = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(map(str, kind)))


def those_of(batch, name):
    return np.flatnonzero(np.asarray(batch.households.to_pylist()) == name)


def with_amounts(batch, rows, drawn):
    """The same, where some rows claim to be drawn with another budget."""
    fresh = rows[batch.spent[rows] >= batch.drawn[rows]]
    spent, claimed = batch.spent.copy(), batch.drawn.copy()
    spent[fresh] += drawn - claimed[fresh]
    claimed[rows] = drawn
    return ReportBatch(batch.households, batch.slot, batch.round, spent, claimed, batch.payloads)


def by_spark(plan, batch):
    parcels = arrow_tally.tally_sorted(plan, iter(arrow(batch, size=7)))
    return decode_tallies(row for parcel in parcels for row in parcel.to_pylist())


@kinds
@pytest.mark.parametrize("backwards", [False, True])
def test_too_small_a_budget(kind, backwards, plan_of, tmp_path):
    """A home that claims to have drawn with a millionth would count as a million homes: it counts as none."""
    plan, batch = reported(plan_of, *kind)
    rows = those_of(batch, "home 03")
    forged = with_amounts(batch, rows, 1)
    order = np.arange(len(batch))[:: -1 if backwards else 1]
    clean = saved(plan, tmp_path / "clean.parquet", part(batch, np.setdiff1d(np.arange(len(batch)), rows)))

    found = tally_reports(plan, saved(plan, tmp_path / "forged.parquet", forged, order))
    there, (note,) = by_spark(plan, forged)

    assert found.refused == note.refused == {"wrong_amount": len(rows)}
    assert plainly(found.groups) == plainly(tally_reports(plan, clean).groups)
    assert plainly(finish_tallies(plan, there).groups) == plainly(found.groups)


@kinds
def test_honest_homes_are_counted_whole(kind, plan_of, tmp_path):
    """Nothing is refused of homes that follow the plan, whoever decides."""
    for oracle in ("oue", "sue", "grr"):
        plan, batch = reported(plan_of, *kind, oracle=oracle)

        found = tally_reports(plan, saved(plan, tmp_path / "clean.parquet", batch))

        assert not found.refused
        assert batch.drawn.min() >= smallest_budget(plan)


@pytest.mark.parametrize("kind", [("lbu", None, 8), ("lpu", None, 2), ("lbd", "household", 8)])
def test_too_many_ones(kind, plan_of, tmp_path):
    """A number of ones that chance does not allow is refused; ingesting the same file refuses as much."""
    plan, batch = reported(plan_of, *kind, epsilon=60_000_000, window=1 if kind[0] == "lbu" else 3)
    rows, layout = those_of(batch, "home 03"), Layout.of(plan)
    payloads = batch.payloads.copy()
    for place, after in zip(layout.places, layout.places[1:], strict=False):
        bits = np.unpackbits(payloads, axis=1, bitorder="little")
        bits[np.ix_(rows, np.arange(place + layout.number_bits, after))] = 1
        payloads = np.packbits(bits, axis=1, bitorder="little")
    forged = ReportBatch(batch.households, batch.slot, batch.round, batch.spent, batch.drawn, payloads)
    path, depot = saved(plan, tmp_path / "forged.parquet", forged), Depot(tmp_path / "store.sqlite", plan)

    found, (note,) = tally_reports(plan, path), by_spark(plan, forged)[1]
    ingested = depot.take(path)
    depot.close()

    assert found.refused == note.refused == ingested.rejected == {"wrong_payload": len(rows)}
    assert sum(tally.rows for tally in found.groups.values()) == ingested.accepted


def test_a_file_of_nothing_else(plan_of, tmp_path):
    """Files whose every report is refused add up to nothing, and say so."""
    for kind in (("lpu", None, 8), ("lbu", None, 8), ("lbd", "household", 8)):
        plan, batch = reported(plan_of, *kind)
        forged = with_amounts(batch, np.arange(len(batch)), 1)

        found = tally_reports(plan, saved(plan, tmp_path / "forged.parquet", forged))

        assert not found.groups
        assert found.refused == {"wrong_amount": len(batch)}


def test_the_rest_of_a_piece_that_repeats(plan_of, tmp_path):
    """A whole batch of repeats is counted as such, though nothing of it is left."""
    plan, batch = reported(plan_of, "lpu", None, 8)
    doubled = ReportBatch(
        pa.concat_arrays([batch.households[:1], batch.households[:1]]),
        *(getattr(batch, name)[[0, 0]] for name in ("slot", "round", "spent", "drawn", "payloads")),
    )
    path = saved(plan, tmp_path / "twice.parquet", doubled, homes=HOMES, group=1)

    assert tally_reports(plan, path).repeats == 1


@pytest.mark.parametrize("kind", [("lpu", None, 8), ("lbu", None, 2), ("lbu", None, 8), ("lbd", "household", 8)])
def test_wrong_rows_are_named_in_any_order(kind, plan_of, tmp_path):
    """A row that no report can be is an error with its file and row, also when files come backwards."""
    plan, batch = reported(plan_of, *kind)
    batch = batch.taken(np.arange(len(batch)))
    batch.drawn[2] = plan.epsilon + 1
    for piece in range(12):
        saved(plan, tmp_path / f"{11 - piece:02}.parquet", batch, np.arange(5 * piece, 5 * piece + 5))

    with pytest.raises(ReportError, match=r"11\.parquet, row 3: drawn is"):
        tally_reports(plan, tmp_path)


@pytest.mark.parametrize("kind", [("lpu", None, 8), ("lbu", None, 2), ("lbd", "household", 8)])
def test_no_fewer_homes_than_were_heard(kind, plan_of, tmp_path):
    """A file may tell of more homes than it has reports of, not of fewer."""
    plan, batch = reported(plan_of, *kind)

    few = tally_reports(plan, saved(plan, tmp_path / "few.parquet", batch, homes=1))
    many = tally_reports(plan, saved(plan, tmp_path / "many.parquet", batch, homes=3 * HOMES))

    assert few.homes == HOMES
    assert many.homes == 3 * HOMES
