"""Install an extra of this checkout with what it needs, and show how far it is.

    python -m tools.supply.install dev               exactly the files that requirements/dev.txt pins, by hash
    python -m tools.supply.install dev --unlocked    the newest releases that pyproject.toml allows
    python -m tools.supply.install home-assistant-2025.4.4    what Home Assistant pins, and hushwatt where it fits

It installs into the environment of the Python that runs it.  pip's own words are shown when it fails.
"""

import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from tools.supply.home_assistant import PYTHONS, WITH_HUSHWATT
from tools.supply.pins import Pin, pins

HERE = Path(__file__).parents[2]
PIP = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar", "off"]
LATER = [] if sys.dont_write_bytecode else ["--no-compile"]  # Python compiles what is used when it is used
HOME_ASSISTANTS = {f"home-assistant-{version}" for version in PYTHONS}
WITHOUT_EXTRA = {"light", *HOME_ASSISTANTS}
WITHOUT_HUSHWATT = HOME_ASSISTANTS - {f"home-assistant-{WITH_HUSHWATT}"}
TAIL = 15  # lines of pip's that say what went wrong


def main(extra: str, *options: str) -> None:
    """Install the extra, and this checkout so that changes to it count at once."""
    checkout = ["--editable", f"{HERE}[{extra}]" if extra not in WITHOUT_EXTRA else str(HERE)]
    if "--unlocked" in options:
        install("what pyproject.toml allows", checkout)
        return
    for lock in ("build", extra):  # what builds comes first: a package without a wheel is built with it
        total = sum(applies(pin) for pin in pins(lock))
        file = f"{HERE}/requirements/{lock}.txt"
        flags = ["--require-hashes", "--no-deps", "--no-build-isolation"]
        install(f"what requirements/{lock}.txt pins", [*flags, "--requirement", file], total)
    if extra not in WITHOUT_HUSHWATT:
        install("hushwatt itself", ["--no-deps", "--no-build-isolation", *checkout])


def applies(pin: Pin) -> bool:
    """Whether this machine needs it."""
    from pip._vendor.packaging.markers import Marker  # pip's own: an empty environment has nothing else

    return pin.marker is None or Marker(pin.marker).evaluate()


def install(what: str, words: list[str], total: int = 0) -> None:
    """Run pip, tell how many packages have come, and leave with its last words if it fails."""
    print(f"installing {what}" + (f": {total} packages" if total else ""), file=sys.stderr, flush=True)
    command = [*PIP, *LATER, *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as pip:
        assert pip.stdout is not None
        said = list(followed(pip.stdout, total))
    if pip.returncode:
        print(*said[-TAIL:], sep="", file=sys.stderr)
        sys.exit(f"pip could not install {what}")


def followed(lines: Iterable[str], total: int) -> Iterator[str]:
    """The lines, with a counter on the terminal as they come."""
    come = 0
    for line in lines:
        yield line
        if line.startswith("Collecting ") and total:
            come += 1
            show(f"  {come} of {total}  {line.split()[1].partition('==')[0]}")
        elif line.startswith("Installing collected"):
            show("  unpacking")
    show("")


def show(text: str) -> None:
    """Replace the line that a person watches."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
