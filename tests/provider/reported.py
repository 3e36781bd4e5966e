"""All reports of a small fleet, of every method, and their tallies found the slow way."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hushwatt.fleet.provider_decisions import DecisionState, report_rounds
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import report
from hushwatt.privacy.entropy import Simulation
from hushwatt.provider.tally.tally import TallyKey, tally_rows
from hushwatt.wire.payload import Layout
from hushwatt.wire.reports.schema import ReportBatch, report_schema

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


def reported(plan_of, method, decision, asked, **fields):
    """The plan and all reports of a small fleet, as one batch in the order of the table."""
    plan = plan_of(*WIDTHS, method=method, decision=decision, appliances_per_report=asked, **fields)
    return plan, joined(sent_by(plan))


def sent_by(plan):
    """What a fleet sends whose levels change in slot 5."""
    source = Simulation(7, plan.id)
    homes = enrol(plan, HOMES, 0, source)
    decided = DecisionState.start(plan, HOMES) if plan.decision == "provider" else None
    for slot in range(SLOTS):
        levels = np.full((HOMES, len(WIDTHS)), slot // 5, dtype=np.uint16)
        if decided is None:
            yield report(homes, slot, levels, source)
        else:
            yield from report_rounds(homes, decided, slot, levels, source)


def joined(sent):
    sent = list(sent)
    columns = [
        np.concatenate([getattr(each, name) for each in sent]) for name in ("homes", "spent", "drawn", "payloads")
    ]
    slot, round_ = (
        np.repeat([getattr(s, name) for s in sent], [len(s.homes) for s in sent]) for name in ("slot", "round")
    )
    order = np.lexsort((round_, columns[0], slot))
    who, spent, drawn, payloads = (column[order] for column in columns)
    households = pa.array([f"home {home:02}" for home in who])
    return ReportBatch(households, slot[order].astype(np.int32), round_[order].astype(np.int8), spent, drawn, payloads)


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


def plainly(groups):
    return {key: (t.rows, t.reports.tolist(), t.counts.tolist()) for key, t in groups.items()}


def saved(plan, path, batch, rows=None, homes=HOMES, group=None):
    """Some reports of a batch as a file, in the order of `rows`."""
    batch = batch if rows is None else batch.taken(np.asarray(rows, dtype=np.intp))
    numbers = (pa.array(column) for column in (batch.slot, batch.round, batch.spent, batch.drawn))
    payloads = pa.array([payload.tobytes() for payload in batch.payloads], pa.binary())
    table = pa.Table.from_arrays([batch.households, *numbers, payloads], schema=report_schema(plan, homes))
    pq.write_table(table, path, row_group_size=group)
    return path


def changed(batch):
    """The same reports with other bytes, as nobody should send them."""
    return ReportBatch(batch.households, batch.slot, batch.round, batch.spent, batch.drawn, batch.payloads[::-1])


def twice(batch):
    """Two batches, one after the other, in one."""
    return ReportBatch(
        pa.concat_arrays([batch.households, changed(batch).households]),
        *(
            np.concatenate([getattr(batch, name), getattr(changed(batch), name)])
            for name in ("slot", "round", "spent", "drawn", "payloads")
        ),
    )


def damaged_files(plan, batch, folder):
    """Files and folders that must be refused, each with the words that tell why."""
    found = {}

    def bad(name, said, path=None):
        path = path or folder / f"{name}.parquet"
        found[name] = path, said
        return path

    path = saved(plan, bad("rotten", "row group 3 of 5: column payload is damaged"), batch, group=40)
    chunk = pq.read_metadata(path).row_group(2).column(5)
    content = bytearray(path.read_bytes())
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    content[start : start + 12] = b"\xff" * 12
    path.write_bytes(content)
    whole = saved(plan, bad("flipped", "row group 1 of 1: column payload is damaged"), batch)
    pq.write_table(pq.read_table(whole), whole, compression="none", write_page_checksum=True, use_dictionary=False)
    content = bytearray(whole.read_bytes())
    content[content.index(batch.payloads[77].tobytes())] ^= 1
    whole.write_bytes(content)
    content = saved(plan, bad("cut", "not a Parquet file, or not a complete one"), batch).read_bytes()
    (folder / "cut.parquet").write_bytes(content[: len(content) // 2])
    older = pq.read_table(saved(plan, bad("no-round", "column round: not there"), batch)).drop_columns("round")
    pq.write_table(older, folder / "no-round.parquet")
    table = pq.read_table(saved(plan, bad("amounts", "column drawn: double, not int64"), batch))
    place = table.schema.get_field_index("drawn")
    pq.write_table(table.set_column(place, "drawn", table["drawn"].cast("double")), folder / "amounts.parquet")
    untold = pq.read_table(saved(plan, bad("untold", "no hushwatt.plan in it"), batch))
    pq.write_table(untold.replace_schema_metadata({}), folder / "untold.parquet")
    short = batch.taken(np.arange(len(batch)))
    short.drawn[17] = -1
    saved(plan, bad("negative", "row 18: spent and drawn cannot be negative"), short)
    mixed = bad("mixed", f"other.parquet: reports of the plan {'0' * 12}…, not of {plan.id[:12]}…", folder / "mixed")
    mixed.mkdir()
    saved(plan, mixed / "a.parquet", batch)
    other = pq.read_table(mixed / "a.parquet").replace_schema_metadata(
        {**report_schema(plan, 9).metadata, b"hushwatt.plan": "0" * 64}
    )
    pq.write_table(other, mixed / "other.parquet")
    bad("empty", "there is no Parquet file in this folder", folder / "empty").mkdir()
    bad("nowhere", "there is no such file or folder")
    return found


def arrow(batch, size):
    """Reports as Spark hands them over: wide integers, and where each stands."""
    numbers = (pa.array(column, pa.int64()) for column in (batch.slot, batch.round, batch.spent, batch.drawn))
    columns = [
        batch.households,
        *numbers,
        pa.array([payload.tobytes() for payload in batch.payloads]),
        pa.array(["reports.parquet"] * len(batch)),
        pa.array(range(len(batch))),
    ]
    names = ["household", "slot", "round", "spent", "drawn", "payload", "file", "row"]
    whole = pa.RecordBatch.from_arrays(columns, names)
    return [whole.slice(start, size) for start in range(0, len(batch), size)]
