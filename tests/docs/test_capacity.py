"""The page about capacity says what was measured, and nothing else."""

import doctest
import json
from typing import Any

import pytest

from benchmarks import capacity_page


@pytest.fixture
def measured():
    """The figures that the page is drawn from."""
    if not capacity_page.FIGURES.exists():
        pytest.skip("capacity has NOT been measured: make capacity")
    return json.loads(capacity_page.FIGURES.read_text(encoding="utf-8"))


@pytest.fixture
def round_figures():
    """Figures that are easily reckoned with: a second to start, and for each million."""
    stage = {
        "points": [[1, 2.0], [2, 3.0], [4, 5.0]],
        "each": 1.0,
        "start": 1.0,
        "memory": 100,
        "bytes": 50.0,
    }
    found: dict[str, Any] = {
        "machine": {"cores": 2, "processor": "any", "python": "3.11", "measured": "2026-01-01", "load": 0.1},
        "report": {"payload": 19, "cells": 150, "appliances": 15},
        "file_bytes": 25.0,
        "quick": False,
        "stages": dict.fromkeys([*capacity_page.STAGES, "estimate"], stage),
    }
    found["stages"][capacity_page.SINGLES] = stage | {
        "each": 400.0,
        "points": [[1, 401.0], [2, 801.0], [4, 1601.0]],
    }
    found["stages"][capacity_page.RANDOMISE] = stage | {"memories": [[1, 300, 600], [10, 400, 900]]}
    return found


def test_page_is_drawn_from_the_figures(measured):
    """The page is, to the letter, what the figures make of it, and the plot lies beside it."""

    assert capacity_page.PAGE.read_text(encoding="utf-8") == capacity_page.page(measured, capacity_page.grown())
    assert capacity_page.PLOT.read_bytes()[:4] == b"\x89PNG"


def test_figures_are_of_a_whole_run(measured):
    """Every stage was measured, at sizes that mean something, and its line goes through its points."""

    assert measured["quick"] is False
    assert set(capacity_page.STAGES) | {"estimate"} == set(measured["stages"])
    assert all(len(stage["points"]) >= 3 for stage in measured["stages"].values())
    assert capacity_page.furthest(measured) < 0.25


def test_the_worked_plan(round_figures):
    """Thirty million homes, reckoned by hand: 133,333 a second in the 225 seconds in which homes send."""
    text = capacity_page.page(round_figures, {})

    for row in (
        "| reports a day | 2.88 billion | 30 million |",
        "| a second, while homes send | 133,333 | 1,389 |",
        "| uploads one by one | 107 machines, 50 % busy | 2 machines, 28 % busy |",
        "| uploads in batches | 1 machine, 13 % busy | 1 machine, 0.14 % busy |",
        "| PostgreSQL, a day | 140 GB | 1.5 GB |",
        "| tally of a day, one machine | 48 min | 30 s |",
        "| **behind gateways** | upload in batches, 3.3 % of a machine's day |",
    ):
        assert row in text
    assert "for 10 million homes: `simulate` 400 MiB, `randomise` 900 MiB" in text
    assert "no point is further than 0 % from its line" in text
    assert "Other work" not in text


def test_when_the_next_engine_pays(round_figures):
    """Reckoned by hand: Spark starts ten seconds later, and on two workers saves half a second a million."""
    round_figures["stages"][capacity_page.SPARK] = round_figures["stages"][capacity_page.SPARK] | {"start": 11.0}
    text = capacity_page.page(round_figures, {})

    for row in (
        "| one service, SQLite | several services, PostgreSQL | 1,200 reports a second come one by one, or 500,000 in",
        "| files bring 43.2 billion reports a day (on one machine, files take PostgreSQL 1 times as long) |",
        "| Spark, 1 worker of two cores | never: it only adds what starting takes |",
        "| Spark, 2 workers of two cores | 20 million reports are tallied at a time |",
        "| Spark, 16 workers of two cores | 10.7 million reports are tallied at a time |",
    ):
        assert row in text


def test_growth_is_a_row_for_each_stage_of_each_method(round_figures):
    """A second for each million above the start is an exponent of 1; without figures the page says how to get them."""
    stage = {"few": [1.0, 1e8], "points": [[1_000_000, 1, 2.0, 2e8], [4_000_000, 25, 101.0, 2e8]]}
    text = capacity_page.page(round_figures, {"lba": {"randomise": stage}})

    assert "over\n1 million homes in 1 slot and 4 million in 25.\n" in text
    assert "| `lba` | randomise | 1.00 s | 0 % | 1.0000 | 1.00 | 191 MiB |" in text
    assert "Not measured: `python -m benchmarks.growth --keep`" in capacity_page.page(round_figures, {})


def test_what_has_to_be_known_is_said(round_figures):
    """Tiny sizes, other work on the machine, and a missing database or Java are on the page."""
    del round_figures["stages"][capacity_page.SPARK], round_figures["stages"][capacity_page.POSTGRESQL]
    round_figures["quick"], round_figures["machine"]["load"] = True, 7.5

    text = capacity_page.page(round_figures, {})

    assert text.count("not measured") >= 6
    assert "Spark was not measured" in text
    assert "They mean nothing" in text
    assert "a load of 7.5" in text


def test_the_plot_can_be_drawn(round_figures, tmp_path, monkeypatch):
    """A panel for each stage, and one for the bytes."""
    monkeypatch.setattr(capacity_page, "PLOT", tmp_path / "plot.png")
    capacity_page.draw(round_figures)

    assert (tmp_path / "plot.png").read_bytes()[:4] == b"\x89PNG"


def test_numbers_are_shown_as_told():
    """The examples of how numbers are written hold."""
    done = doctest.testmod(capacity_page)

    assert done.attempted > 5
    assert done.failed == 0
