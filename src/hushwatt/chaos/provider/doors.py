"""Every way to an answer of one service, and whether all of them say the same.

The JSON of `/estimates` is the measure: files, pages and the command's own reading of the store
must show its numbers, and no others.
"""

import io
import json
import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.in_process_client import InProcessClient
from hushwatt.plan.plan import Plan
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
    by: str = ""  # labels, and commas between them

    def whole(self, plan: Plan) -> bool:
        """Whether it begins and ends where something that is published together does."""
        return plan.periods.first_of(self.first) == self.first and plan.periods.last_of(self.last) == self.last

    def words(self, client: InProcessClient) -> str:
        starts = (client.plan.calendar.start_of(slot) for slot in (self.first, self.last))
        first, last = (start.strftime("%Y-%m-%dT%H:%M:%SZ") for start in starts)
        return f"?from={first}&to={last}" + ("&smooth=true" if self.smooth else "")

    @property
    def labels(self) -> list[str]:
        return self.by.split(",") if self.by else []


def ask(client: InProcessClient, query: EstimatesQuery) -> Document:
    """The answer in JSON."""
    words = f"{query.words(client)}&consistency={query.consistency}&by={query.by}"
    answer: Document = client.get(f"/estimates{words}").json()
    return answer


def refuse(client: InProcessClient, query: EstimatesQuery) -> None:
    """Every door refuses a part of what is published together."""
    doors = [f"{client.path}/{name}" for name in ("estimates", "top", "slots", "export.csv")]
    for door in (*doors, "/top", "/series", "/times"):
        said = client.ask("GET", f"{door}{query.words(client)}")
        told = f"{door.replace(client.plan.id, '…')} was answered {said.status} for a part of a period"
        expect(400 <= said.status < 500 and b"is within a period" in said.body, told)


def compare(client: InProcessClient, query: EstimatesQuery, document: Document, folder: Path) -> None:
    """Find the same numbers behind every other door."""
    document = {key: value for key, value in document.items() if key != "not_yet"}
    _command(client, query, document, folder)
    document.pop("groups", None)  # the other doors know no labels
    _files(client, query, document)
    _top(client, query, document)
    if query.consistency == "norm-sub" and document["top"]:
        _pages(client, query, document)


def shared(client: InProcessClient) -> list[tuple[EstimatesQuery, Document]]:
    """What homes may fetch, range by range: the numbers of the answer for the same time, and nothing besides."""
    said = client.ask("GET", f"{client.path}/results")
    expect(said.status == 200, f"homes that ask for results were answered {said.status}")
    again = client.ask("GET", f"{client.path}/results?home=1", headers=[("Cookie", "home=1")])
    expect(again.body == said.body, "homes that ask for results are told different things")
    found = []
    for result in said.json()["results"]:
        query = EstimatesQuery(result["slot"], result["slot"] + result["slots"] - 1)
        _shared_range(client, query, result)
        found.append((query, result))
    return found


def _shared_range(client: InProcessClient, query: EstimatesQuery, result: Document) -> None:
    expect(query.whole(client.plan), "homes are told of a part of a period")
    document = ask(client, query)
    expect(result["homes"] == document["homes"], "homes are told of another number of homes")
    for name in client.plan.names:
        here, theirs = result["appliances"].get(name), document["appliances"].get(name)
        numbers = {key: value for key, value in (here or {}).items() if key != "counted"}
        expect((here is None) == (theirs is None), f"{name} is told at one door only")
        expect(numbers.items() <= (theirs or {}).items(), "what homes may fetch differs from the answer")


def _files(client: InProcessClient, query: EstimatesQuery, document: Document) -> None:
    from pyarrow import csv, parquet

    words = f"{query.words(client)}&consistency={query.consistency}"
    readers: dict[str, Callable[[bytes], Any]] = {
        "json": json.loads,
        "csv": lambda body: csv.read_csv(io.BytesIO(body)).to_pylist(),
        "parquet": lambda body: parquet.read_table(io.BytesIO(body)).to_pylist(),
    }
    for form, reader in readers.items():
        answer = reader(client.get(f"/export.{form}{words}").body)
        if form == "json":
            expect(answer == document, "export.json differs from the answer")
        else:
            shown = {
                (row["slot"], row["appliance"], row["level"]): tuple(row[name] for name in NUMBERS) for row in answer
            }
            expect(shown == _cells(client, document), f"export.{form} differs from the answer")


def _cells(client: InProcessClient, document: Document) -> dict[tuple[int, str, int], tuple[float | None, ...]]:
    """The numbers of a document as the rows of a table have them."""
    return {
        (slot["slot"], appliance.name, level): _numbers(slot.get("appliances", {}).get(appliance.name), level)
        for slot in document["slots"]
        for appliance in client.plan.appliances
        for level in range(appliance.levels)
    }


def _numbers(here: Document | None, level: int) -> tuple[float | None, ...]:
    if not here:
        return (None,) * len(NUMBERS)
    return here["levels"][level], here["se"][level], *here["ci95"][level], here["mean_watts"], here["mean_watts_se"]


def _command(client: InProcessClient, query: EstimatesQuery, document: Document, folder: Path) -> None:
    """What `hushwatt provider export` writes, from a store of its own opening."""
    with closing(open_store(client.config.store_address)) as database:
        read = open_reader(client.config, database)
        answer = read.estimates(client.plan, query.first, query.last, query.consistency, query.smooth, by=query.labels)
        export(answer, folder / "export.json")
    expect(json.loads((folder / "export.json").read_text()) == document, "the command's export differs")


def _top(client: InProcessClient, query: EstimatesQuery, document: Document) -> None:
    answer = client.get(f"/top{query.words(client)}&k=1000").json()
    expect(answer["top"] == document["top"], "/top ranks otherwise than the answer")
    if query.consistency == "norm-sub":
        ranked = {name: document["appliances"][name] for name in document["top"]}
        expect(answer["appliances"] == ranked, "/top differs from the answer")


def _pages(client: InProcessClient, query: EstimatesQuery, document: Document) -> None:
    """The numbers in the charts of the pages."""
    periods = [document["appliances"][name] for name in document["top"]]
    (top,) = _charts(client, f"/top{query.words(client)}&k=1000")
    expect(top["data"][0]["x"] == [each["mean_watts"] for each in periods], "the page Top differs")
    reach = [each["ci95"][1] - each["mean_watts"] for each in periods]
    expect(top["data"][0]["error_x"]["array"] == reach, "an interval on the page Top differs")
    for chart in _charts(client, f"/shares{query.words(client)}"):  # none when there are no shares
        shares = [100 * each["share"] for each in periods if each["share"] is not None]
        expect(chart["data"][0]["x"] == shares, "the page Shares differs")
    name = document["top"][-1]
    (levels,) = _charts(client, f"/levels{query.words(client)}&appliance={quote(name)}")
    expect(levels["data"][0]["y"] == document["appliances"][name]["levels"], "the page Levels differs")
    _over_time(client, query, document, name)


def _over_time(client: InProcessClient, query: EstimatesQuery, document: Document, name: str) -> None:
    plan = client.plan
    answers = {slot["slot"]: slot.get("appliances", {}).get(name) for slot in document["slots"]}
    known = {slot: here for slot, here in answers.items() if here}
    (series,) = _charts(client, f"/series{query.words(client)}&appliance={quote(name)}")
    (line,) = [trace for trace in series["data"] if trace.get("name") == formatting.title(name)]
    shown = [(y, *limits[:2]) for y, limits in zip(line["y"], line["customdata"], strict=True) if limits[0]]
    told_so = [(here["mean_watts"], *_limits(here)) for here in known.values()]
    expect(shown == told_so, "the page Over time differs")
    (heat,) = _charts(client, f"/times{query.words(client)}")
    texts = {text for trace in heat["data"] for text in trace["hovertext"] if text.startswith(formatting.title(name))}
    tiles = {
        f"{formatting.title(name)}, {formatting.slot_name(plan, slot)}<br>{formatting.watts_with_interval(*numbers)}"
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
