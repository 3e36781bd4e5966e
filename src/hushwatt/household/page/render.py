"""The owner's pages, apart from any server: a path in, an answer out.

Whoever serves them (this package's own server, or Home Assistant) decides who may look and which headers of its own
go along.  All links are relative, so the pages can lie under any folder; none of them refreshes itself, so nothing
that is being read or filled in is lost.
"""

from collections.abc import Callable, Mapping

from hushwatt.household.page.data import OwnerPageData, Rendered
from hushwatt.household.page.export import export
from hushwatt.household.page.history import history_page
from hushwatt.household.page.leaving import leave_page
from hushwatt.household.page.limits import limits_page
from hushwatt.household.page.numbers import numbers_page
from hushwatt.household.page.plan_page import plan_page
from hushwatt.household.page.reports import report_page, reports_page
from hushwatt.household.page.requests import request_page
from hushwatt.household.page.view import home_page

HTML = {"Content-Type": "text/html; charset=utf-8"}
PLAIN = {"Content-Type": "text/plain; charset=utf-8"}
RECORD = {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Disposition": 'attachment; filename="hushwatt-record.json"',
}
Query = Mapping[str, str]
PAGES: dict[str, Callable[[OwnerPageData, Query], str | None]] = {
    "": lambda data, query: home_page(data),
    "index.html": lambda data, query: home_page(data),
    "history": lambda data, query: history_page(data, query.get("month", "")),
    "reports": lambda data, query: reports_page(data, "all" in query),
    "report": lambda data, query: report_page(data, query.get("plan", ""), query.get("slot", "")),
    "request": lambda data, query: request_page(data, query.get("number", "")),
    "numbers": lambda data, query: numbers_page(data),
    "plan": lambda data, query: plan_page(data, query.get("id", "")),
    "leave": lambda data, query: leave_page(data, query.get("plan", "")),
}


def render(path: str, query: Query, data: OwnerPageData) -> Rendered:
    """The page at a path such as "history", without a slash in front."""
    if path == "export":
        return Rendered(200, RECORD, export(data))
    if path == "limits":
        found = limits_page(data)
        return Rendered(found.status, HTML | found.headers, found.body)
    page = PAGES[path](data, query) if path in PAGES else None
    return nothing_here() if page is None else Rendered(200, HTML, page)


def nothing_here() -> Rendered:
    return Rendered(404, PLAIN, "There is nothing here.")
