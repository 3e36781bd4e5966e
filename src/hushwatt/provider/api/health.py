"""Is it alive, is it ready, how does it do: for those who keep it running."""

from email.utils import format_datetime

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from hushwatt import __version__
from hushwatt.provider.api.access import Access
from hushwatt.provider.operations.gauges import GaugeReader
from hushwatt.provider.service.service import Service


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
        await run_in_threadpool(access.need_analyst, request)
        await run_in_threadpool(gauges.refresh)
        return Response(service.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    return routes
