"""Every command, with its options, defaults and exit status, from the command line itself."""

import inspect
from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from cyclopts import App
from cyclopts.argument import Argument

from hushwatt.cli import exit_codes
from hushwatt.cli.main import app_for
from tools.reference.forms import WRITTEN, document, fenced, prose, table

INTRODUCTION = """\
Results go to stdout, everything else to stderr. `--json` is there wherever a program may read. Where there is
a `--seed`, the same seed gives the same bytes; without it the randomness is the operating system's."""
POSITIONAL = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.VAR_POSITIONAL,
)
KINDS = {int: "N", float: "X", str: "TEXT", Path: "PATH"}


def page() -> str:
    commands = list(walk(app_for(), ("hushwatt",)))
    return document(
        "# The command line",
        WRITTEN,
        INTRODUCTION,
        statuses(commands),
        *(section(path, app) for path, app in commands),
    )


def walk(app: App, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], App]]:
    """Every command below an app, groups before their members."""
    for name in app:
        if not name.startswith("-"):
            yield (*path, name), app[name]
            yield from walk(app[name], (*path, name))


def statuses(commands: list[tuple[tuple[str, ...], App]]) -> str:
    saying_no = [f"`{' '.join(path)}`" for path, app in commands if "Exits with 1" in told(app)]
    rows = [
        ("0", "done"),
        ("1", f"the answer is no: {', '.join(saying_no)}"),
        (str(exit_codes.BAD_INPUT), "wrong use or bad input: one line on stderr says what to change"),
        (str(exit_codes.INTERRUPTED), "ended with Ctrl-C"),
        (str(exit_codes.BROKEN_PIPE), "whoever read the output went away, as `head` does"),
    ]
    return document("## Exit status", table(("status", "meaning"), rows)).strip()


def told(app: App) -> str:
    """All that a command's own docstring says, or what its group says about it."""
    return inspect.getdoc(app.default_command) or app.help if app.default_command else app.help


def section(path: tuple[str, ...], app: App) -> str:
    heading = f"{'#' * len(path)} {' '.join(path)}"
    if app.default_command is None:
        return document(heading, app.help).strip()
    arguments = [each for each in app.assemble_argument_collection(parse_docstring=True) if each.show]
    return document(heading, prose(told(app)), fenced("text", usage(path, arguments)), options(arguments)).strip()


def usage(path: tuple[str, ...], arguments: list[Argument]) -> str:
    places = [placed(each) for each in arguments if is_positional(each)]
    needed = [spelt(each) for each in arguments if each.required and not is_positional(each)]
    rest = ["[OPTIONS]"] if any(not each.required and not is_positional(each) for each in arguments) else []
    return " ".join([*path, *places, *needed, *rest])


def placed(argument: Argument) -> str:
    name = argument.name.lstrip("-").upper()
    name = f"{name}…" if argument.field_info.kind is inspect.Parameter.VAR_POSITIONAL else name
    return name if argument.required else f"[{name}]"


def options(arguments: list[Argument]) -> str:
    rows = [
        (
            f"`{placed(each) if is_positional(each) else ', '.join(spellings(each))}`",
            meaning(each),
            default(each),
        )
        for each in arguments
    ]
    return table(("", "", "default"), rows) if rows else ""


def is_positional(argument: Argument) -> bool:
    return argument.field_info.kind in POSITIONAL


def spelt(argument: Argument) -> str:
    return spellings(argument)[-1]


def spellings(argument: Argument) -> list[str]:
    """The names of an option, the last one with what follows it; the command line knows no --no-."""
    first, *others = argument.names
    names = [first, *(name for name in others if not name.startswith("--no-"))]
    value = awaited(argument.hint)
    return [*names[:-1], f"{names[-1]} {value}" if value else names[-1]]


def awaited(hint: Any) -> str:
    """What an option takes: nothing, a number, a text, or one of a few words."""
    if get_origin(hint) in (Union, UnionType):
        (hint,) = (each for each in get_args(hint) if each is not NoneType)
    if get_origin(hint) is Literal:
        return "WORD"
    if get_origin(hint) in (list, tuple):
        return awaited(get_args(hint)[0])
    return "" if hint is bool else KINDS[hint]


def meaning(argument: Argument) -> str:
    words = argument.parameter.help or ""
    choices = argument.get_choices()
    return f"{words} One of {', '.join(f'`{each}`' for each in choices)}." if choices else words


def default(argument: Argument) -> str:
    if argument.required:
        return "required"
    value = argument.field_info.default
    is_nothing = value is None or value is False or value is inspect.Parameter.empty
    return "" if is_nothing else f"`{value}`"
