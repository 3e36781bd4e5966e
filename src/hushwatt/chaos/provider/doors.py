"""Every way to an answer of one service, and whether all of them say the same.

The JSON of `/estimates` is the measure: files, pages and the command's own reading of the store
must show its numbers, and no others.
"""

import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.in_process_client import InProcessClient
from hushwatt.provider.dashboard import formatting
from hushwatt.provider.dashboard.page_context import NOT_SMOOTHED
from hushwatt.provider.estimate.export import export
from hushwatt.provider.estimate.intervals import Z95
from hushwatt.provider.service.service import open_reader
from hushwatt.provider.store import open_store

Document = dict[str, Any]
CHART = re.compile(rb'<script type="application/json" id="[^"]*">(.*?)</script>', re.DOTALL)
NUMBERS = ("homes", "homes_se", "homes_low", "homes_high", "mean_watts", "mean_watts_se")


@dataclass(frozen=True)
class EstimatesQuery:
    """What is asked: a stretch of slots, and how they are shown."""

    first: int
    last: int
    consistency: str = "norm-sub"
    smooth: bool = False

    def words(self, client: InProcessClient) -> str:
        starts = (client.plan.calendar.start_of(slot) for slot in (self.first, self.last))
        first, last = (start.strftime("%Y-%m-%dT%H:%M:%SZ") for start in starts)
        return f"?from={first}&to={last}" + ("&smooth=true" if self.smooth else "")


def ask(client: InProcessClient, question: EstimatesQuery) -> Document:
    """The answer in JSON."""
    found: Document = client.get(
        f"/estimates{question.words(client)}&consistency={question.consistency}"
    ).json()
    return found


def compare(client: InProcessClient, question: EstimatesQuery, told: Document, folder: Path) -> None:
    """Find the same numbers behind every other door."""
    told = {key: value for key, value in told.items() if key != "not_yet"}
    _files(client, question, told)
    _command(client, question, told, folder)
    _top(client, question, told)
    if question.consistency == "norm-sub" and told["top"]:
        _pages(client, question, told)


def _files(client: InProcessClient, question: EstimatesQuery, told: Document) -> None:
    from pyarrow import csv, parquet

    words = f"{question.words(client)}&consistency={question.consistency}"
    readers: dict[str, Callable[[bytes], Any]] = {
        "json": json.loads,
        "csv": lambda body: csv.read_csv(io.BytesIO(body)).to_pylist(),
        "parquet": lambda body: parquet.read_table(io.BytesIO(body)).to_pylist(),
    }
    for form, reader in readers.items():
        found = reader(client.get(f"/export.{form}{words}").body)
        if form == "json":
            expect(found == told, "export.json differs from the answer")
        else:
            shown = {
                (row["slot"], row["appliance"], row["level"]): tuple(row[name] for name in NUMBERS)
                for row in found
            }
            expect(shown == _cells(client, told), f"export.{form} differs from the answer")


def _cells(client: InProcessClient, told: Document) -> dict[tuple[int, str, int], tuple[float | None, ...]]:
    """The numbers of a document as the rows of a table have them."""
    cells: dict[tuple[int, str, int], tuple[float | None, ...]] = {}
    for slot in told["slots"]:
        for appliance in client.plan.appliances:
            here = slot.get("appliances", {}).get(appliance.name)
            for level in range(appliance.levels):
                cells[slot["slot"], appliance.name, level] = (
                    (
                        here["levels"][level],
                        here["se"][level],
                        *here["ci95"][level],
                        here["mean_watts"],
                        here["mean_watts_se"],
                    )
                    if here
                    else (None,) * len(NUMBERS)
                )
    return cells


def _command(client: InProcessClient, question: EstimatesQuery, told: Document, folder: Path) -> None:
    """What `hushwatt provider export` writes, from a store of its own opening."""
    database = open_store(client.config.store_address)
    try:
        read = open_reader(client.config, database)
        found = read.estimates(
            client.plan, question.first, question.last, question.consistency, question.smooth
        )
        export(found, folder / "export.json")
    finally:
        database.close()
    expect(json.loads((folder / "export.json").read_text()) == told, "the command's export differs")


def _top(client: InProcessClient, question: EstimatesQuery, told: Document) -> None:
    found = client.get(f"/top{question.words(client)}&k=1000").json()
    expect(found["top"] == told["top"], "/top ranks otherwise than the answer")
    if question.consistency == "norm-sub":
        ranked = {name: told["appliances"][name] for name in told["top"]}
        expect(found["appliances"] == ranked, "/top differs from the answer")


def _pages(client: InProcessClient, question: EstimatesQuery, told: Document) -> None:
    """The numbers in the charts of the pages."""
    periods = [told["appliances"][name] for name in told["top"]]
    (top,) = _charts(client, f"/top{question.words(client)}&k=1000")
    expect(top["data"][0]["x"] == [each["mean_watts"] for each in periods], "the page Top differs")
    reach = [each["ci95"][1] - each["mean_watts"] for each in periods]
    expect(top["data"][0]["error_x"]["array"] == reach, "an interval on the page Top differs")
    for chart in _charts(client, f"/shares{question.words(client)}"):  # none when there are no shares
        shares = [100 * each["share"] for each in periods if each["share"] is not None]
        expect(chart["data"][0]["x"] == shares, "the page Shares differs")
    name = told["top"][-1]
    (levels,) = _charts(client, f"/levels{question.words(client)}&appliance={quote(name)}")
    expect(levels["data"][0]["y"] == told["appliances"][name]["levels"], "the page Levels differs")
    _over_time(client, question, told, name)


def _over_time(client: InProcessClient, question: EstimatesQuery, told: Document, name: str) -> None:
    plan = client.plan
    answers = {slot["slot"]: slot.get("appliances", {}).get(name) for slot in told["slots"]}
    known = {slot: here for slot, here in answers.items() if here}
    (series,) = _charts(client, f"/series{question.words(client)}&appliance={quote(name)}")
    (line,) = [trace for trace in series["data"] if trace.get("name") == formatting.title(name)]
    shown = [(y, *limits[:2]) for y, limits in zip(line["y"], line["customdata"], strict=True) if limits[0]]
    told_so = [(here["mean_watts"], *_limits(here)) for here in known.values()]
    expect(shown == told_so, "the page Over time differs")
    (heat,) = _charts(client, f"/times{question.words(client)}")
    texts = {
        text
        for trace in heat["data"]
        for text in trace["hovertext"]
        if text.startswith(formatting.title(name))
    }
    tiles = {
        f"{formatting.title(name)}, {formatting.slot_name(plan, slot)}<br>"
        f"{formatting.watts_with_interval(*numbers)}"
        for slot, numbers in zip(known, told_so, strict=True)
    }
    told_there = {text.removesuffix(f", {NOT_SMOOTHED}") for text in texts if "\u202fW" in text}
    expect(told_there == tiles, "the page Heat map differs")


def _limits(here: Document) -> tuple[float, float]:
    """The 95 % interval of an appliance's watts in a slot."""
    if "mean_watts_ci95" in here:
        low, high = here["mean_watts_ci95"]
        return low, high
    reach = Z95 * here["mean_watts_se"]
    return here["mean_watts"] - reach, here["mean_watts"] + reach


def _charts(client: InProcessClient, target: str) -> list[Any]:
    said = client.ask("GET", target)
    expect(said.status == 200, f"a page was answered {said.status}")
    return [json.loads(chart) for chart in CHART.findall(said.body)]
