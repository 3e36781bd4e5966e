"""What a provider knows of a home anyway: its tariff, its region.  Never anything that the home measured.

Labels hang on enrolment codes and on files, and both sides say them in the same words.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from hushwatt.errors import UsageError

MAX_LABELS = 8  # of a home
MAX_LETTERS = 60  # of a value
LABEL_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")


@dataclass(frozen=True)
class Labels:
    """Names and values, sorted by name.

    >>> labels = Labels.of({"tariff": "A", "region": "north"})
    >>> labels.words(), labels.canonical(), Labels.parse(labels.canonical()) == labels
    ('region north, tariff A', '{"region":"north","tariff":"A"}', True)
    """

    pairs: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, values: Mapping[str, object]) -> Self:
        """Labels by name, each checked."""
        if len(values) > MAX_LABELS:
            raise UsageError(f"a home has at most {MAX_LABELS} labels, not {len(values)}")
        for name, value in values.items():
            check_label(name, value)
        return cls(tuple(sorted((name, str(value)) for name, value in values.items())))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Labels from their canonical JSON."""
        return cls.of(json.loads(text))

    def __bool__(self) -> bool:
        return bool(self.pairs)

    def canonical(self) -> str:
        """The one JSON text of these labels."""
        return json.dumps(dict(self.pairs), sort_keys=True, ensure_ascii=False, separators=(",", ":"))

    def document(self) -> dict[str, str]:
        return dict(self.pairs)

    def words(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in self.pairs)


NO_LABELS = Labels()


def parse_labels(texts: Iterable[str]) -> Labels:
    """Labels as options say them.

    >>> parse_labels(["tariff=A", "region=north"]).words()
    'region north, tariff A'
    """
    values: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"{text!r} is no label: write a name, an equals sign and a value, as tariff=A")
        if name in values:
            raise UsageError(f"the label {name} is given twice")
        values[name] = value
    return Labels.of(values)


def check_label(name: object, value: object) -> None:
    """Refuse a name or a value that is no label."""
    if not isinstance(name, str) or not LABEL_NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no name of a label: a letter, then up to 39 more letters, digits, hyphens and underscores"
        )
    if not isinstance(value, str) or not 0 < len(value) <= MAX_LETTERS or not value.isprintable():
        raise UsageError(f"the label {name} needs a value of 1 to {MAX_LETTERS} printable letters")
    if value != value.strip() or set(value) & {",", "=", '"'}:
        raise UsageError(f"the label {name} must not have commas, equals signs, quotes or outer spaces in its value")
