"""What a lock file says: each package with its version, where it applies, its hashes, and who asks for it."""

import re
from dataclasses import dataclass
from pathlib import Path

LOCKS = Path(__file__).parents[2] / "requirements"
PIN = re.compile(r"^(?P<name>[\w.-]+)(?:\[[^]]*\])?==(?P<version>[^\s;\\]+)(?:\s*;\s*(?P<marker>[^\\\n]+))?")
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
VIA = re.compile(r"^ +#(?: via)? +(?!-c |--override )(?P<name>[\w.-]+)(?P<file> \()?", re.MULTILINE)


@dataclass(frozen=True)
class Pin:
    """One package as a lock file has it.

    >>> pin = Pin.parse("numpy==2.4.6 ; python_full_version < '3.12' \\\\\\n    --hash=sha256:" + 64 * "0" +
    ...                 "\\n    # via\\n    #   hushwatt (pyproject.toml)\\n    #   scipy\\n")
    >>> pin.name, pin.version, pin.marker, len(pin.hashes), pin.asked_by
    ('numpy', '2.4.6', "python_full_version < '3.12'", 1, ('hushwatt', 'scipy'))
    """

    name: str
    version: str
    marker: str | None
    hashes: tuple[str, ...]
    asked_by: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "Pin":
        head = PIN.match(text)
        assert head is not None, text
        marker = head["marker"].strip() if head["marker"] else None
        by = tuple(name["name"] for name in VIA.finditer(text) if name["name"] != "via")
        return cls(head["name"], head["version"], marker, tuple(HASH.findall(text)), by)


def pins(lock: str) -> list[Pin]:
    """Everything in requirements/LOCK.txt."""
    text = (LOCKS / f"{lock}.txt").read_text(encoding="utf-8")
    return [Pin.parse(part) for part in re.split(r"^(?=\w)", text, flags=re.MULTILINE) if PIN.match(part)]
