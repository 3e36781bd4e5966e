"""Audits as their files have them."""

import json

import pytest

from hushwatt import __version__


def finding(claim="C7 C8", subject="lpu grr", figure="home 1.000 ε", passed=True):
    return {"claim": claim, "subject": subject, "figure": figure, "passed": passed, "seconds": 0.1, "numbers": {}}


@pytest.fixture
def audit_file(tmp_path):
    """Write the JSON of an audit: findings in general, and of plans by their ids."""

    def write(general=(), plans=None, name="audit.json", version=__version__, audit="exact", quick=False):
        of_plans = [{"plan": each, "name": "any", "findings": found} for each, found in (plans or {}).items()]
        document = {
            "audit": audit,
            "passed": True,
            "quick": quick,
            "when": "2026-03-01T09:30:00Z",
            "seconds": 0.1,
            "versions": {"hushwatt": version},
            "claims": [],
            "findings": [*general, *(each for plan in of_plans for each in plan["findings"])],
            "plans": of_plans,
        }
        path = tmp_path / name
        path.write_text(json.dumps(document), encoding="utf-8")
        return path

    return write
