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
from hushwatt.provider.api.description import describe_upload
from hushwatt.provider.api.devices import device_routes
from hushwatt.provider.api.estimates import answer_routes
from hushwatt.provider.api.middleware import Middleware, handlers
from hushwatt.provider.api.operations import operation_routes
from hushwatt.provider.api.plans import plan_routes
from hushwatt.provider.api.signed import Gate
from hushwatt.provider.api.upload import Upload
from hushwatt.provider.clock import Clock
from hushwatt.provider.dashboard import add_pages
from hushwatt.provider.service.config import Config
from hushwatt.provider.service.logs import log
from hushwatt.provider.service.service import Service
from hushwatt.provider.store.session import Database, StoreUnavailable

READERS = 8  # threads that answer analysts
LOOK = 1.0  # seconds between two looks for slots to publish, or for what is to be forgotten


class App(FastAPI):
    """An application inside its shell."""

    shell: Middleware

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.shell(scope, receive, send)


def make_app(config: Config, store: Database, clock: Clock | None = None) -> FastAPI:
    """The whole service as an ASGI application; it closes the store when it is shut down."""
    service = Service(config, store, clock)
    access = Access(service)
    gate = Gate(service, access)
    app = App(
        title="hushwatt",
        version=__version__,
        openapi_url="/v1/openapi.json",
        docs_url=None,  # its page would come from elsewhere
        redoc_url=None,
        exception_handlers=handlers(service.metrics),
        lifespan=_lifespan,
    )
    app.state.service, app.state.access = service, access
    operations = operation_routes(service, access)
    app.include_router(plan_routes(service, gate), prefix="/v1")
    app.include_router(device_routes(service, gate, access), prefix="/v1")
    app.include_router(answer_routes(service, gate, access), prefix="/v1")
    app.include_router(operations, prefix="/v1")
    app.include_router(operations, include_in_schema=False)
    app.shell = Middleware(
        partial(FastAPI.__call__, app), service.metrics, Upload(service, gate), access, service.keys.key
    )
    describe_upload(app)
    add_pages(app)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Publish slots while the service runs; write what waits before it ends."""
    service: Service = app.state.service
    current_default_thread_limiter().total_tokens = READERS
    chores = [asyncio.create_task(_again_and_again(chore)) for chore in (service.publish_due, service.tidy)]
    try:
        yield
    finally:
        for chore in chores:
            chore.cancel()
            with suppress(asyncio.CancelledError):
                await chore
        await asyncio.to_thread(service.close)


async def _again_and_again(chore: Callable[[], Awaitable[None]]) -> None:
    while True:
        try:
            await chore()
        except StoreUnavailable as failure:
            log().error("cannot publish or tidy up", reason=str(failure))
        await asyncio.sleep(LOOK)
