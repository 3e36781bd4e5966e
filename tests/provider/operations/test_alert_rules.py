"""The alert rules by themselves: in real time by promtool, and what they name is there."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml
from tests.provider.operations.monitoring import ALERTS, DEPLOY, hurried, needs_prometheus

ROOT = DEPLOY.parent
RULES = yaml.safe_load(ALERTS.read_text())["groups"][0]["rules"]
NAME = re.compile(r"\bhushwatt_\w+")


@pytest.fixture
def promtool():
    needs_prometheus()

    def run(*words, folder=ALERTS.parent):
        return subprocess.run(["promtool", *words], cwd=folder, capture_output=True, text=True)

    return run


def test_real_durations(promtool):
    """After a fault each alert comes when its time is over and not before, and over a quiet day there is none."""
    done = promtool("test", "rules", "alerts_test.yml")

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "planted, instead",
    [
        ("> 0.5", "> 2"),
        ('reason="full"}[5m]) > 0', 'reason="full"}[5m]) > 1e9'),
        ("for: 30m", "for: 1m"),
        ("2 * max by (plan) (hushwatt_turn_seconds)", "0 * max by (plan) (hushwatt_turn_seconds)"),
        ("min by (plan, gateway)", "max by (plan, gateway)"),
        ("and hushwatt_store_local == 1", ""),
    ],
)
def test_a_wrong_rule_is_seen(promtool, tmp_path, planted, instead):
    """Another limit, time or sum fails the same tests."""
    text = ALERTS.read_text()
    (tmp_path / "alerts.yml").write_text(text.replace(planted, instead))
    tests = yaml.safe_load((ALERTS.parent / "alerts_test.yml").read_text())
    tests["tests"] = tests["tests"][2:]  # without the quiet day, which takes longest
    (tmp_path / "alerts_test.yml").write_text(yaml.safe_dump(tests))

    done = promtool("test", "rules", "alerts_test.yml", folder=tmp_path)

    assert planted in text
    assert done.returncode != 0


def test_examples_of_settings_are_read(promtool, tmp_path):
    """Prometheus understands the settings that come with the rules; so it does the hurried copy of the tests."""
    (tmp_path / "alerts.yml").write_text(hurried(ALERTS.read_text()))

    done = promtool("check", "config", "--syntax-only", "prometheus.yml")
    hurry = promtool("check", "rules", "alerts.yml", folder=tmp_path)

    assert (done.returncode, hurry.returncode) == (0, 0), done.stderr + hurry.stderr


def test_every_alert_stands_in_the_runbook():
    """An alert leads to its own entry of the runbook, and there is none without an alert."""
    headings = re.findall(r"^### (Hushwatt\w+)$", (ROOT / "docs" / "runbook.md").read_text(), re.MULTILINE)
    links = [rule["annotations"]["runbook"] for rule in RULES]

    assert sorted(headings) == sorted(rule["alert"] for rule in RULES)
    assert links == [f"docs/runbook.md#{rule['alert'].lower()}" for rule in RULES]


def test_alerts_use_what_is_exported(exported):
    """Every metric of a rule, and of the rules' own tests, is one that a running service shows."""
    for text in (ALERTS.read_text(), Path(ALERTS.parent, "alerts_test.yml").read_text()):
        assert set(NAME.findall(text)) - exported == set()


def test_the_dashboard_uses_what_is_exported(exported):
    """Every panel asks for metrics that a running service shows, and no metric is forgotten."""
    text = (DEPLOY / "grafana" / "hushwatt.json").read_text()
    named = set(NAME.findall(text))

    assert named - exported == set()
    assert {re.sub(r"_(bucket|count|sum|total|created)$", "", name) for name in exported} == {
        re.sub(r"_(bucket|count|sum|total|created)$", "", name) for name in named
    }
