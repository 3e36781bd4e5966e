"""Numbers on the command line mean what they say."""

import pytest
from cyclopts import CycloptsError

from hushwatt.cli.main import app_for


@pytest.fixture
def given():
    """Give what a command receives for a whole number, a number that may be left out, and a list."""
    app = app_for()

    @app.command
    def take(homes: int = 0, *, share: float | None = None, slots: list[int] = [], loud: bool = False):  # noqa: B006
        """Take numbers."""
        return homes, share, slots, loud

    return lambda line: app(["take", *line.split()])


@pytest.mark.parametrize(
    "line, expected",
    [
        ("12", (12, None, [], False)),
        ("1_000", (1000, None, [], False)),
        ("-5 --share 1e-3", (-5, 0.001, [], False)),
        ("123456789012345678901", (123456789012345678901, None, [], False)),
        ("--slots 1 --slots 2 --loud", (0, None, [1, 2], True)),
    ],
)
def test_numbers_pass_exactly(given, line, expected):
    """A number is the one that was written, however large."""

    assert given(line) == expected


@pytest.mark.parametrize("word", ["1.5", "2.0", "1e3", "0x10", "", "nan", "many"])
def test_whole_numbers_are_whole(given, word):
    """What is not a whole number is refused, never rounded."""
    with pytest.raises(CycloptsError):
        given(f"--homes={word}")


@pytest.mark.parametrize("word", ["nan", "inf", "-inf", "some"])
def test_numbers_are_finite(given, word):
    """What is no finite number is refused."""
    with pytest.raises(CycloptsError):
        given(f"--share={word}")
