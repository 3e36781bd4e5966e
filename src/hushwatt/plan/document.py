"""From the text of a plan file to its table, before anything is judged.

People write TOML.  Programs pass the canonical form around, which is JSON:
amounts there are whole millionths, and watts are decimal strings.  Both give
the same table.
"""

import json
import re
import tomllib
from decimal import Decimal, InvalidOperation
from typing import Any

from hushwatt.errors import PlanError

LARGEST = 1_000_000  # bytes
LONGEST_NAME = 200  # letters of a table's name; every key below it is looked up from the first of them on
LONG_NAME = re.compile(rf"^[ \t]*\[[^\]\n]{{{LONGEST_NAME}}}", re.MULTILINE)
Table = dict[str, Any]


def decode(text: str | bytes) -> str:
    """The text, when it is UTF-8 and of a sensible size."""
    if len(text) > LARGEST:
        raise PlanError(f"has {len(text):,} bytes; a plan has at most {LARGEST:,}")
    if isinstance(text, str):
        return text.removeprefix("\ufeff")
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        raise PlanError(f"is not UTF-8 text: byte {wrong.start} cannot be read") from None


def is_json(text: str) -> bool:
    """Whether a plan is in its canonical form; no TOML file begins with a brace."""
    return text.lstrip().startswith("{")


def parse_toml(text: str) -> Table:
    """The table of a TOML plan, its decimals kept exactly as written."""
    if long := LONG_NAME.search(text):
        line = text.count("\n", 0, long.start()) + 1
        raise PlanError(f"line {line}: the name of a table has at most {LONGEST_NAME} letters")
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as wrong:
        raise PlanError(_place(str(wrong), text)) from None
    except (ValueError, ArithmeticError, RecursionError):
        raise PlanError("is not a plan: it holds a number or a nesting beyond all sense") from None


def parse_json(text: str) -> Table:
    """The table of a canonical plan, as the JSON has it."""
    try:
        table: Table = json.loads(text, object_pairs_hook=_once, parse_float=Decimal, parse_constant=Decimal)
    except json.JSONDecodeError as wrong:
        raise PlanError(f"line {wrong.lineno}, column {wrong.colno}: {wrong.msg}") from None
    except (ValueError, ArithmeticError, RecursionError):
        raise PlanError("is not a plan: it holds a number or a nesting beyond all sense") from None
    return table


def as_written(canonical: Table) -> Table:
    """A canonical table as its author could have written it in TOML.

    What is not of the canonical kind is left as it is, for others to refuse.

    >>> as_written({"epsilon": 500000, "appliance": [{"name": "kettle", "edges": ["0.5"]}]})
    {'epsilon': Decimal('0.500000'), 'appliance': [{'name': 'kettle', 'edges': [Decimal('0.5')]}]}
    """
    table = dict(canonical)
    for key in ("epsilon", "appliance_epsilon"):
        if key in table:
            table[key] = _from_millionths(table[key])
    if isinstance(table.get("appliance"), list):
        table["appliance"] = [_with_numbers(each) for each in table["appliance"]]
    return table


def _with_numbers(appliance: Any) -> Any:
    if not isinstance(appliance, dict):
        return appliance
    table = dict(appliance)
    for key in ("edges", "values"):
        if isinstance(table.get(key), list):
            table[key] = [_from_string(each) for each in table[key]]
    for key in ("typical_mean", "typical_high"):
        if key in table:
            table[key] = _from_string(table[key])
    return table


def _from_millionths(value: Any) -> Any:
    sensible = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18
    return Decimal(value).scaleb(-6) if sensible else value


def _from_string(value: Any) -> Any:
    try:
        return Decimal(value) if isinstance(value, str) else value
    except InvalidOperation:
        return value


def _once(pairs: list[tuple[str, Any]]) -> Table:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise PlanError("names a key twice")
    return table


def _place(message: str, text: str) -> str:
    """tomllib's message with the place in front."""
    found = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", message, re.DOTALL)
    if found:
        return f"line {found[2]}, column {found[3]}: {found[1]}"
    lines = text.split("\n")
    return f"line {len(lines)}, column {len(lines[-1]) + 1}: {message.removesuffix(' (at end of document)')}"
