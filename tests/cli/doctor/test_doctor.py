"""`hushwatt doctor` tells people and programs whether a machine will do."""

import json
from pathlib import Path

import pytest

import hushwatt as package
from hushwatt.cli.doctor.disk import durability_problem, mount_of


@pytest.fixture
def durable(tmp_path):
    """A folder that keeps what it is given."""
    places = [tmp_path, Path(__file__).parent]
    found = next((place for place in places if durability_problem(mount_of(place)) is None), None)
    if found is None:
        pytest.skip("no folder here outlives the machine: only memory or network file systems")
    return found


def test_a_fit_machine(hushwatt, durable):
    """On a fit machine it says so and exits with 0."""
    answer = hushwatt("doctor", "--folder", durable)

    assert (answer.returncode, answer.stderr) == (0, "")
    assert f"hushwatt {package.__version__}: all " in answer.stdout.splitlines()[-1]
    assert "✗" not in answer.stdout


def test_an_unfit_machine(hushwatt, tmp_path):
    """When something essential is wrong it is marked, and the exit code is 1."""
    answer = hushwatt("doctor", "--folder", tmp_path / "gone")

    assert (answer.returncode, answer.stderr) == (1, "")
    assert f"✗ disk        there is no folder {tmp_path / 'gone'}\n" in answer.stdout
    assert answer.stdout.endswith("something essential is wrong, see ✗\n")


def test_another_clock(hushwatt):
    """A provider whose clock cannot be read is a no."""
    answer = hushwatt("doctor", "--provider", "http://127.0.0.1:1")

    assert answer.returncode == 1
    assert "✗ clock       cannot be compared: 127.0.0.1:1 does not answer" in answer.stdout


def test_json(hushwatt, durable, tmp_path):
    """Programs read the same findings and the same verdict."""
    well = json.loads(hushwatt("doctor", "--json", "--folder", durable).stdout)
    unwell = json.loads(hushwatt("doctor", "--json", "--folder", tmp_path / "gone").stdout)

    assert (well["hushwatt"], well["well"], unwell["well"]) == (package.__version__, True, False)
    assert {
        "name": "disk",
        "well": False,
        "essential": True,
        "found": f"there is no folder {tmp_path}/gone",
    } in (unwell["checks"])


def test_it_leaves_nothing(hushwatt, tmp_path):
    """The folder is as it was."""
    hushwatt("doctor")

    assert list(tmp_path.iterdir()) == []
