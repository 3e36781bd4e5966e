"""What a home was seen to do, written where neither a kill nor a power loss of the home reaches."""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from hushwatt.audit.harness.released import Released, Row


class NoteWriter:
    """Writes one note after the other; each is there once `write` returns, whatever happens next."""

    def __init__(self, path: Path) -> None:
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(self, kind: str, *what: int | str) -> None:
        os.write(self.file, json.dumps([kind, *what]).encode() + b"\n")

    def close(self) -> None:
        os.close(self.file)


@dataclass
class Notes:
    """All notes on one home, read."""

    drawn: dict[int, int] = field(default_factory=dict)  # ε that was drawn with, by slot
    sent: Released = field(default_factory=dict)  # what was handed to the network
    clocks: tuple[int, int] | None = None  # as it last saw them
    faults: list[str] = field(default_factory=list)


def read(path: Path, place: int) -> Notes:
    notes = Notes()
    for line in path.read_text().splitlines():
        kind, *what = json.loads(line)
        if kind == "drew":
            notes.drawn[what[0]] = notes.drawn.get(what[0], 0) + what[1]
        elif kind == "sent":
            row: Row = what[1], what[2], bytes.fromhex(what[3])
            notes.sent.setdefault((place, what[0]), set()).add(row)
        elif kind == "looked":
            notes.clocks = what[0], what[1]
        else:
            notes.faults.append(str(what[0]))
    return notes
