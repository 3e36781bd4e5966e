"""The plan of the tour, as its page has it."""

from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "tour.md"


def plan_text() -> str:
    """The file that the tour tells its readers to save."""
    page = PAGE.read_text(encoding="utf-8")
    return page.split("```toml plan.toml\n", 1)[1].split("```", 1)[0]
