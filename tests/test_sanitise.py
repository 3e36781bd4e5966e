"""Text of others cannot pass for ours."""

from hypothesis import given, settings
from hypothesis import strategies as st

from hushwatt.errors import HushwattError
from hushwatt.sanitise import quoted, sanitised


@settings(deadline=None, max_examples=50)
@given(st.text())
def test_one_printable_line(text):
    """Whatever is in it: one line, printable, no double spaces, not too long."""
    line = sanitised(text, 40)

    assert line.isprintable()
    assert len(line) <= 40
    assert line == " ".join(line.split())
    assert sanitised(line, 40) == line


@settings(deadline=None, max_examples=50)
@given(st.text())
def test_nothing_closes_the_quotes(text):
    """The marks stand at both ends and nowhere else."""
    line = quoted(text)

    assert (line[0], line[-1]) == ("“", "”")
    assert not set("“”") & set(line[1:-1])


def test_plain_words_stay():
    """Letters of all scripts are left alone."""

    assert sanitised("Wie viele Kettles? ε ≤ 3, 東京") == "Wie viele Kettles? ε ≤ 3, 東京"


def test_errors_are_sanitised():
    """An error that repeats what others wrote is one line without tricks."""

    assert str(HushwattError("no:\n\x1b[31mfine\u202e\ud800")) == "no: [31mfine"
