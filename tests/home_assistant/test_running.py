"""Where a Home Assistant is not installed, its tests are skipped with a loud line; in CI they fail."""

import pytest
from tests.home_assistant import running


@pytest.fixture
def absent(monkeypatch, tmp_path):
    monkeypatch.setattr(running, "environment", lambda version: tmp_path / version)
    monkeypatch.delenv("CI", raising=False)


def test_absent_at_home(absent):
    """A user without Python 3.13 is told what is not tested, and what would be needed."""
    with pytest.raises(pytest.skip.Exception) as told:
        running.required(running.NEW)

    assert "NOT TESTED WITH HOME ASSISTANT 2025.4.4" in str(told.value)
    assert "make home-assistant (it needs Python 3.13)" in str(told.value)


def test_absent_in_ci(absent, monkeypatch):
    """There nothing is passed over."""
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match=r"Home Assistant 2024\.3\.3 is not installed"):
        running.required(running.OLD)
