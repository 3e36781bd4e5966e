"""The files that pages tell their readers to save."""

from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def file_on(page: str, name: str) -> str:
    """The file of that name on a page of the docs."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return text.split(f" {name}\n", 1)[1].split("```", 1)[0]


def tour_plan() -> str:
    """The plan that the tour follows a reading through."""
    return file_on("tour.md", "plan.toml")
