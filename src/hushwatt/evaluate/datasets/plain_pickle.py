"""Read plain data out of a pickle without unpickling it.

NILMTK keeps its metadata as pickles, and a pickle from somebody else may run
any program when it is unpickled.  This reads the instructions as text and
follows those that build numbers, words, lists and dictionaries.  Whatever
would import, call or build anything else becomes UNKNOWN; nothing is ever
imported or called.
"""

import pickletools
from collections.abc import Callable
from typing import Any

UNKNOWN = object()  # what only unpickling could tell
MARK = object()

MAX_INSTRUCTIONS = 1_000_000

VALUES = {
    *("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT"),
    *("UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "STRING", "BINSTRING", "SHORT_BINSTRING"),
    *("BINBYTES", "SHORT_BINBYTES", "BINBYTES8"),
}
CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
EMPTY: dict[str, Callable[[], Any]] = {"EMPTY_DICT": dict, "EMPTY_LIST": list, "EMPTY_TUPLE": tuple, "EMPTY_SET": set}
PUTS, GETS = {"PUT", "BINPUT", "LONG_BINPUT"}, {"GET", "BINGET", "LONG_BINGET"}
TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
NOTHING = {"PROTO", "FRAME", "STOP"}
FROM_TWO = {"REDUCE", "NEWOBJ", "STACK_GLOBAL"}  # would make one thing of two


def plain(pickled: bytes) -> Any:
    """The data of a pickle, or UNKNOWN when it cannot be made out.

    >>> import pickle
    >>> plain(pickle.dumps({"kettle": [1, 2.5, (True, None)]}))
    {'kettle': [1, 2.5, (True, None)]}
    >>> plain(pickle.dumps(print)) is UNKNOWN
    True
    """
    try:
        return _PickleMachine().read(pickled)
    except (ValueError, TypeError, IndexError, KeyError, AttributeError, RecursionError, OverflowError):
        return UNKNOWN


class _PickleMachine:
    """A stack, and what was remembered."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memo: dict[Any, Any] = {}

    def read(self, pickled: bytes) -> Any:
        for number, (instruction, argument, _) in enumerate(pickletools.genops(pickled)):
            if number > MAX_INSTRUCTIONS:
                return UNKNOWN
            self._follow(instruction.name, argument)
        return self.stack[-1]

    def _follow(self, name: str, argument: Any) -> None:
        stack = self.stack
        if name in VALUES:
            stack.append(argument)
        elif name in CONSTANTS:
            stack.append(CONSTANTS[name])
        elif name in EMPTY:
            stack.append(EMPTY[name]())
        elif name in PUTS:
            self.memo[argument] = stack[-1]
        elif name == "MEMOIZE":
            self.memo[len(self.memo)] = stack[-1]
        elif name in GETS:
            stack.append(self.memo[argument])
        elif name in TUPLES:
            count = TUPLES[name]
            stack[-count:] = [tuple(stack[-count:])]
        elif name == "MARK":
            stack.append(MARK)
        elif name in ("DICT", "LIST", "TUPLE", "SETITEMS", "APPENDS", "ADDITEMS", "POP_MARK"):
            self._gather(name)
        elif name == "SETITEM":
            value, key = stack.pop(), stack.pop()
            _fill(stack[-1], [key, value])
        elif name == "APPEND":
            value = stack.pop()
            _fill(stack[-1], [value])
        elif name == "POP":
            stack.pop()
        elif name == "DUP":
            stack.append(stack[-1])
        elif name not in NOTHING:
            self._cannot_know(name)

    def _gather(self, name: str) -> None:
        """Take everything down to the last mark."""
        place = len(self.stack) - 1 - self.stack[::-1].index(MARK)
        items = self.stack[place + 1 :]
        del self.stack[place:]
        if name == "DICT":
            self.stack.append(dict(zip(items[::2], items[1::2], strict=True)))
        elif name == "LIST":
            self.stack.append(items)
        elif name == "TUPLE":
            self.stack.append(tuple(items))
        elif name != "POP_MARK":
            _fill(self.stack[-1], items)

    def _cannot_know(self, name: str) -> None:
        """Put UNKNOWN where something would be imported, called or built."""
        if name in FROM_TWO:
            self.stack[-2:] = [UNKNOWN]
        elif name == "BUILD":
            self.stack.pop()
            self.stack[-1] = UNKNOWN
        elif name in ("GLOBAL", "PERSID", "EXT1", "EXT2", "EXT4"):
            self.stack.append(UNKNOWN)
        elif name in ("OBJ", "INST"):
            self._gather("TUPLE")
            self.stack[-1] = UNKNOWN
        else:
            raise ValueError(name)


def _fill(container: Any, items: list[Any]) -> None:
    """Put more into a dictionary, a list or a set; into what is unknown, nothing."""
    if isinstance(container, dict):
        container.update(zip(items[::2], items[1::2], strict=True))
    elif isinstance(container, list):
        container.extend(items)
    elif isinstance(container, set):
        container.update(items)
