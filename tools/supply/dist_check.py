"""Install the built wheel and sdist into empty environments, as a user would, and run them there.

    python -m tools.supply.dist_check dist

The wheel by itself and with each extra, with whatever pip finds today; then the sdist by itself.
"""

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

FLOW = (
    "plan new --preset advised -o plan.toml",
    "plan check plan.toml",
    "doctor",
)
BULK = (
    "simulate ideal -o readings.parquet --homes 300 --slots 3 --seed 1",
    "randomise plan.toml readings.parquet -o reports.parquet --seed 2",
    "top plan.toml reports.parquet",
    "demo --exit --homes 300 --days 3",
)
SPARK = ("estimate plan.toml reports.parquet --engine spark --json",)
WORKS = {
    "": FLOW,
    "provider": (*FLOW, *BULK),
    "evaluate": (*FLOW, *BULK, "reproduce floors --quick -o paper"),
    "spark": (*FLOW, *BULK, *SPARK),
    "otel": (*FLOW, *BULK),
}


def main(folder: str) -> None:
    wheel = next(Path(folder).glob("hushwatt-*.whl")).resolve()
    sdist = next(Path(folder).glob("hushwatt-*.tar.gz")).resolve()
    for extra, commands in WORKS.items():
        try_out(f"{wheel}[{extra}]" if extra else str(wheel), commands)
    try_out(str(sdist), FLOW)


def try_out(what: str, commands: tuple[str, ...]) -> None:
    """Install it, check that nothing is missing, run the commands, and tell what it took."""
    began = time.monotonic()
    with TemporaryDirectory() as place:
        python = Path(place, "env", "bin", "python")
        run(place, sys.executable, "-m", "venv", "env")
        run(place, python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", what)
        run(place, python, "-m", "pip", "check")
        took = time.monotonic() - began
        for command in commands:
            run(place, python.parent / "hushwatt", *command.split())
        print(f"{Path(what).name}: {took:.0f} s, {size(place)}", flush=True)


def run(place: str, *words: object) -> None:
    done = subprocess.run([str(word) for word in words], cwd=place, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stdout}{done.stderr}")


def size(place: str) -> str:
    """How many packages came, and how large they are; pip and setuptools do not count."""
    site = next(Path(place, "env", "lib").glob("python*/site-packages"))
    own = ("pip", "setuptools", "_distutils_hack", "pkg_resources", "distutils-precedence")
    files = [file for file in site.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    total = sum(file.stat().st_size for file in files if not file.relative_to(site).parts[0].startswith(own))
    packages = [about for about in site.glob("*.dist-info") if not about.name.startswith(own)]
    return f"{len(packages)} packages, {total / 1e6:.0f} MB"


if __name__ == "__main__":
    main(*sys.argv[1:])
