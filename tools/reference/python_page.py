"""What `import hushwatt` offers: names, signatures and docstrings, from the code."""

import inspect
import re
import typing
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from importlib import import_module

import hushwatt
from hushwatt import errors
from tools.reference.forms import WRITTEN, cell, document, examples, fenced, prose, table

INTRODUCTION = """\
The names a script needs, all of them straight from `hushwatt`. They stay as they are within a major version.
[Use it from Python](../howto/use-from-python.md) shows them at work. Amounts of ε are whole millionths:
2,000,000 is ε = 2. A *Frame* is a pyarrow table, a pandas or polars data frame, or the path of a file or
folder."""
ORDER = (
    "preset",
    "Plan",
    "Appliance",
    "simulate",
    "randomise",
    "estimate",
    "Result",
    "compare",
    "promise",
    "advise",
    "HushwattError",
)
RETURNED = {  # what a function gives that has no name of its own in `hushwatt`
    "compare": ("hushwatt.fleet.selection", "Selection"),
    "promise": ("hushwatt.privacy.promise", "Promise"),
    "advise": ("hushwatt.privacy.advice", "Advice", "Candidate"),
}
WIDE = 100  # characters of a call that stays on one line
COMMENT = re.compile(r"^    (\w+): [^#=\n]+(?:= [^#\n]+)?(?:# (.*))?$", re.MULTILINE)


def page() -> str:
    if set(ORDER) != set(hushwatt.NAMES):
        raise SystemExit(f"not on the Python page: {set(ORDER) ^ set(hushwatt.NAMES)}")
    return document("# The Python interface", WRITTEN, INTRODUCTION, *(section(name) for name in ORDER))


def section(name: str) -> str:
    thing = getattr(hushwatt, name)
    if name == "HushwattError":
        return refusals()
    parts = [f"## hushwatt.{name}", described(thing, f"hushwatt.{name}")]
    module, *others = RETURNED.get(name, ("hushwatt",))
    for other in others:
        parts += [f"### {other}", described(getattr(import_module(module), other), other)]
    return document(*parts).strip()


def described(thing: object, title: str) -> str:
    words = inspect.getdoc(thing) or ""
    if inspect.isclass(thing):
        return document(prose(words), members(thing), example(words)).strip()
    return document(fenced("text", signature(thing, title)), prose(words), example(words)).strip()


def example(words: str) -> str:
    found = examples(words)
    return fenced("pycon", found) if found else ""


def signature(thing: typing.Any, title: str) -> str:
    """A call as it is written, a parameter on a line when it would be long."""
    shape = (
        str(inspect.signature(thing))
        .replace(": Any", ": Frame")
        .replace("-> Any", "-> Frame")
        .replace("pyarrow.lib.Table", "Table")
    )
    shown = title + re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", shape)
    shown = shown.replace("[Any]", "[Frame]").replace("-> Table", "-> pyarrow.Table").replace("'", '"')
    return (
        shown
        if len(shown) <= WIDE
        else "(\n    ".join(shown.split("(", 1)).replace(", ", ",\n    ").replace(") ->", ",\n) ->")
    )


def members(kind: type) -> str:
    """The fields, properties and methods of a class that are meant for others."""
    rows = [(f"`{name}`", words) for name, words in field_words(kind).items()]
    for name, member in vars(kind).items():
        if name.startswith("_") or name in field_words(kind):
            continue
        member = getattr(member, "func", member)  # a cached property
        if isinstance(member, property):
            rows.append((f"`{name}`", told(member.fget)))
        elif isinstance(member, classmethod):
            rows.append((f"`{kind.__name__}.{name}({names(member.__func__)})`", told(member.__func__)))
        elif inspect.isfunction(member):
            is_value = not isinstance(vars(kind)[name], type(member))
            rows.append((f"`{name}`" if is_value else f"`{name}({names(member)})`", told(member)))
    return table(("", ""), rows)


def field_words(kind: type) -> dict[str, str]:
    """Each field with its type and the comment beside it."""
    if not is_dataclass(kind):
        return {}
    comments = dict(COMMENT.findall(inspect.getsource(kind)))
    hints = typing.get_type_hints(kind)
    return {
        each.name: "; ".join(filter(None, (plain(hints[each.name]), comments.get(each.name)))) for each in fields(kind)
    }


def plain(hint: object) -> str:
    """A type as people write it.

    >>> plain(int | None), plain(tuple[float, ...])
    ('int or None', 'tuple[float, ...]')
    """
    text = hint.__name__ if isinstance(hint, type) and not typing.get_args(hint) else str(hint)
    return re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", text).replace(" | ", " or ")


def names(function: Callable[..., object]) -> str:
    return ", ".join(list(inspect.signature(function).parameters)[1:])


def told(function: object) -> str:
    """What a member is, or else the type that it gives."""
    return first_line(function) or plain(typing.get_type_hints(function)["return"])


def first_line(function: object) -> str:
    return cell(prose(inspect.getdoc(function) or "").split("\n\n")[0])


def refusals() -> str:
    """The tree of errors."""
    kinds = [kind for kind in vars(errors).values() if inspect.isclass(kind) and kind is not errors.HushwattError]
    rows = [(f"`{kind.__name__}`", first_line(kind)) for kind in kinds]
    return document(
        "## hushwatt.HushwattError",
        f"{first_line(errors.HushwattError)} Whatever hushwatt refuses is one of its kinds, in "
        "`hushwatt.errors`; a message never carries a reading.",
        table(("kind", ""), rows),
    ).strip()
