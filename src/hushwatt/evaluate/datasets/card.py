"""What each dataset is, and where its users find it; the words are in `cards.toml`."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Card:
    """One dataset, in words."""

    name: str  # as the command line calls it
    title: str
    about: str
    where: str  # it can be had
    licence: str
    layout: str  # what is expected inside the folder
    gap: str  # how long a value is held


@cache
def cards() -> dict[str, Card]:
    """All datasets by name.

    >>> cards()["ideal"].licence
    'CC BY 4.0'
    """
    text = files(__package__).joinpath("cards.toml").read_text(encoding="utf-8")
    return {name: Card(name, **card) for name, card in tomllib.loads(text).items()}
