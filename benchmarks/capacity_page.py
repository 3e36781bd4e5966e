"""docs/capacity.md and its plot, drawn from the figures in docs/capacity.json and docs/growth.json alone."""

import json
from collections.abc import Iterable
from math import ceil
from pathlib import Path
from typing import Any

from benchmarks import growth_table

Figure = dict[str, Any]
DOCS = Path(__file__).parents[1] / "docs"
FIGURES, PAGE, PLOT = DOCS / "capacity.json", DOCS / "capacity.md", DOCS / "images" / "capacity.png"
TEMPLATE = Path(__file__).with_name("capacity.template.md")

MILLION, BILLION = 1_000_000, 1_000_000_000
HOMES, SLOTS, SENDING = 30 * MILLION, 96, 225  # of the worked plan: slots a day, seconds in which homes send
DAY, HOUR = 86_400, 3_600
DARK, LIGHT = "#1d4e6b", "#7aa6c2"
IDLE = 0.5  # a load below which a machine has nothing else to do
BUSY = 0.5  # how busy a machine should be at most, so that it can catch up
SINGLES, BATCHES, SQLITE = "upload one by one", "upload in batches", "ingest into SQLite"
POSTGRESQL, EMBEDDED, SPARK = "ingest into PostgreSQL", "tally, embedded", "tally, Spark on this machine"
RANDOMISE = "randomise a file"

STAGES = {  # and what holds each back
    SINGLES: "HTTP, a signature and a commit for every report: a core",
    BATCHES: "checking the reports and writing the rows: a core",
    SQLITE: "one writer: a core, and its disk",
    POSTGRESQL: "checking the reports, and packing them: a core",
    EMBEDDED: "unpacking Parquet: all cores",
    SPARK: "starting; then unpacking Parquet: all cores",
    RANDOMISE: "reading the readings: a core and a half",
}
NEEDED = {*STAGES, "estimate"} - {POSTGRESQL, SPARK}  # these need a database or Java on the machine
BUSIED = """
Other work kept the machine busy meanwhile (a load of {load} before it began), so it can do better than this.
"""
QUICK = """
**These figures are from tiny sizes, to try the command. They mean nothing.**
"""
GROWTH = """
The commands themselves, by `python -m benchmarks.growth --keep`, over
{sizes}.
Time is that of the processors, which other work on the machine changes less than the clock's. *A million* answers, of a
home in a slot each, cost what the line through these sizes says; the exponent, of what lies above the command's start,
is 1 for a straight line and 2 for a square.

{table}
""".strip()


def write_page(figures: Figure) -> None:
    """Write the page anew."""
    PAGE.write_text(page(figures, grown()), encoding="utf-8")


def grown() -> Figure:
    """What was measured of growth, by method; nothing, where nothing was."""
    kept: Figure = json.loads(growth_table.FIGURES.read_text(encoding="utf-8")) if growth_table.FIGURES.exists() else {}
    return kept


def page(figures: Figure, grown: Figure) -> str:
    """The whole page."""
    every, turns = Day(figures, HOMES * SLOTS), Day(figures, HOMES)
    fields = figures["machine"] | figures["report"]
    fields |= {"warning": warning(figures), "off": percent(furthest(figures)), "growth": growth(grown)}
    fields["memories"] = memories(figures["stages"][RANDOMISE]["memories"])
    fields |= {"costs": costs(figures), "storage": storage(figures), "workers": workers(figures)}
    fields["next_engines"] = next_engines(figures)
    fields |= {
        "estimate": seconds(1000 * figures["stages"]["estimate"]["each"]),
        "day_estimate": turns.estimated(),
        "worked": table(["", "everyone speaks", "homes take turns"], worked(figures, every, turns)),
        "turns_upload": f"Each home for itself: {turns.carried_by(SINGLES)}.",
        "turns_batches": turns.carried_by(BATCHES),
        "turns_stored": turns.stored(),
        "turns_ingest": turns.hours(POSTGRESQL),
        "turns_partition": turns.partition(),
        "turns_tally": turns.hours(EMBEDDED),
        "every_partition": every.partition(),
        "every_ingest": every.hours(POSTGRESQL),
        "every_slot_tally": every.slot_tally(),
        "every_workers": every.workers(),
        "every_parquet": every.parquet(),
    }
    return TEMPLATE.read_text(encoding="utf-8").format(**fields)


def warning(figures: Figure) -> str:
    """What has to be known before the figures are believed."""
    load = figures["machine"]["load"]
    return (QUICK if figures["quick"] else "") + (BUSIED.format(load=load) if load >= IDLE else "")


def growth(grown: Figure) -> str:
    """How the cost of files grows with the fleet, by method."""
    if not grown:
        return "Not measured: `python -m benchmarks.growth --keep`."
    return GROWTH.format(sizes=growth_table.growth_sizes(grown), table=growth_table.growth_table(grown))


def table(heads: list[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def costs(figures: Figure) -> str:
    """A row for each stage."""
    rows = []
    for name, limit in STAGES.items():
        stage = figures["stages"].get(name)
        if stage is None:
            rows.append([name, "not measured", "", "", "", limit])
            continue
        carried = reports(DAY / stage["each"] * MILLION)
        start = seconds(max(stage["start"], 0.0))
        memory = f"{stage['memory']:,} MiB" if stage["memory"] else "Spark's own"
        rows.append([name, seconds(stage["each"]), start, carried, memory, limit])
    heads = ["stage", "a million reports", "to start", "one machine, a day", "memory", "what holds it back"]
    return table(heads, rows)


def memories(found: list[list[float]]) -> str:
    """What inventing and randomising files of a few and of many homes held in memory at most."""
    parts = [
        f"{reports(homes * MILLION)} homes: `simulate` {inventing:,} MiB, `randomise` {peak:,} MiB"
        for homes, inventing, peak in (found[0], found[-1])
    ]
    return f"At most, for {'; for '.join(parts)}."


def furthest(figures: Figure) -> float:
    """How far a point is from its line, at most, as a share of the longest time of its stage."""
    return max(
        float(abs(took - stage["start"] - size * stage["each"]) / max(time for _, time in stage["points"]))
        for stage in figures["stages"].values()
        for size, took in stage["points"]
    )


def stored_bytes(figures: Figure) -> dict[str, float]:
    """What a report takes on disk, by where it lies."""
    return {"Parquet": figures["file_bytes"]} | {
        name.removeprefix("ingest into "): stage["bytes"]
        for name, stage in figures["stages"].items()
        if "bytes" in stage
    }


def storage(figures: Figure) -> str:
    """Bytes of a report, and of a million."""
    kinds = stored_bytes(figures)
    rows = [[name, f"{each:.0f} bytes", size(each * MILLION)] for name, each in kinds.items()]
    return table(["", "a report", "a million reports"], rows)


def workers(figures: Figure) -> str:
    """Reports an hour, by the number of workers."""
    stage = figures["stages"].get(SPARK)
    if stage is None:
        return "Spark was not measured: there was no Java on the machine."
    carried = HOUR / stage["each"] * MILLION
    rows = [[str(count), reports(count * carried)] for count in (1, 4, 16, 64)]
    return table(["workers of two cores", "reports tallied in an hour"], rows)


def next_engines(figures: Figure) -> str:
    """From how much on the next engine is worth its trouble: rows of what there is, what comes next, and when."""
    stages = figures["stages"]
    singles, batches = (reports(float(f"{BUSY / stages[name]['each'] * MILLION:.2g}")) for name in (SINGLES, BATCHES))
    several = f"{singles} reports a second come one by one, or {batches} in batches"
    rows = [["one service, SQLite", "several services, PostgreSQL", several]]
    if POSTGRESQL in stages:
        times, files = (
            stages[POSTGRESQL]["each"] / stages[SQLITE]["each"],
            reports(BUSY * DAY / stages[SQLITE]["each"] * MILLION),
        )
        later = f"files bring {files} reports a day (on one machine, files take PostgreSQL {times:.2g} times as long)"
        rows.append(["files into SQLite", "files into PostgreSQL, by several machines", later])
    if SPARK in stages:
        rows += [
            ["`estimate`, this machine", f"Spark, {plural(count, 'worker')} of two cores", spark_pays(stages, count)]
            for count in (1, 2, 4, 16)
        ]
    return table(["now", "next", "pays when"], rows)


def spark_pays(stages: Figure, count: int) -> str:
    """From how many reports at a time on so many workers are done before this machine, Spark's start included.

    >>> this, spark = {"start": 1.0, "each": 0.1}, {"start": 11.0, "each": 0.2}
    >>> spark_pays({EMBEDDED: this, SPARK: spark}, 4), spark_pays({EMBEDDED: this, SPARK: spark}, 2)
    ('200 million reports are tallied at a time', 'never: it only adds what starting takes')
    """
    saved = stages[EMBEDDED]["each"] - stages[SPARK]["each"] / count
    if saved <= 0:
        return "never: it only adds what starting takes"
    started = max(stages[SPARK]["start"] - stages[EMBEDDED]["start"], 0.0)
    return f"{reports(started / saved * MILLION)} reports are tallied at a time"


def worked(figures: Figure, every: "Day", turns: "Day") -> list[list[str]]:
    """The rows of the worked plan: for homes that all speak, and for homes that take turns."""
    rows: list[list[str]] = [
        ["method", "`lbu`: every home, every slot", "`lpu`, `window = 96`: every home once a day"],
        ["reports a day", *(reports(day.count) for day in (every, turns))],
        ["reports a slot", *(reports(day.slot) for day in (every, turns))],
        ["a second, while homes send", *(reports(day.rate) for day in (every, turns))],
        ["uploads one by one", *(day.carried_by(SINGLES) for day in (every, turns))],
        ["uploads in batches", *(day.carried_by(BATCHES) for day in (every, turns))],
        ["or files, into PostgreSQL", *(day.hours(POSTGRESQL) for day in (every, turns))],
        ["PostgreSQL, a day", *(day.stored() for day in (every, turns))],
        ["Parquet, a day", *(day.parquet() for day in (every, turns))],
        ["Parquet, a slot", *(day.partition() for day in (every, turns))],
        ["tally of a day, one machine", *(day.hours(EMBEDDED) for day in (every, turns))],
        ["tally of a day in an hour, Spark", *(day.workers() for day in (every, turns))],
        ["estimates of the day's slots", *(day.estimated() for day in (every, turns))],
        ["**the bottleneck**", *(day.bottleneck(SINGLES) for day in (every, turns))],
        ["**behind gateways**", *(day.bottleneck(BATCHES) for day in (every, turns))],
    ]
    return rows


class Day:
    """A day's reports, and what they ask of machines like the one measured."""

    def __init__(self, figures: Figure, count: int) -> None:
        self.figures, self.count = figures, count
        self.slot = count / SLOTS
        self.rate = self.slot / SENDING  # reports a second, while homes send

    def takes(self, name: str, count: float) -> float | None:
        """Seconds that so many reports take one machine at a stage."""
        stage = self.figures["stages"].get(name)
        return None if stage is None else count / MILLION * stage["each"]

    def carried_by(self, name: str) -> str:
        """Machines for the uploads, and how busy they are while homes send."""
        busy = self.takes(name, self.rate)
        if busy is None:
            return "not measured"
        count = ceil(busy / BUSY)
        return f"{plural(count, 'machine')}, {percent(busy / count)} busy"

    def hours(self, name: str) -> str:
        """How long the day's reports take one machine."""
        return spent(self.takes(name, self.count))

    def slot_tally(self) -> str:
        return spent(self.takes(EMBEDDED, self.slot))

    def stored(self) -> str:
        stage = self.figures["stages"].get(POSTGRESQL)
        return "not measured" if stage is None else size(self.count * stage["bytes"])

    def parquet(self) -> str:
        return size(self.count * self.figures["file_bytes"])

    def partition(self) -> str:
        return size(self.slot * self.figures["file_bytes"])

    def workers(self) -> str:
        """Spark workers that tally the day in an hour."""
        taken = self.takes(SPARK, self.count)
        return "not measured" if taken is None else f"{plural(ceil(taken / HOUR), 'worker')} of two cores"

    def estimated(self) -> str:
        return seconds(SLOTS * self.figures["stages"]["estimate"]["each"])

    def bottleneck(self, upload: str) -> str:
        """The stage that keeps a machine busiest over the day, each report uploaded, kept and tallied."""
        taken = {name: self.takes(name, self.count) for name in (upload, POSTGRESQL, EMBEDDED)}
        known = {name: found for name, found in taken.items() if found is not None}
        worst = max(known, key=lambda name: known[name])
        return f"{worst}, {percent(known[worst] / DAY)} of a machine's day"


def spent(count: float | None) -> str:
    return "not measured" if count is None else duration(count)


def seconds(count: float) -> str:
    """Seconds with as many digits as they deserve.

    >>> seconds(430.2), seconds(0.0432), seconds(4.26)
    ('430 s', '43 ms', '4.3 s')
    """
    if count < 0.0995:
        return f"{1000 * count:.2g} ms"
    return f"{count:.2g} s" if count < 99.5 else f"{count:,.0f} s"


def duration(count: float) -> str:
    """Seconds, minutes or hours.

    >>> duration(30), duration(600), duration(7200), duration(720_000)
    ('30 s', '10 min', '2 h', '200 h')
    """
    if count < 100:
        return seconds(count)
    return f"{count / 60:.3g} min" if count < 6_000 else f"{round(count / HOUR, 1 if count < 36_000 else 0):,g} h"


def reports(count: float) -> str:
    """A number of reports with two or three digits and a word.

    >>> reports(2.88e9), reports(30e6), reports(312_500)
    ('2.88 billion', '30 million', '312,500')
    """
    for unit, word in ((BILLION, "billion"), (MILLION, "million")):
        if count >= unit:
            shown = count / unit
            return f"{shown:.3g} {word}" if shown < 999.5 else f"{shown:,.0f} {word}"
    return f"{count:,.0f}"


def size(count: float) -> str:
    """Bytes with a unit.

    >>> size(12_300_000), size(135e9)
    ('12 MB', '140 GB')
    """
    for unit, word in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= unit:
            return f"{float(f'{count / unit:.2g}'):g} {word}"
    return f"{count:.0f} bytes"


def percent(share: float) -> str:
    """A share as a percentage.

    >>> percent(0.123), percent(0.00004)
    ('12 %', '0.004 %')
    """
    return f"{float(f'{100 * share:.2g}'):,g} %"


def plural(count: int, noun: str) -> str:
    """So many of something.

    >>> plural(1, "machine"), plural(2, "machine")
    ('1 machine', '2 machines')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def draw(figures: Figure) -> None:
    """The plot: a panel for each stage, its points and its line."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    shown = {name: figures["stages"][name] for name in STAGES if name in figures["stages"]}
    figure, panels = plt.subplots(2, 4, figsize=(13, 6), layout="constrained")
    for panel, (name, stage) in zip(panels.flat, shown.items(), strict=False):
        sizes, times = zip(*stage["points"], strict=True)
        reach = max(sizes) * 1.08
        ends = [stage["start"], stage["start"] + reach * stage["each"]]
        panel.plot([0, reach], ends, color=LIGHT, linewidth=2, zorder=1)
        panel.scatter(sizes, times, color=DARK, s=36, zorder=2)
        panel.set_title(name, fontsize=11, loc="left", fontweight="bold")
        panel.set_xlabel("million reports", fontsize=9)
        panel.set_ylabel("seconds", fontsize=9)
        panel.set_xlim(0, reach)
        panel.set_ylim(0, max(times) * 1.25)
        panel.tick_params(labelsize=8)
        panel.grid(alpha=0.25)
        panel.spines[["top", "right"]].set_visible(False)
        cost = f"{seconds(stage['each'])} a million"
        box = {"facecolor": "white", "edgecolor": "none", "pad": 2}
        panel.text(0.05, 0.9, cost, transform=panel.transAxes, fontsize=10, color=DARK, bbox=box)
    empty = list(panels.flat)[len(shown) :]
    for panel in empty[1:]:
        panel.axis("off")
    draw_bytes(empty[0], stored_bytes(figures))
    PLOT.parent.mkdir(exist_ok=True)
    figure.savefig(PLOT, dpi=110, metadata={"Software": None})
    plt.close(figure)


def draw_bytes(panel: Any, kinds: dict[str, float]) -> None:
    """What a report takes on disk, as bars."""
    bars = panel.barh(list(kinds), list(kinds.values()), color=LIGHT, height=0.55)
    panel.bar_label(bars, fmt="%.0f", padding=3, fontsize=9, color=DARK)
    panel.set_title("bytes of a report on disk", fontsize=11, loc="left", fontweight="bold")
    panel.set_xlim(0, max(kinds.values()) * 1.2)
    panel.set_xlabel("bytes", fontsize=9)
    panel.tick_params(labelsize=9)
    panel.invert_yaxis()
    panel.spines[["top", "right"]].set_visible(False)
