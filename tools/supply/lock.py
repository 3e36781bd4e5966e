"""Pin what pyproject.toml asks for, by version and hash, for every platform and Python it allows.

    python -m tools.supply.lock            keeps the pins that still fit
    python -m tools.supply.lock --upgrade  moves to the newest releases that fit

`dev` is pinned first and the others by its pins, so that what is tested is what is deployed.  The files name
no package index: pip asks the one it is set to.
"""

import subprocess
import sys
from pathlib import Path

from tools.supply.pins import pins

HERE = Path(__file__).parents[2]
EXTRAS = ("dev", "provider", "evaluate", "spark")
COMPILE = [
    *(sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--no-config"),
    *("--universal", "--python-version", "3.11", "--generate-hashes", "--no-emit-index-url"),
    *("--custom-compile-command", "make lock"),
]


def main(*options: str) -> None:
    compile_("dev", "pyproject.toml", "--extra", "dev", *options)
    for name, words in smaller().items():
        compile_(name, *words, "--constraint", "requirements/dev.txt")
    compile_("tools", "requirements/tools.in", *options)


def smaller() -> dict[str, list[str]]:
    """What each of the locks under `dev` is made from."""
    return {
        "light": ["pyproject.toml"],
        "build": ["requirements/build.in"],
        **{extra: ["pyproject.toml", "--extra", extra] for extra in EXTRAS if extra != "dev"},
    }


def compile_(name: str, *words: str) -> None:
    subprocess.run([*COMPILE, *words, "--output-file", f"requirements/{name}.txt"], check=True, cwd=HERE)
    print(f"requirements/{name}.txt  {len(pins(name))} pins")


if __name__ == "__main__":
    main(*sys.argv[1:])
