"""A statement as a page to sign, print and file: one file, no script, every figure with its source."""

import json
from html import escape
from importlib.resources import files
from string import Template

from hushwatt import __version__
from hushwatt.audit.page import page_style
from hushwatt.audit.statement.fact import FORMULAS, Fact, FigureTable, StatementSection, TracedFigure
from hushwatt.audit.statement.guarantee import certainty
from hushwatt.audit.statement.long_term import best_told
from hushwatt.audit.statement.statement import PlanStatement
from hushwatt.privacy.long_run import long_run
from hushwatt.privacy.long_run.words import length
from hushwatt.privacy.promise import promise
from hushwatt.sanitise import sanitised

LONGEST_SHOWN = 30  # characters of a figure that is repeated beside its source
MARKS = {"limit": "a known limit", "open": "open", "no": "NO"}
SIGNED = ("Data protection officer", "For the controller", "Date")


def statement_page(stated: PlanStatement) -> str:
    """The whole page as text."""
    template = Template((files("hushwatt.audit.statement") / "page.html").read_text(encoding="utf-8"))
    verdict, notes = stated.verdict, "".join(f"<li>{escape(each)}</li>" for each in stated.verdict.notes)
    return template.substitute(
        style=page_style(),
        title=escape(sanitised(stated.plan.name)),
        version=escape(__version__),
        date=f"{stated.when:%d %B %Y, %H:%M} UTC".lstrip("0"),
        id=stated.plan.id,
        mark=verdict.mark,
        verdict=escape(verdict.says),
        notes=f'<ul class="notes">{notes}</ul>' if notes else "",
        cards="".join(_card(figure, words) for figure, words in headlines(stated)),
        contents="".join(f'<li><a href="#{each.key}">{escape(each.title)}</a></li>' for each in stated.sections),
        sections="".join(map(_section, stated.sections)),
        registry=escape(json.dumps(stated.registry["entry"], indent=2, ensure_ascii=False)),
        empty=escape(", ".join(path.rsplit("/", 1)[-1] for path in stated.registry["to_be_filled_in"])),
        formulas="".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in FORMULAS.items()),
    )


def headlines(stated: PlanStatement) -> list[tuple[TracedFigure, str]]:
    """The figures that a reader remembers: the window's, and the long run's."""
    plan = stated.plan
    promised, run = promise(plan), long_run(plan)
    lasting, after = plan.slot.lasting(plan.window), length(plan, run)
    owns = "owns and measures" if plan.answers_unmeasured else "owns"
    words = (
        f"at most: how sure all reports of {lasting} make somebody who was undecided about one appliance",
        f"at most: the same about two pasts of the home as a whole, in {lasting}",
        f"of the best guesses whether a home {owns} the appliance that shows most are right, after {after}; half of "
        "all guesses are right without any report",
        f"of the best guesses at a level that never changes are right, after {after}",
    )
    told = (certainty(float(promised.appliance_dearest)), certainty(promised.dearest))
    return list(zip((*told, *best_told(run)), words, strict=True))


def _card(figure: TracedFigure, words: str) -> str:
    source = f'<small class="from">{escape(figure.source)}</small>'
    return f"<p><b>{escape(figure.shown)}</b>{escape(words)}{source}</p>"


def _section(section: StatementSection) -> str:
    facts = "".join(map(_fact, section.facts))
    listed = f'<dl class="facts">{facts}</dl>' if facts else ""
    tables = "".join(map(_table, section.tables))
    lines = "".join(f"<p>{each}</p>" for each in SIGNED)
    signed = f'<div class="sign">{lines}</div>' if section.key == "for_people" else ""
    head = f'<h2>{escape(section.title)}</h2><p class="intro">{_text(section.introduction)}</p>'
    return f'<section id="{section.key}">{head}{listed}{tables}{signed}</section>'


def _fact(fact: Fact) -> str:
    tag = f' <span class="tag {fact.mark}">{MARKS[fact.mark]}</span>' if fact.mark else ""
    words = "".join(_text(part) if isinstance(part, str) else _figure(part) for part in fact.parts())
    said = f"<p>{words}</p>{_sources(list(fact.figures.values()))}"
    return f'<dt>{escape(fact.label)}{tag}</dt><dd class="{fact.mark}">{said}</dd>'


def _figure(figure: TracedFigure) -> str:
    inner = _text(figure.shown)
    source = f' title="{escape(figure.source)}"'
    return f"<b{source}>{inner}</b>" if len(figure.shown) <= LONGEST_SHOWN else f"<span{source}>{inner}</span>"


def _sources(figures: list[TracedFigure]) -> str:
    """Each figure with where it comes from; a long one by its source alone."""
    told = [f"{each.shown} ← {each.source}" if len(each.shown) <= LONGEST_SHOWN else each.source for each in figures]
    return f'<small class="from">{escape(" · ".join(dict.fromkeys(told)))}</small>' if told else ""


def _table(table: FigureTable) -> str:
    head = "".join(f'<th scope="col">{escape(each)}</th>' for each in table.head)
    rows = "".join(_row(table.head, row) for row in table.rows)
    sources = " · ".join(dict.fromkeys(cell.source for row in table.rows for cell in row if ":" in cell.source))
    caption = f"<caption>{escape(sources)}</caption>" if len(sources) < 600 else ""
    body = f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
    region = f'<div class="wide" tabindex="0" role="region" aria-label="{escape(table.key)}">'
    return f"{region}<table>{caption}{body}</table></div>"


def _row(head: tuple[str, ...], row: tuple[TracedFigure, ...]) -> str:
    first, *others = row
    cells = "".join(
        f'<td class="n" data-head="{escape(name)}" title="{escape(cell.source)}">{escape(cell.shown)}</td>'
        for name, cell in zip(head[1:], others, strict=True)
    )
    return f'<tr><th scope="row">{escape(first.shown)}</th>{cells}</tr>'


def _text(text: str) -> str:
    """Plain text where `a command` is set as code."""
    parts = escape(text).replace("\n", "<br>").split("`")
    return "".join(f"<code>{part}</code>" if place % 2 else part for place, part in enumerate(parts))
