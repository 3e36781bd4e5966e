"""Which appliance a plug's name speaks of: a guess that the owner confirms, never more.

The words are those of the catalogue and of `appliance_words.toml`, in several languages.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any
from unicodedata import combining, normalize

from hushwatt.plan.catalogue import entries, spelling

MAX_NAME = 200  # characters of a name that are looked at
MIN_PART = 8  # letters of a word that is known inside a longer one, as in Waschmaschinensteckdose
LAST = ("mains", "other")  # what is guessed only where nothing else is: their words are said of all meters
UNCLEAR = ("ac", "av")  # aliases that more often mean something else in a name
NEAR = 0.8  # how alike two spellings are where one is a slip of the other
PLAIN = str.maketrans({"ł": "l", "ø": "o", "æ": "ae", "đ": "d", "ı": "i"})
SPELT_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})


def guess_appliance(name: str, appliances: Iterable[str]) -> str | None:
    """The one of these appliances that a plug of this name measures; None where its name tells of none, or of another.

    >>> guess_appliance("sensor.wasmachine_power", ["kettle", "washing machine"])
    'washing machine'
    >>> guess_appliance("Dish washer", ["washing_machine"]), guess_appliance("plug 3", ["kettle"])
    (None, None)
    """
    known = {_kind(each): each for each in appliances}
    own = {"".join(_words(each)): each for each in known.values()}
    words = _without_noise(_words(_split_camel(name[:MAX_NAME])))
    found = _longest_kind(words, {spelt: _kind(each) for spelt, each in own.items()})
    kin: dict[str, str] = _file()["kin"]
    return known.get(found) or known.get(kin.get(found, "")) if found else None


def near_miss(name: str, appliances: Iterable[str]) -> str | None:
    """The one of these appliances that was meant by a name which is none of them, if it is near one.

    >>> near_miss("washing machine", ["washing_machine", "kettle"]), near_miss("kettel", ["kettle"])
    ('washing_machine', 'kettle')
    >>> near_miss("kettle", ["kettle"]), near_miss("aquarium", ["kettle"])
    (None, None)
    """
    known = list(appliances)
    if name in known:
        return None
    kind = _kind(name[:MAX_NAME])
    if kind in (kinds := {_kind(each): each for each in known}):
        return kinds[kind]
    spelt = {spelling(each): each for each in known}
    near = get_close_matches(spelling(name[:MAX_NAME]), list(spelt), n=1, cutoff=NEAR)
    return spelt[near[0]] if near else None


def is_mains(appliance: str) -> bool:
    """Whether an appliance is the whole house, as its meter sees it.

    >>> is_mains("mains"), is_mains("Hausanschluss"), is_mains("kettle")
    (True, True, False)
    """
    return _kind(appliance) == "mains"


def _longest_kind(words: list[str], own: dict[str, str]) -> str | None:
    """The kind of which the longest word stands in a name; None where none does, or two of the same length."""
    kinds = _kinds() | {spelt: kind for spelt, kind in own.items() if spelt}
    found = {(len(spelt), kinds[spelt]) for spelt in _runs(words) if spelt in kinds}
    found |= {(len(part), kinds[part]) for part in kinds if len(part) >= MIN_PART for word in words if part in word}
    told = {each for each in found if each[1] not in LAST} or found
    longest = {kind for length, kind in told if length == max(told)[0]}
    return longest.pop() if len(longest) == 1 else None


def _runs(words: list[str]) -> Iterator[str]:
    """Every run of words as if it were one, with and without a number at its end."""
    for start in range(len(words)):
        for end in range(start + 1, min(start + 5, len(words)) + 1):
            run = "".join(words[start:end])
            yield from {run, run.rstrip("0123456789")}


def _without_noise(words: list[str]) -> list[str]:
    """The words without those that speak of the meter."""
    text = f" {' '.join(words)} "
    for noise in _file()["noise"]:
        text = text.replace(f" {noise} ", " ")
    return text.split()


def _kind(name: str) -> str:
    """What an appliance is, however it is called: the catalogue's name for it, or its own spelling."""
    spelt = "".join(_words(name))
    return _kinds().get(spelt, spelling(name))


def _words(name: str) -> list[str]:
    """The words of a name, without case and accents.

    >>> _words("Sensor.Kühl-Schrank_2")
    ['sensor', 'kuhl', 'schrank', '2']
    """
    parts = normalize("NFKD", name.casefold().translate(PLAIN))
    letters = "".join(each for each in parts if not combining(each))
    return re.findall(r"[^\W_]+", letters)


def _split_camel(name: str) -> str:
    """A name whose words are told by capitals alone, in words."""
    return re.sub(r"(?<=[a-zà-ÿ])(?=[A-ZÀ-Þ])", " ", name)


@cache
def _kinds() -> dict[str, str]:
    """Every word for an appliance, as it is compared, and the catalogue's name of what it means."""
    called = [(each.name, word) for each in entries() for word in (each.name, *each.aliases)]
    called += [(kind, word) for kind, words in _file()["words"].items() for word in (kind, *words)]
    pairs = [(kind, spelt) for kind, word in called for spelt in (word, word.casefold().translate(SPELT_OUT))]
    return {"".join(_words(spelt)): kind for kind, spelt in pairs if spelt not in UNCLEAR}


@cache
def _file() -> dict[str, Any]:
    text = (files("hushwatt.household.sources") / "appliance_words.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
