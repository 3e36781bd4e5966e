"""The plan of the tour, as its page has it."""

from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "tour.md"


def plan_text() -> str:
    found = re.search(
        r"^```toml plan.toml\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert found, "the tour begins with a plan"
    return found[1]
