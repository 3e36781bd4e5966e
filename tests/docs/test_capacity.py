"""The page about capacity says what was measured, and nothing else."""

import doctest
import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def capacity_page():
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import capacity_page
    finally:
        sys.path.remove(str(BENCHMARKS))
    return capacity_page


@pytest.fixture
def figures(capacity_page):
    return json.loads(capacity_page.FIGURES.read_text(encoding="utf-8"))


def test_page_is_drawn_from_the_figures(capacity_page, figures):
    """The page is, to the letter, what the figures make of it."""

    assert capacity_page.PAGE.read_text(encoding="utf-8") == capacity_page.page(figures)


def test_figures_are_of_a_whole_run(capacity_page, figures):
    """Every stage was measured, at sizes that mean something, and its line goes through its points."""

    assert figures["quick"] is False
    assert set(capacity_page.STAGES) | {"estimate"} == set(figures["stages"])
    for stage in figures["stages"].values():
        longest = max(took for _, took in stage["points"])
        assert len(stage["points"]) >= 3
        assert all(
            abs(took - stage["start"] - size * stage["each"]) < 0.25 * longest
            for size, took in stage["points"]
        )


def test_the_plot_is_there(capacity_page, tmp_path, monkeypatch, figures):
    """The picture exists and can be drawn anew."""
    there = capacity_page.PLOT.read_bytes()
    monkeypatch.setattr(capacity_page, "PLOT", tmp_path / "plot.png")
    capacity_page.draw(figures)

    assert there[:4] == capacity_page.PLOT.read_bytes()[:4] == b"\x89PNG"


def test_a_stage_that_was_not_measured_is_said(capacity_page, figures):
    """Without Java or PostgreSQL the page says so instead of leaving a gap."""
    del figures["stages"][capacity_page.SPARK], figures["stages"][capacity_page.POSTGRESQL]

    text = capacity_page.page(figures)

    assert text.count("not measured") >= 6
    assert "Spark was not measured" in text


def test_numbers_are_shown_as_told(capacity_page):
    """The examples of how numbers are written hold."""
    done = doctest.testmod(capacity_page)

    assert done.attempted > 5
    assert done.failed == 0
