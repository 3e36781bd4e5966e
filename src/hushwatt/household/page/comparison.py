"""This home beside what was published about all homes: worked out here, shown here."""

from hushwatt.household.compare import Comparison, comparisons, wants_comparison
from hushwatt.household.page import html
from hushwatt.household.page.data import OwnerPageData
from hushwatt.household.status import PlanStatus
from hushwatt.household.words.chances import plain_name
from hushwatt.plan.appliance import show_watts

VERDICTS = {
    "above": "more than homes here",
    "below": "less than homes here",
    "within": "no difference that can be told",
    None: "",
}
OFF = (
    "Your own averages are not kept. If you want to compare, hushwatt keeps them from now on, on this machine only. "
    "What is sent does not change by a byte."
)
ON = "Your own averages are kept on this machine only. Switching it off deletes them."


def comparison(data: OwnerPageData) -> str:
    """A section where some plan shares its results; else nothing."""
    sharing = [each for each in data.here if each.plan.share_results]
    if not sharing:
        return ""
    on = wants_comparison(data.store)
    label = "Stop comparing, and delete my averages" if on else "Compare my home"
    switch = html.form("compare", data.csrf_token, html.submit(label), on="0" if on else "1")
    tables = [_table(data, each) for each in sharing]
    return html.section("Compared with other homes", *tables, html.paragraph(ON if on else OFF, soft=True), switch)


def _table(data: OwnerPageData, each: PlanStatus) -> str:
    found = comparisons(data.store, each.plan, data.now)
    if not found:
        return html.paragraph("Nothing has been published yet that your home has fetched.")
    return html.table(["Appliance", "Your home", "Homes here, on average", ""], [_row(one) for one in found])


def _row(one: Comparison) -> list[str]:
    own = "not known" if one.own_watts is None else f"{_watts(one.own_watts)} W"
    homes = "too few homes" if one.low is None or one.high is None else f"{_watts(one.low)} to {_watts(one.high)} W"
    when = f'<br><span class="soft">{html.text(one.when)}</span>'
    return [html.text(plain_name(one.appliance)), own, homes + when, VERDICTS[one.verdict]]


def _watts(watts: float) -> str:
    return show_watts(float(f"{watts:.3g}"))
