"""How the collection goes: what was refused and why, what came late, whose clocks are off."""

from itertools import pairwise
from typing import Any

from hushwatt.provider.dashboard import formatting
from hushwatt.provider.dashboard.charts.count_chart import count_chart
from hushwatt.provider.dashboard.charts.figure import PageChart
from hushwatt.provider.dashboard.page_context import PageContext
from hushwatt.provider.dashboard.tables import Column, HtmlTable, number_columns, text_columns

REJECTION_TEXTS = {
    "not_enrolled": "the device is not enrolled, or not with the signer",
    "too_early": "the slot has not begun",
    "too_late": "the slot was closed already",
    "wrong_amount": "the budget is none that the plan allows",
    "wrong_payload": "the answer is none that the plan allows",
    "out_of_turn": "it was not the home's turn",
    "out_of_order": "other appliances were next in the home's order",
}
PROBLEM_TEXTS = {
    "clock-off": "the signer's clock was too far off",
    "code-refused": "a code was unknown, used or expired",
    "compressed": "the body was compressed",
    "nothing-accepted": "no report in the upload was accepted",
    "operator-needed": "somebody who may only look asked for more",
    "plan-over": "the plan has ended",
    "signature-missing": "the request was not signed",
    "signature-refused": "no enrolled device had signed the request",
    "token-needed": "somebody without a token asked for answers",
    "too-large": "the body was too large",
    "too-many": "too many requests at once",
    "too-slow": "the request took too long",
    "unavailable": "the store could not take anything",
    "unknown-plan": "the plan is not collected here",
    "wrong-host": "the request named no host, or several",
    "wrong-origin": "the request came from a page of another site",
    "wrong-request": "the request could not be understood",
    "wrong-size": "the body was not whole records",
}
MAX_LATE_SLOTS = 60


def show(page: PageContext) -> dict[str, Any]:
    health = page.reader.health(page.plan)
    refused = sum(health.rejected.values())
    late = sum(health.late.values())
    shown: dict[str, Any] = {
        "homes": health.homes,
        "counted": health.counted,
        "accepted": health.accepted,
        "repeated": health.repeated,
        "refused": refused,
        "late": late,
        "rejections": _reasons("Reports refused", health.rejected, REJECTION_TEXTS),
        "problems": _reasons("Requests refused as a whole, of all plans", health.problems, PROBLEM_TEXTS),
    }
    if any(health.skew.values()):
        shown |= _clocks(health.skew)
    if late:
        shown |= _late(page, health.late)
    return shown


def _reasons(caption: str, counts: dict[str, int], meaning: dict[str, str]) -> HtmlTable | None:
    rows = [
        [reason.replace("_", " ").replace("-", " "), meaning.get(reason, ""), f"{count:,}"]
        for reason, count in sorted(counts.items(), key=lambda each: -each[1])
        if count
    ]
    return (
        HtmlTable(caption, [*text_columns("Reason", "Which means"), *number_columns("Count")], rows) if rows else None
    )


def _clocks(skew: dict[str, int]) -> dict[str, Any]:
    labels, counts = skew_names(list(skew)), list(skew.values())
    middle = [label == "within 1 s" for label in labels]
    rows = [[label, f"{count:,}"] for label, count in zip(labels, counts, strict=True)]
    figure = count_chart(labels, counts, middle, None)
    figure["layout"]["xaxis"] |= {"tickvals": list(range(len(labels))), "ticktext": labels, "tickangle": -35}
    return {
        "clock_chart": PageChart(figure, "Signed requests by how far the signer's clock was off", 300),
        "clock_table": HtmlTable("Signers' clocks", [Column("Clock"), *number_columns("Requests")], rows),
    }


def skew_names(limits: list[str]) -> list[str]:
    """The ranges between limits in seconds, positive when a clock is behind, in formatting.

    >>> skew_names(["-60.0", "-1.0", "1.0", "60.0", "+Inf"])
    ['> 1 min ahead', '1 s – 1 min ahead', 'within 1 s', '1 s – 1 min behind', '> 1 min behind']
    """
    edges = [float(limit) for limit in limits]
    names = [f"> {_length(-edges[0])} ahead"]
    for low, high in pairwise(edges):
        if high == float("inf"):
            names.append(f"> {_length(low)} behind")
        elif low == -high:
            names.append(f"within {_length(high)}")
        elif high < 0:
            names.append(f"{_length(-high)} – {_length(-low)} ahead")
        else:
            names.append(f"{_length(low)} – {_length(high)} behind")
    return names


def _length(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 60 else f"{seconds:.0f} s"


def _late(page: PageContext, late: dict[int, int]) -> dict[str, Any]:
    latest = sorted(late)[-MAX_LATE_SLOTS:]
    step, one = page.plan.publish, page.plan.periods.word
    slots = range(max(latest[-1] - (MAX_LATE_SLOTS - 1) * step, latest[0]), latest[-1] + 1, step)
    rows = [[formatting.slot_name(page.plan, slot), f"{late[slot]:,}"] for slot in reversed(latest)]
    figure = count_chart(
        [formatting.slot_tick(page.plan, slot) for slot in slots],
        [late.get(slot, 0) for slot in slots],
        [True] * len(slots),
        None,
    )
    return {
        "late_chart": PageChart(figure, f"Reports that came after their slot was closed, by {one}", 240),
        "late_table": HtmlTable(f"Late reports by {one}", [Column(one.title()), *number_columns("Late reports")], rows),
    }
