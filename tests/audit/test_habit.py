"""Claim C15: habits are not protected for ever, and that is said."""

from hushwatt.audit.habit import audit_habit


def test_a_year_gives_most_levels_away():
    """At the paper's ε and window about 70 % of constant levels are found out in a year."""

    assert audit_habit(homes=60).passed
