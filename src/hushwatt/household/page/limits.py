"""The owner's own limits: what holds, a form to change it, and what raising one means before it is written."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from math import exp
from typing import Any

from hushwatt.errors import UsageError
from hushwatt.household.ledger.caps import AMOUNTS, MINIMUMS, Caps, caps_with
from hushwatt.household.page import html
from hushwatt.household.page.data import OwnerPageData, Rendered
from hushwatt.household.words.plan_words import limits_sentence
from hushwatt.plan.amounts import plain
from hushwatt.privacy.long_run.words import times_in_100
from hushwatt.sanitise import quoted

LABELS = {
    "epsilon_per_window": "Any one plan, in one stretch that it protects",
    "epsilon_per_day": "All plans together, in any day",
    "epsilon_per_year": "All plans together, in any year",
    "epsilon_lifetime": "All plans together, ever",
    "appliance_epsilon": "On any one appliance, in a day or one protected stretch",
    "appliance_epsilon_per_year": "On any one appliance, in any year",
    "appliance_epsilon_lifetime": "On any one appliance, ever",
    "smallest_window": "The shortest stretch that a plan may protect, in reports",
    "smallest_minimum_homes": "The fewest homes of which results may be shown",
    "latest_expiry": "No plan may last beyond (a date, or empty)",
    "follow_successors": "Move on by itself to a plan that replaces another, where nothing is weaker",
}
AMOUNT, WHOLE = re.compile(r"[0-9]{1,9}(\.[0-9]{1,6})?"), re.compile(r"[0-9]{1,9}")
INTRO = (
    "Your home never gives away more than these limits allow, whatever a plan asks. They are counted in ε: the larger, "
    "the more someone who sees your reports can tell. A limit that is lowered holds at once, one that is raised a "
    "moment later. Lowering one below what a plan needs makes your home keep silent under it."
)


@dataclass(frozen=True)
class LimitChange:
    """One limit that is to be another."""

    name: str
    old: str
    new: str
    raised: bool  # whether it lets more be told

    @property
    def setting(self) -> str:
        return f"{self.name}={self.new}"


def limits_page(
    data: OwnerPageData, given: Mapping[str, str] | None = None, wrong: Mapping[str, str] | None = None
) -> Rendered:
    """The form, as the file has it or as it was filled in, with what is wrong beside each field."""
    caps, faults = _written(data), wrong or {}
    shown = {name: as_written(caps, name) for name in LABELS} | dict(given or {})
    fields = [_field(name, shown[name], faults.get(name)) for name in LABELS]
    problem = '<p class="problem" role="alert">Nothing was changed: see below.</p>' if faults else ""
    body = [
        html.heading("Your limits", 1),
        html.paragraph(INTRO),
        problem,
        html.form(
            "limits", data.csrf_token, *fields, f"<p>{html.submit('Save', 'go')} {html.link('./', 'Cancel')}</p>"
        ),
        *_plans(data),
    ]
    return Rendered(422 if faults else 200, {}, html.page("Your limits: hushwatt at home", "".join(body), "limits"))


def confirm_page(data: OwnerPageData, changes: list[LimitChange]) -> str:
    """What raising limits means, before anything is written."""
    hidden = {each.name: each.new for each in changes}
    meaning = [html.text(raising_words(each)) for each in changes if each.raised]
    lowered = [
        html.text(f"{LABELS[each.name]}: {each.old or 'none'} → {each.new}") for each in changes if not each.raised
    ]
    body = [
        html.heading("Let your reports tell more?", 1),
        html.section("What raising means", html.listed(meaning)),
        *([html.section("Also changed", html.listed(map(html.text, lowered)))] if lowered else []),
        html.paragraph("Nothing is changed yet. What was told cannot be taken back by lowering a limit again."),
        html.form(
            "limits",
            data.csrf_token,
            _buttons("Yes, raise them", "limits", "No, leave them as they are"),
            sure="yes",
            **hidden,
        ),
    ]
    return html.page("Let your reports tell more?", "".join(body))


def raising_words(each: LimitChange) -> str:
    """What a raised limit lets someone tell.

    >>> raising_words(LimitChange("appliance_epsilon_per_year", "2", "3", True))
    'On any one appliance, in any year, from 2 to 3: someone who sees all your reports of that time may be right up to \
96 times in 100 about it, instead of 89; without reports, 50.'
    """
    label = LABELS[each.name]
    if each.name not in AMOUNTS:
        return f"{label}: {each.old or 'no such limit'} → {each.new}. More plans become possible."
    about = "it" if each.name.startswith("appliance") else "your home"
    before, after = (_certainty(float(amount)) for amount in (each.old, each.new))
    text = f"{label}, from {each.old} to {each.new}: someone who sees all your reports of that time"
    if before == after:
        return f"{text} may be nearly certain about {about} either way, and learn more of it."
    return f"{text} may be right up to {after} times in 100 about {about}, instead of {before}; without reports, 50."


def changes_in(data: OwnerPageData, form: Mapping[str, str]) -> tuple[list[LimitChange], dict[str, str]]:
    """What a form changes, and what is wrong with it, by the name of the limit."""
    caps, changes, wrong = _written(data), [], {}
    for name in LABELS:
        old, new = as_written(caps, name), form.get(name, as_written(caps, name)).strip()
        if new == old:
            continue
        if (fault := _fault(name, new)) is not None:
            wrong[name] = fault
            continue
        changes.append(LimitChange(name, old, new, _is_raised(name, old, new)))
    if not wrong and changes and data.folder is not None:
        try:
            caps_with(data.folder.caps_path, [each.setting for each in changes])
        except UsageError as refused:
            wrong[changes[0].name] = str(refused)
    return changes, wrong


def as_written(caps: Caps, name: str) -> str:
    """A limit as its owner would write it."""
    value: Any = getattr(caps, name)
    if name in AMOUNTS:
        return plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else f"{value:%Y-%m-%d}" if isinstance(value, datetime) else str(value)


def _written(data: OwnerPageData) -> Caps:
    """The limits as their file has them, which the agent heeds at its next look."""
    return data.caps if data.folder is None else data.folder.caps()


def _fault(name: str, value: str) -> str | None:
    if name in AMOUNTS:
        fine, words = bool(AMOUNT.fullmatch(value)), "write a number such as 2 or 0.5"
    elif name in MINIMUMS:
        fine, words = bool(WHOLE.fullmatch(value)) and int(value) > 0, "write a whole number of at least 1"
    elif name == "latest_expiry":
        fine, words = _is_day(value), "write a date such as 2030-01-31; to have none, delete it in caps.toml"
    else:
        fine, words = value in ("true", "false"), "choose yes or no"
    return None if fine else words


def _is_day(value: str) -> bool:
    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _is_raised(name: str, old: str, new: str) -> bool:
    if name in AMOUNTS:
        return float(new) > float(old)
    if name in MINIMUMS:
        return int(new) < int(old)
    return new == "true" if name == "follow_successors" else bool(old) and new > old


def _field(name: str, value: str, wrong: str | None) -> str:
    described = f' aria-describedby="{name}-wrong" aria-invalid="true"' if wrong else ""
    note = f'<span class="bad" id="{name}-wrong">{html.text(wrong)}</span>' if wrong else ""
    if name == "follow_successors":
        choices = "".join(
            f'<option value="{each}"{" selected" if each == value else ""}>{words}</option>'
            for each, words in (("false", "no"), ("true", "yes"))
        )
        control = f'<select id="{name}" name="{name}"{described}>{choices}</select>'
    else:
        kind = 'type="date"' if name == "latest_expiry" else 'inputmode="decimal"'
        control = f'<input id="{name}" name="{name}" {kind} value="{html.text(value)}" autocomplete="off"{described}>'
    hint = f"<small>{html.text(_hint(name, value))}</small>" if name in AMOUNTS and not wrong else ""
    return f'<p class="field"><label for="{name}">{html.text(LABELS[name])}{hint}</label>{control}{note}</p>'


def _hint(name: str, value: str) -> str:
    """What a limit on ε lets someone tell, who knows everything else."""
    about = "one appliance" if name.startswith("appliance") else "your home as a whole"
    often = _certainty(float(value))
    return f"at ε {value}, someone may be right {often} times in 100 about {about}; without reports, 50"


def _buttons(yes: str, path: str, no: str) -> str:
    return f'<p class="pair">{html.submit(yes, "go")} {html.link(path, no)}</p>'


def _plans(data: OwnerPageData) -> list[str]:
    """What the limits say to each plan that the home takes part in."""
    lines = []
    for each in data.here:
        others = [other.plan for other in data.here if other is not each]
        caps = data.caps.as_agreed_before() if each.agreed_before else data.caps
        lines.append(html.text(f"{quoted(each.plan.name)}: {limits_sentence(each.plan, caps, others, now=data.now)}"))
    return [html.section("What they say to your plans", html.listed(lines))] if lines else []


def _certainty(epsilon: float) -> str:
    """e^ε/(1 + e^ε), rounded up."""
    return times_in_100(min(1.0, 1 / (1 + exp(-epsilon)) + 0.005), 0.5)
