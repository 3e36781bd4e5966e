"""The few forms that reference pages are made of."""

from collections.abc import Iterable, Sequence
from itertools import dropwhile

WRITTEN = "<!-- Written by `make reference` from the code: change the code, not this page. -->"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells may not break lines."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell(each) for each in line)} |" for line in lines)


def cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def fenced(kind: str, text: str) -> str:
    return f"```{kind}\n{text.strip()}\n```"


def prose(docstring: str) -> str:
    """What a docstring says before its parameters and examples, as paragraphs."""
    kept = []
    for paragraph in docstring.strip().split("\n\n"):
        if paragraph.lstrip().startswith((">>>", "Parameters\n", "Returns\n")):
            break
        kept.append(cell(paragraph).replace("\\|", "|"))
    return "\n\n".join(kept)


def examples(docstring: str) -> str:
    """The examples in a docstring, from the first prompt on."""
    lines = dropwhile(lambda line: not line.lstrip().startswith(">>>"), docstring.splitlines())
    return "\n".join(lines).strip()


def document(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"
