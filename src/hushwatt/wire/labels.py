"""What a provider knows of a home anyway: its tariff, its region.  Never anything that the home measured.

Labels hang on enrolment codes and on files, and both sides check and say them alike.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from hushwatt.errors import UsageError
from hushwatt.sanitise import quoted

MAX_LABELS = 8  # names
MAX_LENGTH = 60  # characters of a name or a value
MISSING = "(none)"  # the value of a home that lacks a label, as it is written and shown
RESERVED = {"dates", "hours", "weekdays", "household", "customers"}  # words that mean something else where labels stand
NAME = re.compile(r"[^\W\d][\w .-]*")


def check_label(name: str, value: str | None = None) -> None:
    """Refuse a name or a value that could be taken for something else where it is written or shown."""
    for what, text in (("label", name), ("value", value)):
        if text is None:
            continue
        if not text or len(text) > MAX_LENGTH or text != text.strip() or not text.isprintable():
            raise UsageError(f"{what} {quoted(text, MAX_LENGTH)}: write 1 to {MAX_LENGTH} plain characters")
        if set(text) & set("=,"):
            raise UsageError(f"{what} {quoted(text)}: it must not hold = or , because groups are written with them")
    if not NAME.fullmatch(name) or name.lower() in RESERVED:
        raise UsageError(f"label {quoted(name)}: begin it with a letter, and not as {', '.join(sorted(RESERVED))}")
    if value == MISSING:
        raise UsageError(f"label {quoted(name)}: {MISSING} stands for no value; leave it out")


@dataclass(frozen=True)
class Labels:
    """What is known of one home, the most important first.

    >>> labels = Labels.of({"tariff": "A", "region": "north"})
    >>> labels.words(), labels.canonical()
    ('tariff A, region north', '{"region":"north","tariff":"A"}')
    """

    pairs: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, values: Mapping[str, str]) -> Self:
        """Labels by name, each checked."""
        if len(values) > MAX_LABELS:
            raise UsageError(f"{len(values)} labels; there may be {MAX_LABELS} at most")
        for name, value in values.items():
            check_label(name, value)
        return cls(tuple(values.items()))

    @classmethod
    def written(cls, texts: Iterable[str]) -> Self:
        """Labels as options say them.

        >>> Labels.written(["tariff=A", "region=north"]).words()
        'tariff A, region north'
        """
        values: dict[str, str] = {}
        for text in texts:
            name, equals, value = (part.strip() for part in text.partition("="))
            if not equals:
                raise UsageError(f"{quoted(text)} is no label: write a name, an equals sign and a value, as tariff=A")
            if name in values:
                raise UsageError(f"the label {quoted(name)} is given twice")
            values[name] = value
        return cls.of(values)

    @classmethod
    def received(cls, document: object) -> Self:
        """Labels from an answer, whoever wrote it."""
        if not isinstance(document, dict) or not all(
            isinstance(text, str) for pair in document.items() for text in pair
        ):
            raise UsageError("labels must be names and values, all of them texts")
        return cls.of(document)

    def __bool__(self) -> bool:
        return bool(self.pairs)

    def canonical(self) -> str:
        """The one JSON text of these labels, in whatever order they are."""
        return json.dumps(dict(self.pairs), sort_keys=True, ensure_ascii=False, separators=(",", ":"))

    def document(self) -> dict[str, str]:
        return dict(self.pairs)

    def words(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in self.pairs)


NO_LABELS = Labels()
