"""The lock files pin what pyproject.toml asks for, by hash, and name no package index."""

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools.supply import dist_check, sbom
from tools.supply import lock as locking
from tools.supply.home_assistant import PYTHONS, WITH_HUSHWATT
from tools.supply.pins import Pin, pins

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

EXTRAS = ("dev", "provider", "evaluate", "spark", "otel")
HOME_ASSISTANTS = tuple(f"home-assistant-{version}" for version in PYTHONS)
LOCKS = ("light", *EXTRAS, "build", "tools", *HOME_ASSISTANTS)
STALE = "requirements/ is not in step with pyproject.toml: run `make lock`"


def asked(lock: str) -> list[Requirement]:
    """What pyproject.toml or an .in file asks for, the extras it names of hushwatt itself included."""
    project = PROJECT["project"]
    if lock in ("build", "tools", *HOME_ASSISTANTS):
        lines = (ROOT / "requirements" / f"{lock}.in").read_text().splitlines()
        lines += project["dependencies"] if lock.endswith(WITH_HUSHWATT) else []
        return [Requirement(line) for line in lines if not line.startswith("#")]
    lines = project["dependencies"] + (of_extra(lock) if lock != "light" else [])
    return [Requirement(line) for line in lines]


def of_extra(extra: str) -> list[str]:
    found = []
    for line in PROJECT["project"]["optional-dependencies"][extra]:
        own = Requirement(line)
        deeper = own.extras if own.name == "hushwatt" else ()
        found += [inner for other in sorted(deeper) for inner in of_extra(other)] if deeper else [line]
    return found


@pytest.mark.parametrize("lock", LOCKS)
def test_what_is_asked_for_is_pinned(lock):
    """Every requirement has a pin that satisfies it, and nothing is pinned that nobody asks for any more."""
    versions = {(pin.name, pin.version) for pin in pins(lock)}
    wanted = {canonicalize_name(one.name): one.specifier for one in asked(lock)}

    for name, specifier in wanted.items():
        assert any(name == other and version in specifier for other, version in versions), f"{name}: {STALE}"
    direct = {pin.name for pin in pins(lock) if {"hushwatt", "-r"} & set(pin.asked_by)}
    assert direct <= set(wanted), STALE
    everyone = {pin.name for pin in pins(lock)} | {"hushwatt", "-r"}
    assert all(pin.asked_by and set(pin.asked_by) <= everyone for pin in pins(lock)), STALE


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_its_hashes(lock):
    """No file is taken on trust, none from an address of its own, and no index is named."""
    text = (ROOT / "requirements" / f"{lock}.txt").read_text()

    assert len(pins(lock)) == len(re.findall(r"^\w", text, re.MULTILINE)) > 0
    assert all(pin.hashes for pin in pins(lock))
    assert "://" not in text
    assert not re.search(r"^--?(i|index|extra|find|trusted)", text, re.MULTILINE)


@pytest.mark.parametrize("lock", ["light", "provider", "evaluate", "spark", "otel"])
def test_what_is_tested_is_what_is_deployed(lock):
    """A package that is pinned for the tests and for a deployment has the same files in both."""
    tested = {(pin.name, pin.marker): pin for pin in pins("dev")}
    deployed = {(pin.name, pin.marker): pin for pin in pins(lock)}

    for key in tested.keys() & deployed.keys():
        assert (deployed[key].version, deployed[key].hashes) == (tested[key].version, tested[key].hashes)
    assert {name for name, _ in deployed} <= {name for name, _ in tested} or lock == "spark"


def test_no_lock_is_forgotten():
    """Every file is written by `make lock`; what users install is listed by `make sbom` and tried."""
    files = {path.name.removesuffix(".txt") for path in (ROOT / "requirements").glob("*.txt")}
    installed = {"light", *PROJECT["project"]["optional-dependencies"]} - {"dev", "docs"}

    assert files == {"dev", "tools", *locking.smaller(), *HOME_ASSISTANTS} == set(LOCKS)
    assert set(sbom.LOCKS) == installed == files - {"dev", "build", "tools", *HOME_ASSISTANTS}
    assert {extra or "light" for extra in dist_check.WORKS} == installed


def test_nothing_is_missing_from_a_lock():
    """Whatever a pinned package requires here is pinned as well: --no-deps leaves no gap."""
    names = {pin.name for pin in pins("light")}
    for name in sorted(names):
        for line in metadata.requires(name) or ():
            need = Requirement(line)
            if need.marker is None or need.marker.evaluate({"extra": ""}):
                assert canonicalize_name(need.name) in names, f"{name} needs {need.name}"


def test_a_pin_is_read_whole():
    """Name, version, marker, hashes and who asks for it are read as uv writes them."""
    pin = Pin.parse(
        "cffi==2.1.1 ; platform_python_implementation != 'PyPy' \\\n"
        f"    --hash=sha256:{'a' * 64} \\\n    --hash=sha256:{'b' * 64}\n"
        "    # via\n    #   -c requirements/dev.txt\n    #   cryptography\n"
    )

    assert (pin.name, pin.version, pin.marker) == (
        "cffi",
        "2.1.1",
        "platform_python_implementation != 'PyPy'",
    )
    assert pin.hashes == ("a" * 64, "b" * 64)
    assert pin.asked_by == ("cryptography",)
