"""The agent's unit and the page that sets it up tell the same story, and systemd understands it."""

import configparser
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UNITS = sorted((ROOT / "deploy").glob("*.service"))
PAGE = (ROOT / "docs" / "howto" / "plain-linux.md").read_text(encoding="utf-8")
SHELL = "\n".join(re.findall(r"```sh\n(.*?)```", PAGE, flags=re.DOTALL))


def settings(unit):
    parsed = configparser.RawConfigParser(strict=False)
    parsed.optionxform = str  # type: ignore[assignment]
    parsed.read(unit)
    return parsed["Service"]


HOME = settings(ROOT / "deploy" / "household.service")


def test_the_page_sets_up_what_the_unit_needs():
    """The same program, user, folder and name on both sides."""
    program, folder = HOME["ExecStart"].split()[0], f"/var/lib/{HOME['StateDirectory']}"

    assert HOME["Environment"] == f"HUSHWATT_HOME={folder}"
    assert HOME["WorkingDirectory"] == folder
    assert f"python3 -m venv {Path(program).parents[1]}\n" in SHELL
    assert f"HUSHWATT_HOME={folder} {program} household" in SHELL
    assert f"sudo -u {HOME['User']} " in SHELL
    assert f" {HOME['User']}\n" in SHELL
    assert f"install -d -m 0700 -o {HOME['User']} -g {HOME['Group']} {folder}\n" in SHELL
    assert "deploy/household.service /etc/systemd/system/hushwatt-household.service\n" in SHELL
    assert "systemctl enable --now hushwatt-household\n" in SHELL


def test_no_other_place_is_named():
    """What the page says about folders of the service is one folder."""
    folders = set(re.findall(r"(?:/var/lib|/opt|/etc)/[\w./-]*hushwatt[\w-]*", PAGE))

    assert folders == {
        "/opt/hushwatt",
        "/opt/hushwatt/bin/hushwatt",
        "/var/lib/hushwatt-household",
        "/etc/systemd/system/hushwatt-household",
    }


def test_the_commands_of_the_page_can_be_read():
    """Every shell block is one that a shell can parse."""
    done = subprocess.run(["sh", "-n"], input=SHELL, capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")


NEEDED = {  # what a service that is taken over must not be able to do
    "NoNewPrivileges": "yes",
    "CapabilityBoundingSet": "",
    "ProtectSystem": "strict",
    "ProtectHome": "yes",
    "PrivateTmp": "yes",
    "PrivateDevices": "yes",
    "ProtectKernelTunables": "yes",
    "ProtectKernelModules": "yes",
    "ProtectControlGroups": "yes",
    "RestrictAddressFamilies": "AF_INET AF_INET6 AF_UNIX",
    "RestrictNamespaces": "yes",
    "LockPersonality": "yes",
    "SystemCallFilter": "@system-service",
    "StateDirectoryMode": "0700",
}


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_what_is_taken_over_stays_small(unit):
    """Both services are shut in: no privileges, no devices, no writing but to their own folder, as a user."""
    told = settings(unit)
    found = {key: {"true": "yes"}.get(told.get(key, "missing"), told.get(key, "missing")) for key in NEEDED}

    assert found == NEEDED
    assert told["User"].startswith("hushwatt")
    assert told["WorkingDirectory"] == f"/var/lib/{told['StateDirectory']}"
    assert int(told["MemoryMax"].removesuffix("M")) <= 512


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_it_comes_up_again(unit):
    """A service that ends by itself is started again, and has time to end when it is told to."""
    told = settings(unit)

    assert told["Restart"] in ("always", "on-failure")
    assert int(told["TimeoutStopSec"]) >= 5


def test_the_agent_waits_for_the_clock():
    """A clock that is set after the start costs a window; what it writes is for its owner alone."""
    parsed = configparser.RawConfigParser(strict=False)
    parsed.read(ROOT / "deploy" / "household.service")

    assert "time-sync.target" in parsed["Unit"]["After"].split()
    assert "time-sync.target" in parsed["Unit"]["Wants"].split()
    assert HOME["Restart"] == "always"
    assert HOME["UMask"] == "0077"


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_systemd_understands_it(unit, tmp_path):
    """`systemd-analyze verify` finds nothing; the program that is not installed here has a stand-in."""
    check = shutil.which("systemd-analyze")
    if check is None:
        if "CI" in os.environ:
            pytest.fail("systemd-analyze is not here: apt install systemd")
        pytest.skip("THE UNITS ARE NOT CHECKED: systemd-analyze is not here (apt install systemd)")
    copy = tmp_path / unit.name
    copy.write_text(unit.read_text().replace("/opt/hushwatt/bin/hushwatt", "/bin/true"))
    done = subprocess.run([check, "verify", str(copy)], capture_output=True, text=True)

    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_a_real_start():
    """Where systemd runs, a process under the unit's own settings can write to its folder, and only there."""
    if not Path("/run/systemd/system").is_dir() or os.geteuid() != 0:
        pytest.skip("THE UNIT IS NOT STARTED: systemd does not run here, or this is not root")
    name = f"hushwatt-test-{os.getpid()}"
    kept = {key: value for key, value in HOME.items() if key not in ("ExecStart", "Restart", "User", "Group")}
    words = [f"--property={key}={value.replace('hushwatt-household', name)}" for key, value in kept.items()]
    script = 'umask && touch "$HUSHWATT_HOME/ledger" && stat -c %a "$HUSHWATT_HOME" && ! touch /etc/hushwatt-test'
    program = ["systemd-run", "--wait", "--pipe", "--collect", "--property=DynamicUser=yes", *words]
    try:
        done = subprocess.run([*program, "/bin/sh", "-c", script], capture_output=True, text=True, timeout=120)
    finally:
        shutil.rmtree(f"/var/lib/private/{name}", ignore_errors=True)
        Path(f"/var/lib/{name}").unlink(missing_ok=True)

    assert (done.returncode, done.stdout.split()) == (0, ["0077", "700"])
