"""The page holds everything and needs nothing; tables and CSV say the same numbers."""

import csv
import io
import json
import re

import pytest

from hushwatt.evaluate.experiments import Measurement, experiment
from hushwatt.evaluate.experiments.experiment import Metric
from hushwatt.evaluate.figures import charts, draw
from hushwatt.evaluate.page import page
from hushwatt.evaluate.reproduce import MeanResult, ReproducedExperiment, Reproduction, summarised
from hushwatt.evaluate.result_tables import as_csv, shown, tables


@pytest.fixture(scope="module")
def reproduction():
    """A made-up run of three experiments: bars, a series, and one with an infinite number."""
    levels = [
        Measurement(label, "Kruskal–Wallis p", column, value)
        for label in ("LBU", "LSP", "LBD", "LBA")
        for column, value in (("as printed", 0.0008), ("corrected", 0.4), ("corrected", 0.6))
    ]
    series = [
        Measurement("kettle", "mean watts of a home", column, 500.0 + day, at=day, error=20.0)
        for day in range(4)
        for column in ("true", "hushwatt")
    ]
    lost = [
        Measurement("LBA, d = 2, w = 2, ε = 1", "worst loss, in ε", column, value)
        for column, value in (("as printed", float("inf")), ("corrected", 0.52))
    ]
    made = {"methods": levels, "usage": series, "privacy": lost}
    parts = tuple(
        ReproducedExperiment(experiment(name), summarised(experiment(name), found), ("synthetic: <invented>",))
        for name, found in made.items()
    )
    return Reproduction(seed=7, quick=True, data=None, parts=parts)


def test_page_is_self_contained(reproduction):
    """Nothing is fetched: no address in a src or href but those within the page."""
    text = page(reproduction)
    head = text[: text.index('<script type="application/json"')]

    assert re.findall(r'(?:src|href)="(?!#)[^"]*"', head) == []
    assert "Plotly" in text
    assert len(text) > 1_000_000


def test_page_says_what_and_how(reproduction):
    """Every experiment has its title, its table, and how it was made; texts are escaped."""
    text = page(reproduction)

    for part in reproduction.parts:
        assert f'id="{part.experiment.name}"' in text
        assert part.experiment.title in text
        assert f"hushwatt reproduce {part.experiment.name}" in text
    assert "synthetic: &lt;invented&gt;" in text
    assert "∞" in text
    assert "prefers-color-scheme:dark" in text
    assert 'name="viewport"' in text


def test_missed_figures_are_open_to_see(reproduction):
    """With their standard errors; those that were reached are folded up."""
    name = "accuracy"
    label, metric = experiment(name).settings[0].label, "exact-rank hits of 10"
    other = experiment(name).settings[1].label
    made = (
        MeanResult(label, metric, "hushwatt", None, 7.5, 0.2, 7, 8, 20),
        MeanResult(other, metric, "hushwatt", None, 9.5, 0.1, 9, 10, 20),
    )
    part = ReproducedExperiment(experiment(name), made, ())
    text = page(Reproduction(seed=7, quick=True, data=None, parts=(part,)))
    folded, seen = re.search(r"<details class='goals'>(.*?)</details><div class='goals'>(.*?)</div>", text).groups()

    assert "1 of 2 figures reached" in folded
    assert "at least 8.8, reached <b>9.50 ± 0.10" in folded
    assert "at least 8, reached <b>7.50 ± 0.20" in seen
    assert 'class="no"' not in folded


def test_page_charts_are_json(reproduction):
    """The charts in the page are readable JSON with the numbers and their error bars."""
    text = page(reproduction)
    found = json.loads(re.search(r'id="charts">(.*?)</script>', text, re.S)[1])

    assert set(found) == {"methods-0", "usage-0"}
    corrected = next(line for line in found["methods-0"]["lines"] if line["name"] == "corrected")
    assert corrected["y"] == [0.5] * 4
    assert corrected["e"] == pytest.approx([0.196] * 4)
    assert found["usage-0"]["lines"][0]["x"] == [0, 1, 2, 3]


def test_tables_hold_printed_values_beside_ours(reproduction):
    """Printed values stand in the row of their setting, and series are not listed."""
    (table,) = tables(reproduction.parts[0])

    assert table.columns == ("printed", "as printed", "corrected")
    assert dict(table.rows)["LSP"] == ("0.00111", "0.0008", "0.5 ± 0.1")
    assert tables(reproduction.parts[1]) == []


@pytest.mark.parametrize(
    "metric, result, text",
    [
        (Metric("p"), None, "–"),
        (Metric("p"), MeanResult("", "", "", None, float("nan"), None, 0, 0, 1), "–"),
        (Metric("p"), MeanResult("", "", "", None, float("inf"), None, 0, 0, 1), "infinite"),
        (Metric("p"), MeanResult("", "", "", None, 0.0001234, 0.000011, 0, 1, 9), "0.000123 ± 1e-05"),
        (Metric("p", "{:+.2f}"), MeanResult("", "", "", None, -0.5, 0.25, 0, 1, 9), "-0.50 ± 0.25"),
        (
            Metric("p", "{:.1f}", ranged=True),
            MeanResult("", "", "", None, 5.0, 0.5, 4, 8, 9),
            "5.0 ± 0.5 (4–8)",
        ),
    ],
)
def test_cells(metric, result, text):
    """A cell has the number, its error and its range, or says that there is none."""

    assert shown(metric, result) == text


def test_csv_has_every_result(reproduction):
    """A line for each result, with experiment, setting, metric and column."""
    rows = list(csv.DictReader(io.StringIO(as_csv(reproduction))))

    assert len(rows) == sum(len(part.results) for part in reproduction.parts)
    assert {row["experiment"] for row in rows} == {"methods", "usage", "privacy"}
    assert [row["value"] for row in rows if row["column"] == "as printed"][-1] == "infinite"


def test_pictures(reproduction, tmp_path):
    """Each experiment with a figure leaves one PNG; one without leaves none."""
    written = [draw(part, tmp_path) for part in reproduction.parts]

    assert [len(paths) for paths in written] == [1, 1, 0]
    assert all(path.read_bytes().startswith(b"\x89PNG") for paths in written for path in paths)
    assert charts(reproduction.parts[2]) == []
