"""The pages' addresses: who asks is checked, the address is understood, the view is shown.

Whatever goes wrong is a page too, in one clear line.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hushwatt.errors import HushwattError
from hushwatt.provider.api.access import COOKIE, Access
from hushwatt.provider.api.problems import Problem
from hushwatt.provider.dashboard.assets import Assets
from hushwatt.provider.dashboard.charts.figure import PageChart
from hushwatt.provider.dashboard.kept_answers import KeptAnswers
from hushwatt.provider.dashboard.login import Login
from hushwatt.provider.dashboard.numbers_file import NumbersFile
from hushwatt.provider.dashboard.page_context import PageContext
from hushwatt.provider.dashboard.page_layout import layout_context
from hushwatt.provider.dashboard.query import parse_query
from hushwatt.provider.dashboard.renderer import HEADERS, Renderer
from hushwatt.provider.dashboard.views import VIEWS, View
from hushwatt.provider.service.service import Service
from hushwatt.provider.store.session import StoreUnavailable

Endpoint = Callable[[Request], Awaitable[Response]]


def add_pages(app: FastAPI) -> None:
    """Put the dashboard at `/` of an application that has a service."""
    pages = DashboardPages(app.state.service, app.state.access)
    login = Login(pages.access, pages.renderer)
    routes = [
        *(Route(view.path, pages.with_error_pages(pages.endpoint(view, login))) for view in VIEWS),
        Route("/login", pages.with_error_pages(login.page), methods=["GET"]),
        Route("/login", pages.with_error_pages(login.log_in), methods=["POST"]),
        Route("/logout", pages.with_error_pages(login.log_out), methods=["POST"]),
        Route("/static/{name}", pages.assets.serve),
    ]
    app.router.routes.extend(routes)


class DashboardPages:
    """Everything the pages of one service share."""

    def __init__(self, service: Service, access: Access) -> None:
        self.service, self.access = service, access
        self.assets = Assets()
        self.renderer, self.kept = Renderer(self.assets), KeptAnswers()

    def endpoint(self, view: View, login: Login) -> Endpoint:
        """The endpoint of a view."""

        async def show(request: Request) -> Response:
            if not await run_in_threadpool(self.access.is_analyst, request):
                self.access.count_stranger(request)
                return login.form(request)
            await self.service.publish_due()
            return await run_in_threadpool(self._show, view, request)

        return show

    def _show(self, view: View, request: Request) -> Response:
        parameters = dict(request.query_params)
        query = parse_query(self.service.read, parameters, request.query_params.getlist("appliance"))
        page = PageContext(self.service.read, query, self.service.clock.now(), self.kept)
        shown: dict[str, Any] = view.show(page)
        if parameters.get("form", "") == "csv" and "numbers" in shown:
            numbers: NumbersFile = shown["numbers"]
            return numbers.response(HEADERS)
        layout = layout_context(page, view, signed_in=COOKIE in request.cookies)
        charts = any(isinstance(each, PageChart) for each in shown.values())
        return self.renderer.page(view.template, charts=charts, **{**layout, **shown})

    def with_error_pages(self, endpoint: Endpoint) -> Endpoint:
        """The same endpoint, whose refusals are pages."""

        async def guarded(request: Request) -> Response:
            try:
                return await endpoint(request)
            except StoreUnavailable as failure:
                return self._refusal(503, "The store cannot be read now", str(failure), retry=5)
            except Problem as problem:
                return self._refusal(problem.status, "Not now", problem.detail or problem.name, problem.retry)
            except HushwattError as wrong:
                return self._refusal(400, "This address cannot be understood", str(wrong))

        return guarded

    def _refusal(self, status: int, title: str, reason: str, retry: int | None = None) -> Response:
        headers = {} if retry is None else {"Retry-After": str(retry)}
        return self.renderer.page("refusal.html", status, headers, title=title, reason=reason)
