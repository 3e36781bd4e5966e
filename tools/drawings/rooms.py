"""The house: every room of the source on its floor, with what it needs from outside, as its imports say."""

import ast
import sys
from functools import cache
from textwrap import wrap

from tests.test_rooms import GROUND, HEIGHT, SOURCE, graph, room

from tools.drawings.svg import arrow, box, drawing, words

WIDTH, GAP = 960, 8
LEFT, HOUSE, TOP = 56, 560, 62
LETTER = 7  # a letter's width, with room to spare
KIND = {"household": "home", "provider": "provider", "wire": "agreed", "plan": "agreed"}
TITLE = "The rooms of hushwatt: each imports only from those below, and household and provider never meet"


def picture() -> str:
    y, parts = TOP, []
    for members in by_floor():
        width = (HOUSE - 12 * (len(members) - 1)) / len(members)
        notes = {name: wrap(about(name), int((width - 28) / LETTER)) for name in members}
        needs = needs_of(members)
        tall = max(40 + 18 * max(map(len, notes.values())), 14 + 18 * len(needs))
        for side, name in enumerate(members):
            parts += floor_of(name, notes[name], LEFT + side * (width + 12), y, width, tall)
        start = y + tall / 2 + 5 - 9 * (len(needs) - 1)
        parts += [words(LEFT + HOUSE + 24, start + 18 * line, text) for line, text in enumerate(needs)]
        y += tall + GAP
    return drawing(
        WIDTH,
        y + 10,
        TITLE,
        words(LEFT, 40, "The rooms", "title"),
        words(LEFT + HOUSE + 24, 40, "what each needs from outside", "title"),
        arrow((LEFT - 20, TOP + 8), (LEFT - 20, y - 16)),
        f'<g transform="rotate(-90 {LEFT - 28} {y / 2 + 24})">'
        + words(LEFT - 28, y / 2 + 24, "imports point down only", anchor="middle")
        + "</g>",
        *parts,
    )


def needs_of(members: list[str]) -> list[str]:
    """What the rooms of a floor need, in lines."""
    found = needed()
    labels = [f"{name}: " if len(members) > 1 else "" for name in members]
    told = (label + ", ".join(sorted(found[name])) for label, name in zip(labels, members, strict=True))
    return [line for words in told for line in wrap(words, 44)]


def by_floor() -> list[list[str]]:
    """The rooms, highest first; a room stands just above the highest of those that it imports."""
    uses = edges()
    height: dict[str, int] = {}
    while len(height) < len(uses):
        ready = {name for name in uses.keys() - height.keys() if uses[name] <= height.keys()}
        if not ready:
            raise SystemExit(f"rooms import each other: {', '.join(sorted(uses.keys() - height.keys()))}")
        height |= {name: 1 + max((height[each] for each in uses[name]), default=-1) for name in ready}
    levels = sorted(set(height.values()), reverse=True)
    return [sorted(name for name in height if height[name] == level) for level in levels]


@cache
def imported() -> dict[str, frozenset[str]]:
    """What each module of the source imports."""
    return graph(SOURCE)


def edges() -> dict[str, set[str]]:
    """The rooms that each room names in its imports."""
    uses: dict[str, set[str]] = {name: set() for name in HEIGHT}
    for module, targets in imported().items():
        here = room(module)
        uses[here or GROUND] |= {there for there in map(room, targets) if there and there != here}
    return uses


def needed() -> dict[str, set[str]]:
    """The packages of others that each room names in its imports."""
    needs: dict[str, set[str]] = {name: set() for name in HEIGHT}
    for module, targets in imported().items():
        outside = {target.split(".")[0] for target in targets} - {"hushwatt", *sys.stdlib_module_names}
        needs[room(module) or GROUND] |= outside
    return needs


def floor_of(name: str, lines: list[str], x: float, y: float, width: float, tall: float) -> list[str]:
    top = y + tall / 2 - 9 * len(lines) + 2
    return [
        box(x, y, width, tall, KIND.get(name, "box")),
        words(x + 14, top, name, "name"),
        *(words(x + 14, top + 19 + 18 * at, text) for at, text in enumerate(lines)),
    ]


def about(name: str) -> str:
    """The first sentence of the room's own words."""
    if name == GROUND:
        return "Errors, and how files are written"
    text = ast.get_docstring(ast.parse((SOURCE / name / "__init__.py").read_text(encoding="utf-8"))) or ""
    return text.split("\n\n")[0].replace("\n", " ").rstrip(".")
