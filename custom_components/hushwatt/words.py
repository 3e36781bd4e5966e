"""A plan in words for the browser.  What a provider wrote stands in it as text, never as markup."""

import re
from collections.abc import Iterable, Sequence

from hushwatt.household.join import Proposal
from hushwatt.household.report.preview import preview
from hushwatt.household.words.agreement import terms
from hushwatt.household.words.consent_text import example_report, filed_sentence, plan_changes
from hushwatt.privacy.entropy import OperatingSystem
from hushwatt.privacy.long_run import long_run_words
from hushwatt.sanitise import quoted, sanitised

MARKUP = re.compile(r"([\\`*_{}\[\]()#+.!|~<>&:/@-])")


def text(words: object) -> str:
    """Words that Markdown shows as they are: no link, no picture, no heading.

    >>> text("![](http://x)")
    '&#33;&#91;&#93;&#40;http&#58;&#47;&#47;x&#41;'
    """
    return MARKUP.sub(lambda each: f"&#{ord(each[1])};", sanitised(words, 5_000))


def plan_words(proposal: Proposal, sentences: Sequence[str]) -> str:
    """The plain sentences; every term and every byte one click deeper."""
    lines = [text(each) for each in (*sentences, *([filed_sentence(proposal.labels)] if proposal.labels else []))]
    if proposal.replaces is not None:
        lines.append("This takes the place of a plan you take part in. It gives no fresh budget. What changes:")
        lines += [f"- {text(each)}" for each in plan_changes(proposal.replaces, proposal.plan)]
    more = [f"**{text(label)}**: {text(words)}" for label, words in terms(proposal)]
    shown = example_report(proposal.plan, preview(proposal.plan, proposal.promise.drawn, OperatingSystem()))
    return "\n\n".join([*lines, details("Every term, with ε and odds", more), details("One report", map(text, shown))])


def refusal_text(proposal: Proposal) -> str:
    """Why the owner's caps refuse a plan, and what allowing it would mean."""
    lines = [f"- {text(each.words)}" for each in proposal.objections]
    lines += ["", *(f"{text(each[:1].upper() + each[1:])}.\n" for each in long_run_words(proposal.plan))]
    if proposal.lasting is not None and proposal.lasting.short:
        lines.append(f"Raised so far that you can join, it {text(proposal.lasting.words)}.")
    return "\n".join(lines)


def plan_name(proposal: Proposal) -> str:
    return text(quoted(proposal.plan.name))


def details(summary: str, lines: Iterable[str]) -> str:
    inner = "\n\n".join(lines)
    return f"<details><summary>{text(summary)}</summary>\n\n{inner}\n\n</details>"
