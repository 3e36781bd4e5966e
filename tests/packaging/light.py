"""Run commands as on a machine that has hushwatt's light install only.

    python light.py PACKAGE-FOLDER '{"plan show plan.toml": 3}'

Everything that requirements/light.txt does not bring is hidden from Python, and hushwatt is imported from
PACKAGE-FOLDER.  Each command runs in a child of this process, which has loaded nothing but the command line.
Each command comes with the seconds after which it is stopped.  Prints JSON: for each command its exit code
(null when stopped), stdout and stderr.
"""

import json
import os
import re
import signal
import sys
import tempfile
import time
from importlib import metadata
from pathlib import Path

LOCK = Path(__file__).parents[2] / "requirements" / "light.txt"


class Hidden:
    """Finds nothing of what the light install does not have."""

    def __init__(self, light):
        owners = metadata.packages_distributions()
        self.modules = {module for module, names in owners.items() if not light & {norm(name) for name in names}}

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.modules - {"hushwatt"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def norm(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def hide(package):
    """Hide the rest, and let metadata tell only what is there."""
    light = {norm(name) for name in re.findall(r"^([\w.-]+)==", LOCK.read_text(), re.MULTILINE)}
    sys.meta_path.insert(0, Hidden(light))
    sys.path.insert(0, package)
    version = metadata.version

    def told(name):
        if norm(name) not in light | {"hushwatt"}:
            raise metadata.PackageNotFoundError(name)
        return version(name)

    metadata.version = told


def run(words, patience):
    """One command in a child; what came of it."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            os.setsid()
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            from hushwatt.cli.main import run as hushwatt

            try:
                hushwatt(words)
            except SystemExit as leaving:
                sys.stdout.flush()
                os._exit(leaving.code if isinstance(leaving.code, int) else 0)
            finally:
                sys.excepthook(*sys.exc_info())
                os._exit(70)
        code = wait(child, patience)
        out.seek(0)
        err.seek(0)
        return {"code": code, "out": out.read().decode(), "err": err.read().decode()}


def wait(child, patience):
    until = time.monotonic() + patience
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


if __name__ == "__main__":
    hide(sys.argv[1])
    import hushwatt
    import hushwatt.cli.main

    assert hushwatt.__file__.startswith(sys.argv[1]), hushwatt.__file__
    print(json.dumps({line: run(line.split(), patience) for line, patience in json.loads(sys.argv[2]).items()}))
