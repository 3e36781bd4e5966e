"""Answers that pages share."""

from hushwatt.provider.dashboard.kept_answers import KeptAnswers


def test_the_last_questions_are_worked_out_once():
    """What was asked lately is not worked out again; what was not asked for longest goes first."""
    kept, worked = KeptAnswers(most=2), []

    def ask(question):
        return kept.get(question, lambda: worked.append(question) or f"answer {question}")

    answers = [ask(question) for question in ("a", "b", "a", "c", "a", "b")]

    assert answers == [f"answer {question}" for question in "abacab"]
    assert worked == ["a", "b", "c", "b"]


def test_a_question_that_fails_is_asked_again():
    """An error is no answer."""
    kept = KeptAnswers()
    for _ in range(2):
        try:
            kept.get("x", lambda: 1 / 0)
        except ZeroDivisionError:
            continue
        raise AssertionError

    assert kept.get("x", lambda: 5) == 5
