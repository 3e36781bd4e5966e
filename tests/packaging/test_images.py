"""What is deployed elsewhere is checked as far as it can be without an engine to build it."""

import configparser
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from hushwatt import __version__
from hushwatt.cli.main import app_for

ROOT = Path(__file__).parents[2]
ADDON = ROOT / "homeassistant" / "hushwatt"
DOCKERFILES = [ROOT / "deploy" / "Dockerfile", ADDON / "Dockerfile"]
UNITS = sorted((ROOT / "deploy").glob("*.service"))
WORDS = {
    "ARG",
    "FROM",
    "COPY",
    "RUN",
    "USER",
    "WORKDIR",
    "VOLUME",
    "EXPOSE",
    "ENV",
    "HEALTHCHECK",
    "STOPSIGNAL",
    "ENTRYPOINT",
    "CMD",
}


def instructions(dockerfile):
    """The instructions, each as its word and the rest, with continued lines joined."""
    text = re.sub(r"^#.*\n", "", dockerfile.read_text(), flags=re.MULTILINE)
    lines = [line for line in re.sub(r"\\\n\s*", " ", text).splitlines() if line.strip()]
    return [line.split(maxsplit=1) for line in lines]


@pytest.mark.parametrize("dockerfile", DOCKERFILES, ids=lambda path: path.parent.name)
def test_dockerfile(dockerfile):
    """It starts from an image, knows its words, and copies what is there."""
    found = instructions(dockerfile)

    assert found[:2] == [["ARG", "BASE"], ["FROM", "${BASE} AS wheel"]]
    assert {word for word, _ in found} <= WORDS
    for word, rest in found:
        if word == "COPY" and not rest.startswith("--from="):
            *sources, _ = rest.split()
            assert all((ROOT / source).exists() for source in sources), rest


@pytest.mark.parametrize("dockerfile", DOCKERFILES, ids=lambda path: path.parent.name)
def test_the_base_is_named_by_its_digest(dockerfile):
    """No image has a default or a mere tag, and a build on one without a digest ends at once."""
    found = instructions(dockerfile)
    bases = [rest.split()[0] for word, rest in found if word == "FROM"]
    check = next(rest for word, rest in found if word == "RUN")

    def ends(base):
        return subprocess.run(["sh", "-c", check], env={"BASE": base}, capture_output=True).returncode

    assert set(bases) == {"${BASE}"}
    assert ends("python:3.12-slim@sha256:" + "0" * 64) == 0
    assert [ends(base) for base in ("", "python", "python:3.12-slim")] == [1, 1, 1]


@pytest.mark.parametrize("dockerfile", DOCKERFILES, ids=lambda path: path.parent.name)
def test_nothing_unpinned_gets_into_an_image(dockerfile):
    """pip installs by hash, or from the wheel that was just built, and never asks for more."""
    commands = [part for word, rest in instructions(dockerfile) if word == "RUN" for part in rest.split("&&")]
    pips = [part for part in commands if re.match(r"\s*pip (install|wheel)", part)]

    assert len(pips) == 4
    for part in pips:
        assert "--no-deps" in part
        assert {"--require-hashes", "--no-index", "--no-build-isolation"} & set(part.split())


def test_shell_script():
    """shellcheck finds nothing in the script that starts the add-on, and dash can read it."""
    check = shutil.which("shellcheck", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if check is None and "CI" not in os.environ:
        pytest.skip("shellcheck is not here: apt install shellcheck")
    assert check is not None, "shellcheck is not here"
    done = subprocess.run([check, str(ADDON / "run.sh")], capture_output=True, text=True)
    read = subprocess.run(["sh", "-n", str(ADDON / "run.sh")], capture_output=True, text=True)

    assert (done.returncode, done.stdout) == (0, "")
    assert (read.returncode, read.stderr) == (0, "")


def test_addon_settings():
    """The settings of the add-on agree with its script and with the package."""
    settings = yaml.safe_load((ADDON / "config.yaml").read_text())
    script = (ADDON / "run.sh").read_text()

    assert settings["version"] == __version__
    assert {"name", "slug", "description", "arch"} <= settings.keys()
    assert set(settings["arch"]) <= {"aarch64", "amd64"}
    assert settings["options"].keys() == settings["schema"].keys()
    assert set(re.findall(r"\$\(option (\w+)\)|'\.(\w+) // \[\]", script)) == {
        (name, "") if settings["schema"][name] != ["str"] else ("", name) for name in settings["options"]
    }
    assert f"--page-port {settings['ingress_port']}" in script
    assert settings["backup"] == "cold"


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_units(unit):
    """systemd units have their sections, start a command that exists, and keep state to themselves."""
    parsed = configparser.RawConfigParser(strict=False)
    parsed.optionxform = str  # type: ignore[assignment]
    parsed.read(unit)
    service = parsed["Service"]

    assert set(parsed.sections()) == {"Unit", "Service", "Install"}
    _, *words = service["ExecStart"].split()
    assert app_for()[words[0]][words[1]] is not None
    assert service["StateDirectoryMode"] == "0700"
    assert service["NoNewPrivileges"] in ("yes", "true")


def test_the_addon_calls_commands_that_exist():
    """Every hushwatt command in the add-on's script is one."""
    commands = re.findall(r"(?:^ *|\|\| |\$\(|exec )hushwatt (household \w+)", (ADDON / "run.sh").read_text(), re.M)

    assert {"household status", "household join", "household run"} == set(commands)
    assert all(app_for()[first][second] for first, second in map(str.split, commands))
