"""One name for one kind of appliance, whatever a dataset calls it."""

import re

from hushwatt.plan import catalogue

MAINS = "mains"  # a whole home's total, which is no appliance

TOTALS = {"mains", "aggregate", "sitemeter"}
MERGED = {"washer_drier": "washing_machine"}  # as in the paper: "washing machine or washer-drier"
NAMELESS = {"", "appliance", "unknown"}


def common_name(name: str) -> str:
    """The catalogue's name for an appliance, or the dataset's own in small letters.

    Numbers that tell two of a kind apart go: the readings of a home's two
    freezers are added up.

    >>> [common_name(name) for name in ("fridgefreezer", "Dish_Washer", "laptop2", "Washer Dryer")]
    ['fridge_freezer', 'dishwasher', 'laptop', 'washing_machine']
    >>> [common_name(name) for name in ("rice_cooker", "aggregate", "unknown")]
    ['rice_cooker', 'mains', 'other']
    """
    if catalogue.spelling(name) in TOTALS:
        return MAINS
    listed = catalogue.entry(name) or catalogue.entry(_unnumbered(name))
    plain = listed.name if listed else re.sub(r"\W+", "_", _unnumbered(name).casefold()).strip("_")
    return "other" if plain in NAMELESS else MERGED.get(plain, plain)


def _unnumbered(name: str) -> str:
    """The name without what is in brackets, and without a number at its end."""
    return re.sub(r"[\s_]*\d+$", "", re.sub(r"\(.*?\)", "", name).strip())
