"""Pin what pyproject.toml asks for, by version and hash, for every platform and Python it allows.

    python -m tools.supply.lock            keeps the pins that still fit
    python -m tools.supply.lock --upgrade  moves to the newest releases that fit

`dev` is pinned first and the others by its pins, so that what is tested is what is deployed.  The environments of a
Home Assistant are pinned by the constraints that its own wheel carries.  The files name no package index: pip asks
the one it is set to.
"""

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from tools.supply.home_assistant import PYTHONS, WITH_HUSHWATT
from tools.supply.pins import pins

HERE = Path(__file__).parents[2]
EXTRAS = ("dev", "provider", "evaluate", "spark", "otel")
COMPILE = [
    *(sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--no-config"),
    *("--universal", "--generate-hashes", "--no-emit-index-url"),
    *("--custom-compile-command", "make lock"),
]
NAME = re.compile(r"[\w.-]+")


def main(*options: str) -> None:
    compile_("dev", "pyproject.toml", "--extra", "dev", "--override", "requirements/dev.override.in", *options)
    for name, words in smaller().items():
        compile_(name, *words, "--constraint", "requirements/dev.txt")
    compile_("tools", "requirements/tools.in", *options)
    for version, python in PYTHONS.items():
        name, ours = f"home-assistant-{version}", ["pyproject.toml"] if version == WITH_HUSHWATT else []
        words = [*ours, f"requirements/{name}.in", "--constraint", constraints(version, python)]
        words += ["--override", overrides(version)] if (HERE / overrides(version)).exists() else []
        compile_(name, *words, *options, python=python)


def smaller() -> dict[str, list[str]]:
    """What each of the locks under `dev` is made from."""
    return {
        "light": ["pyproject.toml"],
        "build": ["requirements/build.in"],
        **{extra: ["pyproject.toml", "--extra", extra] for extra in EXTRAS if extra != "dev"},
    }


def overrides(version: str) -> str:
    """What is taken instead of something that a Home Assistant pins."""
    return f"requirements/home-assistant-{version}.override.in"


def constraints(version: str, python: str) -> str:
    """What a Home Assistant's wheel says that its surroundings must be, as a file; less what is overridden."""
    path = f"build/constraints-{version}.txt"
    (HERE / "build").mkdir(exist_ok=True)
    with TemporaryDirectory() as folder:
        what = [f"homeassistant=={version}", "--no-deps", "--only-binary=:all:", "--python-version", python]
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", *what, "--dest", folder], check=True)
        with ZipFile(next(Path(folder).iterdir())) as wheel:
            lines = wheel.read("homeassistant/package_constraints.txt").decode().splitlines()
    other = (HERE / overrides(version)).read_text().splitlines() if (HERE / overrides(version)).exists() else []
    names = {NAME.match(line)[0] for line in other if not line.startswith("#")}  # type: ignore[index]
    kept = [line for line in lines if not (found := NAME.match(line)) or found[0].lower() not in names]
    (HERE / path).write_text("\n".join(kept) + "\n")
    return path


def compile_(name: str, *words: str, python: str = "3.11") -> None:
    target = ["--python-version", python, "--output-file", f"requirements/{name}.txt"]
    subprocess.run([*COMPILE, *words, *target], check=True, cwd=HERE)
    print(f"requirements/{name}.txt  {len(pins(name))} pins")


if __name__ == "__main__":
    main(*sys.argv[1:])
