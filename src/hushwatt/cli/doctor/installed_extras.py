"""What is installed for which purpose, and how to get what is not; no home needs any of it."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from hushwatt.cli.doctor.check import Check
from hushwatt.cli.extras import extras, installed

EXTRA_PURPOSES = {
    "provider": "files of many homes, the service, the dashboard, the demo",
    "evaluate": "the paper's figures, NILMTK's files, data frames",
    "spark": "estimates from archives larger than a machine",
    "otel": "traces and metrics of the service for OpenTelemetry",
}
MIN_JAVA = 17


def check_extras() -> list[Check]:
    """A line for each extra, and one for Java where Spark is installed."""
    known = extras()
    checks = [check_extra(name, known[name]) for name in EXTRA_PURPOSES if name in known]
    return [*checks, check_java()] if installed("pyspark") else checks


def check_extra(name: str, packages: tuple[str, ...]) -> Check:
    """Whether the packages of an extra are here, and what it is for."""
    missing = [package for package in packages if installed(package) is None]
    if missing:
        return Check(name, False, False, f"{EXTRA_PURPOSES[name]}: pip install 'hushwatt[{name}]'")
    return Check(name, True, False, EXTRA_PURPOSES[name])


def check_java(java: str | None = None) -> Check:
    """Whether there is a Java that Spark can run on."""
    need = f"Spark needs Java {MIN_JAVA} or newer: apt install openjdk-{MIN_JAVA}-jre-headless"
    executable = java or find_java()
    if executable is None:
        return Check("java", False, False, f"not found, {need}")
    try:
        output = subprocess.run([executable, "-version"], capture_output=True, text=True, timeout=30).stderr
    except (OSError, subprocess.TimeoutExpired):
        return Check("java", False, False, f"{executable} does not run, {need}")
    version = re.search(r'version "(?:1\.)?(\d+)', output)
    if version is None or int(version[1]) < MIN_JAVA:
        return Check("java", False, False, f"{version[1] if version else 'unknown'}, {need}")
    return Check("java", True, False, f"{version[1]}, {executable}")


def find_java() -> str | None:
    """The Java that Spark takes: JAVA_HOME's, else the one on the path."""
    home = os.environ.get("JAVA_HOME")
    own = Path(home, "bin", "java") if home else None
    return str(own) if own and own.exists() else shutil.which("java")
