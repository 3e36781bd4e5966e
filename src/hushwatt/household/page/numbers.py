"""ε, odds and chances, one click deeper: what was spent, what is left, and what can be concluded."""

from hushwatt.household.consent_text import HABITS
from hushwatt.household.ledger.caps import DAY
from hushwatt.household.page import html
from hushwatt.household.page.data import HERE, OwnerPageData
from hushwatt.household.status import PlanStatus, appliance_meters, meters
from hushwatt.household.words.chances import plain_name
from hushwatt.household.words.told_so_far import ToldAppliance, told_so_far
from hushwatt.plan.amounts import plain
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.long_run import long_run_sentences, long_run_words
from hushwatt.privacy.long_run.words import times_in_100
from hushwatt.privacy.promise import promise
from hushwatt.privacy.promise_words import as_prose
from hushwatt.sanitise import quoted

WHAT_EPSILON_IS = (
    "ε measures how much reports can tell. Whatever someone believed before, all that costs ε together can shift the "
    "odds of their bet by a factor of e^ε at most: ε 0.7 doubles the odds, ε 2.3 makes them ten times as good. Every "
    "report costs some; what was spent is never given back."
)


def numbers_page(data: OwnerPageData) -> str:
    """The budgets, appliance by appliance what was told, and plan by plan what can be concluded."""
    body = [
        html.heading("The numbers behind it", 1),
        html.section("What ε is", html.paragraph(WHAT_EPSILON_IS), html.paragraph(HABITS, soft=True)),
        _budget(data),
        _told(data),
        *(_conclusions(data, each) for each in data.here),
    ]
    return html.page("The numbers: hushwatt at home", "".join(body), "numbers")


def _told(data: OwnerPageData) -> str:
    """Appliance by appliance, how often the best guess from all that left would be right."""
    every = told_so_far(data.store)
    if not every:
        return ""
    intro = html.paragraph(
        "How often out of 100 the best guess from all that has left this home would be right, beside guessing alone."
    )
    head = [
        "Appliance",
        "Whether it was on at a time",
        "Whether you own it",
        "Its level, if always the same",
    ]
    return html.section("What has been told so far", intro, html.table(head, [_told_row(each) for each in every]))


def _told_row(each: ToldAppliance) -> list[str]:
    owned = each.owned if each.measured is None else max(each.owned, each.measured)
    chances = ((each.on, 0.5), (owned, 0.5), (each.constant, 1 / each.levels))
    most = "at most " if each.at_most else ""
    cells = [f"{most}{times_in_100(chance, guess)} (guessing: {100 * guess:.0f})" for chance, guess in chances]
    return [html.text(plain_name(each.name)), *cells]


def _budget(data: OwnerPageData) -> str:
    rows = []
    for each in data.every:
        if each.state in HERE:
            why = f" ({each.window_why})" if each.window_why else ""
            label = f"{quoted(each.plan.name)}: this window{why}"
            rows.append(_meter(label, each.window_spent, each.plan.epsilon))
    day, year, life = meters(data.store, data.caps, data.now)
    rows += [
        _meter("all plans: last 24 hours", day.spent, day.cap),
        _meter("last year", year.spent, year.cap),
        _meter("lifetime", life.spent, life.cap),
    ]
    for single in appliance_meters(data.store, data.caps, data.now):
        rows.append(_meter(f"all plans, on any one appliance {single.when}", single.spent, single.cap))
    return html.section("Your budget", html.table(["Of what", "Used", "Spent", "At most"], rows))


def _meter(label: str, spent: int, cap: int) -> list[str]:
    most, bar = (f"ε {plain(cap)}", html.bar(spent, cap)) if cap else ("no limit", "")
    return [html.text(label), bar, f"ε {plain(spent)}", most]


def _conclusions(data: OwnerPageData, each: PlanStatus) -> str:
    """From one report, from all there were so far, and from those of years."""
    joined = data.store.value("SELECT joined FROM plans WHERE plan = ?", (each.plan.id,))
    days = max(1, -(-(data.now - max(joined, nanoseconds(each.plan.start))) // DAY))
    so_far = long_run_words(each.plan, days)[0] if each.reports else "nothing was sent yet"
    return html.section(
        f"What can be concluded under {quoted(each.plan.name)}",
        html.paragraph(
            "From one report: its answer about an appliance is the plain truth with probability "
            f"{promise(each.plan).truthful[1]:.3g} at most."
        ),
        html.paragraph(f"From all {each.reports} so far: {so_far}."),
        *(html.paragraph(text) for _, text in as_prose(long_run_sentences(each.plan))),
        f"<p>{html.link('plan', 'All that you agreed to', id=each.plan.id)}</p>",
    )
