"""Ask whether a pinned package is known to be vulnerable, and fail unless every one was answered.

    python -m tools.supply.audit_deps

Pins for other Pythons and platforms are asked about as well; what a Home Assistant of the tests pins for itself is
not, as hushwatt brings none of it anywhere.  Without the internet it fails: silence is no
answer.
"""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tools.supply.pins import pins

LOCKS = ("dev", "provider", "evaluate", "spark", "otel", "light", "build", "tools")
AUDIT = [sys.executable, "-m", "pip_audit", "--strict", "--disable-pip", "--no-deps", "--format", "json"]


def main() -> None:
    pinned = sorted({(pin.name, pin.version) for lock in LOCKS for pin in pins(lock)})
    answered = [answer for layer in layers(pinned) for answer in asked(layer)]
    missing = [f"{name} {version}" for name, version in pinned if not any(known(answered, name, version))]
    bad = [answer for answer in answered if answer.get("vulns")]
    for answer in bad:
        for one in answer["vulns"]:
            better = ", ".join(one["fix_versions"]) or "none yet"
            print(f"{answer['name']} {answer['version']}: {one['id']}, fixed in {better}")
    print(f"{len(pinned) - len(missing)} of {len(pinned)} pinned packages answered for, {len(bad)} vulnerable")
    if missing:
        sys.exit(f"not answered for: {', '.join(missing)}")
    if bad:
        sys.exit(1)


def layers(pinned: list[tuple[str, str]]) -> list[dict[str, str]]:
    """The pins, each package at most once in a layer, as pip-audit wants them.

    >>> layers([("numpy", "2.4"), ("numpy", "2.5"), ("scipy", "1.17")])
    [{'numpy': '2.4', 'scipy': '1.17'}, {'numpy': '2.5'}]
    """
    found: list[dict[str, str]] = []
    for name, version in pinned:
        place = next((layer for layer in found if name not in layer), None)
        if place is None:
            found.append(place := {})
        place[name] = version
    return found


def asked(layer: dict[str, str]) -> list[dict[str, Any]]:
    """What pip-audit says about each package; it leaves with an error when it cannot ask."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "pins.txt")
        path.write_text("".join(f"{name}=={version}\n" for name, version in layer.items()))
        done = subprocess.run([*AUDIT, "--requirement", str(path)], capture_output=True, text=True)
    try:
        told: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        sys.exit(f"pip-audit could not ask: {(done.stderr.strip().splitlines() or ['no answer'])[-1]}")
    return told


def known(answers: list[dict[str, Any]], name: str, version: str) -> list[bool]:
    """Whether an answer is about this package and was not skipped."""
    return [one["name"] == name and one.get("version") == version and "vulns" in one for one in answers]


if __name__ == "__main__":
    main()
