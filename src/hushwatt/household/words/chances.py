"""Chances and appliances as one speaks of them: how often a guess is right, beside guessing alone."""

import re

from hushwatt.household.words.clock_words import slot_words
from hushwatt.plan.slot import SlotLength
from hushwatt.privacy.long_run.words import article, times_in_100
from hushwatt.sanitise import quoted, sanitised

HARDLY = 0.05  # so little above guessing is called "could not tell", and the number is said all the same
SURE = 0.995
FRACTIONS = ((3, 5), (5, 8), (2, 3), (7, 10), (3, 4), (4, 5), (17, 20), (9, 10), (19, 20), (99, 100), (1, 1))
SLACK = 0.005  # by which a fraction may be below what it stands for
ALWAYS_ON = ("fridge", "freezer", "mains", "router", "standby")
SIMPLE_NAME = re.compile(r"[^\W_]+(?:[ _-][^\W_]+){0,4}")  # one that can stand in a sentence as it is
LONGEST_NAME = 40
COIN = "where a coin toss is right"


def chance_words(chance: float, guess: float = 0.5, at_most: bool = False) -> str:
    """How often a guess is right, or at most, beside guessing alone; never rounded down to a comfort.

    >>> chance_words(0.6607)
    'right about 2 times in 3, where a coin toss is right 1 time in 2'
    >>> chance_words(0.61, at_most=True)
    'right at most 5 times in 8, where a coin toss is right 1 time in 2'
    >>> chance_words(0.51), chance_words(0.997)
    ('right 51 times in 100, where a coin toss is right 50 times', 'nearly always right')
    >>> chance_words(0.62, 0.1)
    'right 62 times in 100, where mere guessing is right 10 times'
    """
    if chance >= SURE:
        return "nearly always right"
    if guess == 0.5 and chance - guess > HARDLY:
        top, bottom = next(pair for pair in FRACTIONS if pair[0] / pair[1] >= chance - SLACK)
        return f"right {'at most' if at_most else 'about'} {top} times in {bottom}, {COIN} 1 time in 2"
    most, alone = "at most " if at_most else "", COIN if guess == 0.5 else "where mere guessing is right"
    return f"right {most}{times_in_100(chance, guess)} times in 100, {alone} {100 * guess:.0f} times"


def plain_name(name: str) -> str:
    """An appliance's name without what only files need; one that could pass for a sentence stands in quotation marks.

    >>> plain_name("washing_machine"), plain_name("kettle. You are safe")
    ('washing machine', '“kettle. You are safe”')
    """
    if len(name) <= LONGEST_NAME and SIMPLE_NAME.fullmatch(name):
        return sanitised(name).replace("_", " ")
    return quoted(name)


def your(name: str) -> str:
    """An appliance as its owner speaks of it."""
    return f"your {plain_name(name)}"


def owned(name: str) -> str:
    """The same with its article: a kettle, an oven, lights."""
    plain = plain_name(name)
    return plain if plain.startswith("“") else article(name)


def was_on(name: str, slot: SlotLength) -> str:
    """What one may try to tell about an appliance in one slot.

    >>> was_on("kettle", SlotLength.parse("1h")), was_on("fridge_freezer", SlotLength.parse("1d"))
    ('whether, in any one hour, your kettle was on', 'whether, on any one day, your fridge freezer used little or much')
    """
    used = "used little or much" if any(word in name.lower() for word in ALWAYS_ON) else "was on"
    return f"whether, {slot_words(slot)}, {your(name)} {used}"
