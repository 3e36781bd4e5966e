"""Small pieces of HTML; everything that is not ours is escaped."""

from collections.abc import Iterable
from html import escape
from pathlib import Path

from hushwatt.sanitise import sanitised

MAX_PARAGRAPH = 20_000  # characters of one paragraph
STYLE = Path(__file__).with_name("style.css").read_text(encoding="utf-8")


def text(words: object) -> str:
    """Words on one line, without what could be taken for HTML or turn its direction around."""
    return escape(sanitised(words, MAX_PARAGRAPH))


def page(title: str, body: str) -> str:
    """A whole page that looks again by itself every half minute."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="refresh" content="30"><title>{text(title)}</title><style>{STYLE}</style></head>'
        f"<body>{body}</body></html>"
    )


def section(title: str, *parts: str) -> str:
    return f"<section><h2>{text(title)}</h2>{''.join(parts)}</section>"


def paragraph(words: object, soft: bool = False) -> str:
    return f"<p{' class=soft' if soft else ''}>{text(words)}</p>"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table; the cells are HTML already."""
    top = "".join(f"<th>{text(name)}</th>" for name in head)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="scroll"><table><tr>{top}</tr>{body}</table></div>'


def terms(facts: Iterable[tuple[str, str]]) -> str:
    return f"<dl>{''.join(f'<dt>{text(label)}</dt><dd>{text(words)}</dd>' for label, words in facts)}</dl>"


def bar(part: int, whole: int) -> str:
    """How much of something is used."""
    share = 100 if part >= whole else 100 * part // max(whole, 1)
    return f'<div class="bar" role="img" aria-label="{share} percent"><i style="width:{share}%"></i></div>'


def cells(count: int, filled: Iterable[int], kind: str) -> str:
    """One row of the grid: a square for each level."""
    marked = set(filled)
    squares = "".join(
        f'<b class="{kind}" title="level {level}"></b>' if level in marked else f'<b title="level {level}"></b>'
        for level in range(count)
    )
    return f'<span class="cells">{squares}</span>'


def button(action: str, label: str, key: str, plan: str, main: bool = False) -> str:
    """A button that does something; `key` proves that this page showed it."""
    return (
        f'<form method="post" action="{action}"><input type="hidden" name="key" value="{text(key)}">'
        f'<input type="hidden" name="plan" value="{text(plan)}">'
        f"<button{' class=go' if main else ''}>{text(label)}</button></form> "
    )
