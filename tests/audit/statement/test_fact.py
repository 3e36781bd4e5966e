"""Sentences and their figures."""

import pytest

from hushwatt.audit.statement.fact import FigureTable, StatementSection, amount, computed, fact, from_audit, from_plan


def test_words_and_sources():
    """Figures stand where their names stood, and each source is told once."""
    told = fact(
        "k", "l", "ε {e} and {f}\nand {e}", e=from_plan("epsilon", *amount(500_000)), f=computed("odds", "2 : 1")
    )

    assert told.words == "ε 0.5 and 2 : 1 and 0.5"
    assert told.sources == ["plan: epsilon", "computed: odds"]
    assert told.as_json()["figures"]["e"] == {"shown": "0.5", "source": "plan: epsilon", "value": 0.5}
    assert "mark" not in told.as_json()


def test_no_formula_is_made_up():
    """A figure can only be computed by a formula of the list."""

    with pytest.raises(ValueError, match="no formula is called magic"):
        computed("magic", 7)


def test_a_section_for_programs():
    """Facts by their keys, tables as rows; the first cell names a row."""
    rows = ((from_plan("name", "kettle"), from_audit("C1", "rounding", "0.5", 0.5)),)
    section = StatementSection(
        "s", "Title", "Words.", (fact("k", "l", "t", "limit"),), (FigureTable("t", ("a", "b"), rows),)
    )

    assert section.as_json() == {
        "title": "Title",
        "k": {"label": "l", "text": "t", "mark": "limit"},
        "t": [{"a": "kettle", "b": {"shown": "0.5", "source": "audit: C1 rounding", "value": 0.5}}],
    }
