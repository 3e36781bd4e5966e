"""Is it alive, is it ready, how does it do: for those who keep it running."""

import asyncio
from asyncio import Task
from contextlib import suppress
from email.utils import format_datetime

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from hushwatt import __version__
from hushwatt.provider.api.access import Access
from hushwatt.provider.api.problems import Problem
from hushwatt.provider.operations.gauges import GaugeReader
from hushwatt.provider.service.service import Service
from hushwatt.provider.store.session import StoreUnavailable

STORE_SECONDS = 5.0  # seconds that metrics wait for the store; Prometheus waits ten for them
RETRY_SECONDS = 5  # seconds


def operation_routes(service: Service, access: Access, gauges: GaugeReader) -> APIRouter:
    """The routes for operators; they stand at the root as well as under /v1."""
    routes = APIRouter(tags=["operations"])

    @routes.get("/healthz", summary="Whether the process runs")
    async def healthz(response: Response) -> dict[str, str]:
        response.headers["Date"] = format_datetime(service.clock.now(), usegmt=True)  # for homes whose clocks are off
        return {"status": "ok", "version": __version__}

    @routes.get("/readyz", summary="Whether the store can be written")
    async def readyz() -> dict[str, str]:
        await service.inbox.write(lambda session: session.run("UPDATE hushwatt SET steps = steps"))
        return {"status": "ready"}

    @routes.get("/metrics", summary="Prometheus metrics", response_class=Response)
    async def metrics(request: Request) -> Response:
        text = service.metrics.text if await refreshed(request) else service.metrics.counted
        return Response(text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    async def refreshed(request: Request) -> bool:
        """Set the gauges for an analyst; False: the store is away, and it was one when the store was there."""
        looking = asyncio.create_task(run_in_threadpool(look, request))
        looking.add_done_callback(Task.exception)
        await asyncio.wait({looking}, timeout=STORE_SECONDS)
        with suppress(StoreUnavailable, asyncio.InvalidStateError):
            looking.result()
            return True
        if not access.was_analyst(request):
            raise Problem("unavailable", "the store does not answer", retry=RETRY_SECONDS)
        return False

    def look(request: Request) -> None:
        access.need_analyst(request)
        gauges.refresh()

    return routes
