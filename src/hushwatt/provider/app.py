"""The application: all routes around one service.

`make_app(config, store, clock)` is what servers, tests and simulations start from.  Pages
are added to what it gives: `app.state.service` is the service, `app.state.service.read`
what has been collected, and `app.state.access` says who may look.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from hushwatt import __version__
from hushwatt.provider.api.access import Access
from hushwatt.provider.api.devices import device_routes
from hushwatt.provider.api.estimates import estimate_routes
from hushwatt.provider.api.health import operation_routes
from hushwatt.provider.api.middleware import Middleware, exception_handlers
from hushwatt.provider.api.openapi import describe_upload
from hushwatt.provider.api.plans import plan_routes
from hushwatt.provider.api.results import result_routes
from hushwatt.provider.api.signed import RequestAuthenticator
from hushwatt.provider.api.upload import UploadRoute
from hushwatt.provider.clock import UtcClock
from hushwatt.provider.dashboard import add_pages
from hushwatt.provider.metrics import Metrics
from hushwatt.provider.operations.gateways import GatewayLog
from hushwatt.provider.operations.gauges import GaugeReader
from hushwatt.provider.service.config import Config
from hushwatt.provider.service.logs import log
from hushwatt.provider.service.service import Service
from hushwatt.provider.store.session import Database, StoreUnavailable
from hushwatt.provider.telemetry import Telemetry

READER_THREADS = 8  # threads that answer analysts
POLL_SECONDS = 1.0  # seconds between two polls for slots to publish, or for what is to be forgotten


class App(FastAPI):
    """An application inside its middleware."""

    outermost: Middleware

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.outermost(scope, receive, send)


def make_app(
    config: Config, store: Database, clock: UtcClock | None = None, telemetry: Telemetry | None = None
) -> FastAPI:
    """The whole service as an ASGI application; it closes the store when it is shut down."""
    service = Service(config, store, clock)
    access = Access(service)
    authenticator = RequestAuthenticator(service, access)
    app = App(
        title="hushwatt",
        version=__version__,
        openapi_url="/v1/openapi.json",
        docs_url=None,  # its page would come from elsewhere
        redoc_url=None,
        exception_handlers=exception_handlers(service.metrics),
        lifespan=_lifespan,
    )
    app.state.service, app.state.access = service, access
    gateways = GatewayLog()
    gauges = GaugeReader(service, gateways)
    if telemetry is not None:
        service.metrics.watched_by(telemetry, gauges.refresh)
    operations = operation_routes(service, access, gauges)
    app.include_router(plan_routes(service, authenticator), prefix="/v1")
    app.include_router(result_routes(service, authenticator), prefix="/v1")
    app.include_router(device_routes(service, authenticator, access), prefix="/v1")
    app.include_router(estimate_routes(service, authenticator, access), prefix="/v1")
    app.include_router(operations, prefix="/v1")
    app.include_router(operations, include_in_schema=False)
    upload = UploadRoute(service, authenticator, gateways)
    app.outermost = Middleware(partial(FastAPI.__call__, app), service.metrics, upload, access, service.keys.key)
    describe_upload(app)
    add_pages(app)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Publish slots while the service runs; write what waits before it ends."""
    service: Service = app.state.service
    current_default_thread_limiter().total_tokens = READER_THREADS
    tasks = [asyncio.create_task(_repeat(chore, service.metrics)) for chore in (service.publish_due, service.tidy)]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await asyncio.to_thread(service.metrics.telemetry.close)
        await asyncio.to_thread(service.close)


async def _repeat(chore: Callable[[], Awaitable[None]], metrics: Metrics) -> None:
    while True:
        try:
            await chore()
        except StoreUnavailable as failure:
            log().error("cannot publish or tidy up", reason=str(failure))
            metrics.store_errors.labels(failure.reason).inc()
        await asyncio.sleep(POLL_SECONDS)
