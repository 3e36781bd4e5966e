"""Which reports are refused, by functions that another engine hosts, is what this machine's engine says."""

import numpy as np
import pyarrow as pa
import pytest
from tests.provider.reported import KINDS, arrow, reported, saved
from tests.provider.tally.test_file_plausible import those_of, with_amounts

from hushwatt.provider.tally.engines.arrow_refused import (
    decode_suspects,
    rows_of_suspects,
    suspect_rows_of,
    suspects_in_partition,
)
from hushwatt.provider.tally.refused_reports import Suspects, first_times, refused_reports
from hushwatt.wire.reports import report_files


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(map(str, kind)))
def test_rows_that_say_where_they_stand(kind, plan_of, tmp_path):
    """Batches of rows name the reports that files name, each once, with the same columns."""
    plan, batch = reported(plan_of, *kind)
    forged = with_amounts(batch, those_of(batch, "home 03"), 1)
    forged.slot[-1] -= 1  # the last home speaks twice in the slot before, or out of turn
    order = np.lexsort((forged.round, forged.households.to_numpy(zero_copy_only=False), forged.slot))
    forged = forged.taken(order)
    saved(plan, tmp_path / "reports.parquet", forged)

    def batches():
        return (part.rename_columns([*part.schema.names[:6], "folded", "row"]) for part in arrow(forged, size=7))

    packed = [row for found in suspects_in_partition(plan, batches()) for row in found["suspects"].to_pylist()]
    suspects = Suspects.merged(map(decode_suspects, packed))
    rows = pa.Table.from_batches(rows_of_suspects(plan, suspects, batches())).to_pylist()
    found = list(first_times(suspects, [suspect_rows_of("reports.parquet", rows)]))
    expected = list(refused_reports(plan, report_files(plan, tmp_path / "reports.parquet")))

    assert plain(found) == plain(expected)
    assert len(plain(found)) >= len(those_of(batch, "home 03"))


def plain(refused):
    """Every row of it, with its columns."""
    return [
        (row, household, slot, round_, spent, drawn, payload.tobytes(), reason)
        for each in refused
        for row, household, slot, round_, spent, drawn, payload, reason in zip(
            each.rows.tolist(),
            each.batch.households.to_pylist(),
            *(getattr(each.batch, name).tolist() for name in ("slot", "round", "spent", "drawn")),
            each.batch.payloads,
            each.reasons,
            strict=True,
        )
    ]


def test_nothing_is_suspected(plan_of):
    """Honest reports give no row."""
    plan, batch = reported(plan_of, *KINDS[0])

    assert list(rows_of_suspects(plan, Suspects.merged([]), iter(arrow(batch, size=7)))) == []
