"""`hushwatt doctor` tells people and programs whether a machine will do."""

import json

import hushwatt as package


def test_a_fit_machine(hushwatt):
    """On a fit machine it says so and exits with 0."""
    answer = hushwatt("doctor")

    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout.endswith(f"hushwatt {package.__version__}: all is well\n")
    assert "✗" not in answer.stdout


def test_an_unfit_machine(hushwatt, tmp_path):
    """When something essential is wrong it is marked, and the exit code is 1."""
    answer = hushwatt("doctor", "--folder", tmp_path / "gone")

    assert (answer.returncode, answer.stderr) == (1, "")
    assert f"✗ disk         there is no folder {tmp_path / 'gone'}\n" in answer.stdout
    assert answer.stdout.endswith("something essential is wrong, see ✗\n")


def test_json(hushwatt, tmp_path):
    """Programs read the same findings and the same verdict."""
    well = json.loads(hushwatt("doctor", "--json").stdout)
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
