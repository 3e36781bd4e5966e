"""`make audit-deps` takes silence for no answer."""

import json
import stat
import sys
from pathlib import Path

import pytest

from tools.supply import audit_deps

ROOT = Path(__file__).parents[2]


@pytest.fixture
def answers(monkeypatch, tmp_path):
    """Let a small program stand where pip-audit does, which must be asked over the internet."""

    def answer(script: str) -> None:
        path = tmp_path / "pip-audit"
        path.write_text(
            f"#!{sys.executable}\nimport json, sys\n"
            f"pins = [line.split('==') for line in open(sys.argv[-1]).read().split()]\n{script}"
        )
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setattr(audit_deps, "AUDIT", [str(path)])

    return answer


WELL = "found = [{'name': name, 'version': version, 'vulns': []} for name, version in pins]\n"
SAY = "print(json.dumps({'dependencies': found}))\n"


def test_all_is_well(answers, capsys):
    """When every pin of every lock is answered for, and none is vulnerable, it passes."""
    answers(WELL + SAY)
    audit_deps.main()
    told = capsys.readouterr().out.split()

    assert told[0] == told[2]
    assert int(told[0]) > 100


def test_skipped(answers):
    """A package that was skipped fails it, and is named."""
    answers(
        WELL + "found = [one for one in found if one['name'] != 'numpy']\n"
        "found.append({'name': 'numpy', 'skip_reason': 'not found'})\n" + SAY
    )

    with pytest.raises(SystemExit, match="not answered for: numpy"):
        audit_deps.main()


def test_vulnerable(answers, capsys):
    """A known hole fails it, with where it is mended."""
    answers(
        WELL + "for one in found:\n"
        "    if one['name'] == 'rich':\n"
        "        one['vulns'] = [{'id': 'CVE-1', 'fix_versions': ['99']}]\n" + SAY
    )
    with pytest.raises(SystemExit) as leaving:
        audit_deps.main()

    assert leaving.value.code == 1
    assert ": CVE-1, fixed in 99\n" in capsys.readouterr().out


def test_nobody_answers(answers):
    """Without the internet it fails with one line."""
    answers("sys.exit('ERROR: no route to host')\n")

    with pytest.raises(SystemExit, match="pip-audit could not ask: ERROR: no route to host"):
        audit_deps.main()


def test_every_lock_is_asked_about():
    """Whatever is pinned in requirements/ is asked about, but not what an old Home Assistant pins for itself."""
    files = {path.name.removesuffix(".txt") for path in (ROOT / "requirements").glob("*.txt")}

    assert set(audit_deps.LOCKS) == {name for name in files if not name.startswith("home-assistant-")}


def test_both_versions_are_asked_about():
    """A package that is pinned for older and for newer Pythons is asked about twice."""
    layers = audit_deps.layers([("numpy", "2.4"), ("numpy", "2.5"), ("scipy", "1.17")])

    assert layers == [{"numpy": "2.4", "scipy": "1.17"}, {"numpy": "2.5"}]
    assert json.dumps(layers)
