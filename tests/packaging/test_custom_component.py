"""The integration as Home Assistant and HACS want it: its manifest, its words, its types, and its own tests.

What Home Assistant's own checker (hassfest) asks of such files is asked here, as far as it can be without it.
"""

import ast
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from tests.home_assistant.running import NEW, required

import hushwatt
from tools.supply.home_assistant import environment

HERE = Path(__file__).parents[2]
COMPONENT = HERE / "custom_components" / "hushwatt"
LANGUAGES = ("en", "de")
FIRST = ["domain", "name"]  # keys that stand first in a manifest; the others follow by the alphabet
SECTIONS = {"config", "options", "selector", "entity", "exceptions", "issues"}
TESTS_SECONDS = 400  # on a busy machine; alone they take less than 60


def table(name):
    return json.loads((COMPONENT / name).read_text(encoding="utf-8"))


@cache
def source():
    return {file.name: ast.parse(file.read_text()) for file in COMPONENT.glob("*.py")}


def constants(*files):
    """Every text in the code, or in these files."""
    trees = [tree for name, tree in source().items() if not files or name in files]
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return {node.value for node in nodes if isinstance(node.value, str)}


def keyword_values(name):
    """The texts that are given under a name in calls, such as `reason="…"`."""
    calls = [node for tree in source().values() for node in ast.walk(tree) if isinstance(node, ast.Call)]
    given = [each.value for call in calls for each in call.keywords if each.arg == name]
    return {each.value for each in given if isinstance(each, ast.Constant)}


def steps(*files):
    """The forms that have a step of their own in these files."""
    nodes = [node for name in files for node in ast.walk(source()[name]) if isinstance(node, ast.AsyncFunctionDef)]
    return {node.name.removeprefix("async_step_") for node in nodes if node.name.startswith("async_step_")}


def leaves(tree, path=()):
    """Every text of a tree of words, by where it stands."""
    if isinstance(tree, str):
        return {path: tree}
    return {key: text for name, each in tree.items() for key, text in leaves(each, (*path, name)).items()}


def placeholders(text):
    return set(re.findall(r"{(\w+)}", text))


def test_the_manifest_is_as_it_should_be():
    """Its keys are known and in order, and its version and requirement are hushwatt's own."""
    manifest = table("manifest.json")

    assert list(manifest) == FIRST + sorted(manifest.keys() - FIRST)
    assert manifest["domain"] == COMPONENT.name
    assert manifest["version"] == hushwatt.__version__
    assert manifest["requirements"] == [f"hushwatt=={hushwatt.__version__}"]
    assert manifest["iot_class"] in ("cloud_push", "local_push")
    assert manifest["integration_type"] == "service"
    assert all(each.startswith("@") for each in manifest["codeowners"])
    assert manifest["documentation"].startswith("https://")
    assert manifest["issue_tracker"].startswith("https://")
    assert manifest["config_flow"] is (COMPONENT / "config_flow.py").exists()
    assert manifest["dependencies"] == ["http"]


def test_hacs_finds_it():
    """One integration in the folder that HACS looks into, and what it is called."""
    about = json.loads((HERE / "hacs.json").read_text())

    assert about["name"] == table("manifest.json")["name"]
    assert about["homeassistant"] <= NEW
    assert [each.name for each in COMPONENT.parent.iterdir() if each.is_dir()] == ["hushwatt"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_the_same(language):
    """The same keys, each with the same placeholders; what English says is what strings.json says."""
    strings, words = leaves(table("strings.json")), leaves(table(f"translations/{language}.json"))

    assert words.keys() == strings.keys()
    assert {key: placeholders(text) for key, text in words.items()} == {
        key: placeholders(text) for key, text in strings.items()
    }
    assert all(text == text.strip() and text and "<" not in text for text in words.values())
    assert language != "en" or words == strings


def test_every_language_is_tested():
    """A file that nobody compares with the others would go stale."""

    assert {each.stem for each in (COMPONENT / "translations").iterdir()} == set(LANGUAGES)


def test_every_form_has_its_words():
    """Each step has a title or words, each field a label and a description, and none is left over."""
    strings = table("strings.json")
    shown = {
        "config": steps("config_flow.py", "asking_again.py") - {"reauth"},
        "options": steps("options_flow.py"),
    }

    assert set(strings) == SECTIONS
    for section, names in shown.items():
        assert set(strings[section]["step"]) == names, section
        for name, step in strings[section]["step"].items():
            assert step["title"], name
            assert step.get("data", {}).keys() == step.get("data_description", {}).keys(), name


def test_every_error_abort_and_issue_has_its_words():
    """What the code can say is translated, and nothing is translated that it cannot say."""
    strings, said = table("strings.json"), constants()
    kinds = {f"trouble_{each}" for each in constants("issues.py") if f"trouble_{each}" in strings["issues"]}
    errors = set(strings["config"]["error"]) | set(strings["options"]["error"])
    given_by_home_assistant = {"already_in_progress", "reauth_successful", "reconfigure_successful"}
    mapped = constants("errors.py") & errors

    assert errors <= said
    assert keyword_values("reason") <= set(strings["config"]["abort"])
    assert set(strings["config"]["abort"]) - given_by_home_assistant <= keyword_values("reason") | mapped
    assert mapped - {"invalid_key"} <= set(strings["config"]["abort"])
    assert set(strings["issues"]) - kinds <= said
    assert len(kinds) == 8
    assert set(strings["exceptions"]) == {"not_switched"} <= said


def test_every_entity_has_its_name_and_its_icon():
    """Words and icons are about the same entities, and about those that the code makes."""
    words, icons = table("strings.json")["entity"], table("icons.json")["entity"]

    assert {kind: set(names) for kind, names in icons.items()} == {kind: set(names) for kind, names in words.items()}
    assert {name for names in words.values() for name in names} <= constants("sensor.py", "switch.py")
    assert all(each["name"] for names in words.values() for each in names.values())


def test_files_are_short_and_say_what_they_are_for():
    """As in the package itself."""
    for file in COMPONENT.glob("*.py"):
        assert len(file.read_text().splitlines()) <= 320, file.name
        assert ast.get_docstring(source()[file.name]), file.name


def run_inside(*words, **more):
    required(NEW)
    surroundings = {name: value for name, value in os.environ.items() if name not in ("TZ", "PYTEST_XDIST_WORKER")}
    surroundings |= {"HUSHWATT_PYTHON": sys.executable, "PYTHONPATH": str(HERE / "src")}
    return subprocess.run(
        list(map(str, words)), cwd=HERE, env=surroundings, capture_output=True, text=True, timeout=TESTS_SECONDS, **more
    )


def test_its_own_tests_pass_inside_home_assistant():
    """Config flow, agent, entities, issues, reauthentication, leaving: with a real provider and ledger."""
    folder = "tests/custom_component"
    options = ["-c", f"{folder}/pytest.ini", "--rootdir", folder, "--confcutdir", folder, "-q", "--no-header"]
    quiet = ["-p", "no:cacheprovider", "-p", "no:sugar", "--show-capture=no"]
    done = run_inside(environment(NEW) / "bin" / "python", "-m", "pytest", *options, *quiet, folder)

    assert done.returncode == 0, done.stdout[-8_000:] + done.stderr[-2_000:]
    assert "passed" in done.stdout


def test_its_types_fit_home_assistant():
    """mypy, strictly, against Home Assistant's own types."""
    python = environment(NEW) / "bin" / "python"
    options = ["--python-version", "3.13", "--follow-imports", "silent", "--cache-dir", ".mypy_cache/home-assistant"]
    done = run_inside(sys.executable, "-m", "mypy", "--python-executable", python, *options, COMPONENT)

    assert done.returncode == 0, done.stdout
