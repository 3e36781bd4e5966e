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
from hushwatt.provider.dashboard.charts.figure import Chart
from hushwatt.provider.dashboard.frame import frame
from hushwatt.provider.dashboard.login import Login
from hushwatt.provider.dashboard.page_context import PageContext
from hushwatt.provider.dashboard.query import understand
from hushwatt.provider.dashboard.renderer import Renderer
from hushwatt.provider.dashboard.views import VIEWS, View
from hushwatt.provider.service.service import Service
from hushwatt.provider.store.session import StoreUnavailable

Answer = Callable[[Request], Awaitable[Response]]


def add_pages(app: FastAPI) -> None:
    """Put the dashboard at `/` of an application that has a service."""
    pages = Pages(app.state.service, app.state.access)
    login = Login(pages.access, pages.paper)
    routes = [
        *(Route(view.path, pages.guarded(pages.showing(view, login))) for view in VIEWS),
        Route("/login", pages.guarded(login.page), methods=["GET"]),
        Route("/login", pages.guarded(login.enter), methods=["POST"]),
        Route("/logout", pages.guarded(login.leave), methods=["POST"]),
        Route("/static/{name}", pages.assets.answer),
    ]
    app.router.routes.extend(routes)


class Pages:
    """Everything the pages of one service share."""

    def __init__(self, service: Service, access: Access) -> None:
        self.service, self.access = service, access
        self.assets = Assets()
        self.paper = Renderer(self.assets)

    def showing(self, view: View, login: Login) -> Answer:
        """The endpoint of a view."""

        async def answer(request: Request) -> Response:
            if not await run_in_threadpool(self.access.is_analyst, request):
                self.access.count_stranger(request)
                return login.ask(request)
            await self.service.publish_due()
            return await run_in_threadpool(self._show, view, request)

        return answer

    def _show(self, view: View, request: Request) -> Response:
        words = dict(request.query_params)
        asked = understand(self.service.read, words, request.query_params.getlist("appliance"))
        scene = PageContext(self.service.read, asked, self.service.clock.now())
        shown: dict[str, Any] = view.show(scene)
        around = frame(scene, view, signed_in=COOKIE in request.cookies)
        charts = any(isinstance(each, Chart) for each in shown.values())
        return self.paper.page(view.template, charts=charts, **around, **shown)

    def guarded(self, answer: Answer) -> Answer:
        """The same endpoint, whose refusals are pages."""

        async def guarded(request: Request) -> Response:
            try:
                return await answer(request)
            except StoreUnavailable as failure:
                return self._refusal(503, "The store cannot be read now", str(failure), retry=5)
            except Problem as problem:
                return self._refusal(problem.status, "Not now", problem.detail or problem.name, problem.retry)
            except HushwattError as wrong:
                return self._refusal(400, "This address cannot be understood", str(wrong))

        return guarded

    def _refusal(self, status: int, title: str, reason: str, retry: int | None = None) -> Response:
        headers = {} if retry is None else {"Retry-After": str(retry)}
        return self.paper.page("refusal.html", status, headers, title=title, reason=reason)
