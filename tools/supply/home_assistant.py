"""Make an environment with a Home Assistant for the tests, and hushwatt inside the one that it can run in.

    python -m tools.supply.home_assistant 2025.4.4    into .home-assistant-2025.4.4

Each wants a Python of its own.  Where that is not found, one line says so; where CI is set, that is a failure.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

PYTHONS = {"2025.4.4": "3.13", "2024.3.3": "3.11"}  # the newest release for each
WITH_HUSHWATT = "2025.4.4"  # the other pins a numpy and a cryptography that are older than hushwatt's
HERE = Path(__file__).parents[2]


def main(version: str) -> None:
    python = find_python(PYTHONS[version])
    if python is None:
        sys.exit(absent(version))
    folder = environment(version)
    inside = folder / "bin" / "python"
    if not starts(inside, PYTHONS[version]):
        subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
    done = subprocess.run([inside, "-m", "tools.supply.install", f"home-assistant-{version}"], cwd=HERE)
    if done.returncode:
        sys.exit(done.returncode)
    (folder / ".ready").touch()


def environment(version: str) -> Path:
    """The folder that its environment is in.

    >>> environment("2025.4.4").name
    '.home-assistant-2025.4.4'
    """
    return HERE / f".home-assistant-{version}"


def find_python(wanted: str) -> Path | None:
    """A Python of that version, such as 3.13, that does start: a name on the path may be a shim for nothing."""
    return next((path for path in places(wanted) if starts(path, wanted)), None)


def places(wanted: str) -> Iterator[Path]:
    """Where such a Python may be: on the path, pyenv's, uv's."""
    yield from (Path(folder, f"python{wanted}") for folder in os.get_exec_path())
    pyenv = os.environ.get("PYENV_ROOT", "~/.pyenv")
    yield from sorted(Path(pyenv, "versions").expanduser().glob(f"{wanted}.*/bin/python"), reverse=True)
    if uv := shutil.which("uv"):
        told = subprocess.run([uv, "python", "find", "--offline", wanted], capture_output=True, text=True)
        yield from map(Path, told.stdout.splitlines())


def starts(python: Path, wanted: str) -> bool:
    """Whether it is a Python of that version that can make environments."""
    ask = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"
    if not python.is_file():
        return False
    told = subprocess.run([python, "-c", ask], capture_output=True, text=True)
    return told.returncode == 0 and told.stdout.strip() == wanted


def absent(version: str) -> str | int:
    """Say which Python is missing: a failure in CI, elsewhere a test less."""
    wanted = PYTHONS[version]
    words = f"Home Assistant {version} needs Python {wanted} with its venv module (uv python install {wanted})"
    if os.environ.get("CI"):
        return f"{words}, and it is not here"
    print(f"NOT TESTED WITH HOME ASSISTANT {version}: {words}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    main(*sys.argv[1:])
