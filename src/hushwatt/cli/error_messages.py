"""Say in one line what a user can mend, and nothing about what only we can."""

import difflib
from collections.abc import Iterable

from cyclopts import Argument
from cyclopts.exceptions import (
    CoercionError,
    CycloptsError,
    MissingArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from hushwatt.errors import HushwattError

KINDS = {int: "a whole number", float: "a number"}


def explanation(error: BaseException) -> str | None:
    """Give the one line to show for `error`, or None when it is a bug.

    >>> explanation(FileNotFoundError(2, "No such file or directory", "plan.toml"))
    'plan.toml: no such file or directory'
    >>> explanation(ZeroDivisionError()) is None
    True
    """
    if isinstance(error, HushwattError):
        return str(error)
    if isinstance(error, CycloptsError):
        return f"{_one_line(_wrong_use(error))} (see {_help_command(error)})"
    if isinstance(error, OSError):
        return _one_line(_system_error(error))
    if isinstance(error, ImportError):
        return _missing_part(error)
    return None


def _wrong_use(error: CycloptsError) -> str:
    """What was wrong with the words of the command line."""
    if isinstance(error, UnknownCommandError):
        word = (error.unused_tokens or [""])[0]
        return _unknown("option" if word.startswith("-") else "command", word, _commands(error))
    if isinstance(error, UnknownOptionError):
        options = (name for argument in error.argument_collection if argument.parse for name in argument.names)
        return _unknown("option", error.token.keyword or error.token.value, options)
    if isinstance(error, UnusedCliTokensError):
        return f"one word too many: {(error.unused_tokens or [''])[0]}"
    if type(error) is MissingArgumentError and error.argument:
        return f"{error.keyword} needs a value" if error.keyword else f"{_name(error.argument)} is missing"
    if isinstance(error, CoercionError) and error.argument and error.token and error.target_type in KINDS:
        name = error.token.keyword or _name(error.argument)
        return f"{name}: {error.token.value!r} is not {KINDS[error.target_type]}"
    return _sentence(str(error))


def _unknown(kind: str, word: str, known: Iterable[str]) -> str:
    """Name the word that nobody knows, and the known one that is nearest."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f"unknown {kind} {word}" + (f", did you mean {near[0]}?" if near else "")


def _commands(error: CycloptsError) -> list[str]:
    """The commands there are; asking only for their names loads none of them."""
    return [name for name in (error.app or ()) if not name.startswith("-")]


def _name(argument: Argument) -> str:
    """An option with its dashes, any other argument in capitals, as the help shows them."""
    return argument.name.lstrip("-").upper() if argument.field_info.is_positional else argument.name


def _help_command(error: CycloptsError) -> str:
    return " ".join(["hushwatt", *(error.command_chain or ()), "--help"])


def _system_error(error: OSError) -> str:
    """Name the file and what the system says about it."""
    reason = _sentence(error.strerror or str(error)) or type(error).__name__
    return f"{error.filename}: {reason}" if error.filename is not None else reason


def _missing_part(error: ImportError) -> str | None:
    """How to install what is missing, when an extra of hushwatt has it."""
    from hushwatt.cli.extras import extra_with

    cause: BaseException | None = error
    while cause is not None:
        package = (getattr(cause, "name", None) or "").partition(".")[0]
        extra = extra_with(package) if isinstance(cause, ModuleNotFoundError) else None
        if extra is not None:
            return f"this needs {package}, which is not installed: pip install 'hushwatt[{extra}]'"
        cause = cause.__cause__ or cause.__context__
    return None


def _sentence(text: str) -> str:
    """The text as part of a longer line: no capital, no full stop."""
    text = text.removesuffix(".")
    return text if text[:2].isupper() else text[:1].lower() + text[1:]


def _one_line(text: str) -> str:
    return " ".join(text.split())
