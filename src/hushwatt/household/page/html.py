"""Small pieces of HTML; everything that is not ours is escaped."""

from collections.abc import Iterable
from html import escape
from pathlib import Path
from urllib.parse import urlencode

from hushwatt.sanitise import sanitised

MAX_PARAGRAPH = 20_000  # characters of one paragraph
STYLE = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
PAGES = {
    "./": "Home",
    "history": "Day by day",
    "reports": "What left",
    "limits": "Your limits",
    "numbers": "The numbers",
}


def text(words: object) -> str:
    """Words on one line, without what could be taken for HTML or turn its direction around."""
    return escape(sanitised(words, MAX_PARAGRAPH))


def for_owners(words: str) -> str:
    """What the ledger and the list of troubles say, as an owner knows it: the agent is hushwatt."""
    return words.replace("the agent", "hushwatt")


def page(title: str, body: str, current: str = "") -> str:
    """A whole page; links are relative, so that it can be served under any folder."""
    links = "".join(
        f'<a href="{path}"{" aria-current=page" if path == current else ""}>{name}</a>' for path, name in PAGES.items()
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{text(title)}</title><style>{STYLE}</style></head>"
        '<body><a class="skip" href="#main">To the content</a>'
        f'<nav aria-label="Pages">{links}</nav><main id="main">{body}</main></body></html>'
    )


def link(path: str, words: str, **query: object) -> str:
    """A link to another page of ours."""
    target = f"{path}?{urlencode(query)}" if query else path
    return f'<a href="{escape(target)}">{text(words)}</a>'


def section(title: str, *parts: str) -> str:
    return f"<section><h2>{text(title)}</h2>{''.join(parts)}</section>"


def heading(title: str, level: int = 3) -> str:
    return f"<h{level}>{text(title)}</h{level}>"


def paragraph(words: object, soft: bool = False) -> str:
    return f"<p{' class=soft' if soft else ''}>{text(words)}</p>"


def sentence(words: str) -> str:
    """A paragraph with a capital and a full stop, of words that may have neither."""
    end = "" if words.endswith((".", "?", "”")) else "."
    return paragraph(f"{words[:1].upper()}{words[1:]}{end}")


def listed(lines: Iterable[str]) -> str:
    """A list; the lines are HTML already."""
    return f"<ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>"


def table(head: Iterable[str], rows: Iterable[Iterable[str]], caption: str = "") -> str:
    """A table; the cells are HTML already, and on a narrow screen each stands under its column's name."""
    names = list(head)
    top = "".join(f'<th scope="col">{text(name)}</th>' for name in names)
    body = "".join(f"<tr>{_cells(names, row)}</tr>" for row in rows)
    title = f"<caption>{text(caption)}</caption>" if caption else ""
    return f'<div class="scroll"><table>{title}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def _cells(names: list[str], row: Iterable[str]) -> str:
    return "".join(f'<td data-name="{text(name)}">{cell}</td>' for name, cell in zip(names, row, strict=True))


def terms(facts: Iterable[tuple[str, str]]) -> str:
    return f"<dl>{''.join(f'<dt>{text(label)}</dt><dd>{text(words)}</dd>' for label, words in facts)}</dl>"


def details(summary: str, *parts: str) -> str:
    """What is shown on a click."""
    return f"<details><summary>{text(summary)}</summary>{''.join(parts)}</details>"


def bar(part: int, whole: int) -> str:
    """How much of something is used."""
    share = 100 if part >= whole else 100 * part // max(whole, 1)
    return f'<div class="bar" role="img" aria-label="{share} percent"><i style="width:{share}%"></i></div>'


def cells(count: int, filled: Iterable[int], kind: str) -> str:
    """A square for each level, beside the words that say the same."""
    marked = set(filled)
    squares = "".join(f'<b class="{kind}"></b>' if level in marked else "<b></b>" for level in range(count))
    return f'<span class="cells" aria-hidden="true">{squares}</span>'


def form(action: str, key: str, *parts: str, **hidden: str) -> str:
    """A form of ours; `key` proves that this page showed it."""
    fields = "".join(
        f'<input type="hidden" name="{text(name)}" value="{text(value)}">'
        for name, value in {"key": key, **hidden}.items()
    )
    return f'<form method="post" action="{action}">{fields}{"".join(parts)}</form>'


def submit(label: str, kind: str = "") -> str:
    return f"<button{f' class={kind}' if kind else ''}>{text(label)}</button>"


def button(action: str, label: str, key: str, plan: str, main: bool = False) -> str:
    """A form of nothing but a button, about a plan, or about all."""
    return form(action, key, submit(label, "go" if main else ""), plan=plan)
