"""Middleware around every request: problems for what is refused, counts, times, logs, safe headers."""

import time
import traceback
from contextlib import suppress
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hushwatt.errors import HushwattError
from hushwatt.provider.api.access import Access
from hushwatt.provider.api.memory_limit import MemoryLimit
from hushwatt.provider.api.problems import Problem
from hushwatt.provider.api.proof import response_signer_for
from hushwatt.provider.api.request_head import head_problem
from hushwatt.provider.api.upload import UploadRoute, upload_plan_id
from hushwatt.provider.metrics import Metrics
from hushwatt.provider.service.logs import log
from hushwatt.provider.store.session import StoreUnavailable
from hushwatt.provider.telemetry import span_since

SECURITY_HEADERS = [(b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer")]
NO_STORE = (b"cache-control", b"no-store")
STRICT_TRANSPORT = (b"strict-transport-security", b"max-age=31536000")  # browsers come back by https for a year
UPLOADS = "/v1/plans/{plan_id}/reports"
RETRY_SECONDS = 5  # seconds
MAX_BODY_BYTES = 65_536  # bytes of a body that is no upload
CHUNK_BYTES = 32_768  # bytes of an answer that are sent at once
MAX_UNSENT_BYTES = 32 * 1024 * 1024  # bytes of large answers that have not been taken


class Middleware:
    """The outermost layer of the service; uploads go no further."""

    def __init__(
        self, app: ASGIApp, metrics: Metrics, upload: UploadRoute, access: Access, key: Ed25519PrivateKey
    ) -> None:
        self._app, self._metrics, self._upload = app, metrics, upload
        self._access, self._key = access, key
        self._handlers = exception_handlers(metrics)
        self._unsent = MemoryLimit(MAX_UNSENT_BYTES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter_ns(), 500

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = _guarded(message.get("headers", []), scope["scheme"])
            if len(message.get("body", b"")) > CHUNK_BYTES:
                await self._send_large(message, send)
            else:
                await send(message)

        answer: Send = watched
        if signer := response_signer_for(scope, self._key):
            receive, answer = signer.receiving(receive), signer.sending(watched)
        plan_id = upload_plan_id(scope["path"]) if scope["method"] == "POST" else None
        try:
            problem = head_problem(scope)
            if problem is not None:
                response = await self._handlers[Problem](Request(scope), problem)
                await response(scope, receive, answer)
            elif plan_id is None:
                await self._app(scope, self._bounded(scope, receive), answer)
            else:
                response = await self._respond_to_upload(Request(scope, receive), plan_id)
                await response(scope, receive, answer)
        finally:
            route = UPLOADS if plan_id else getattr(scope.get("route"), "path", "other")
            self._count(scope, route, status, began)

    def _bounded(self, scope: Scope, receive: Receive) -> Receive:
        """What receives a body; one that is too long is refused, one that breaks off is counted.

        An address from which too many strangers came is not listened to at all.
        """
        client, size, whole = HTTPConnection(scope), 0, False

        async def received() -> Message:
            nonlocal size, whole
            if not whole:
                self._access.turn_away(client)
            message = await receive()
            size += len(message.get("body", b""))
            if size > MAX_BODY_BYTES:
                raise Problem("too-large", f"at most {MAX_BODY_BYTES} bytes")
            if message["type"] == "http.disconnect" and not whole:
                self._access.count_stranger(client)
            whole = whole or not message.get("more_body", False)
            return message

        return received

    async def _respond_to_upload(self, request: Request, plan_id: str) -> Response:
        """The answer to an upload, or the problem with it."""
        try:
            return await self._upload.answer(request, plan_id)
        except Exception as refusal:
            kind = next(kind for kind in self._handlers if isinstance(refusal, kind))
            response: Response = await self._handlers[kind](request, refusal)
            return response

    async def _send_large(self, message: Message, send: Send) -> None:
        """Send in chunks, with backpressure, as the client takes them; one that is too slow gets no more."""
        body = message["body"]
        with suppress(TimeoutError):
            async with self._unsent.reserve() as reservation:
                reservation.take(len(body))
                for start in range(0, len(body), CHUNK_BYTES):
                    more = start + CHUNK_BYTES < len(body) or message.get("more_body", False)
                    await send({**message, "body": body[start : start + CHUNK_BYTES], "more_body": more})

    def _count(self, scope: Scope, route: str, status: int, began: int) -> None:
        span = span_since(began)
        seconds = (span[1] - span[0]) / 1e9
        parent = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"traceparent"), None)
        self._metrics.telemetry.request(*span, scope["method"], route, status, parent)
        self._metrics.requests.labels(route, str(status)).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        log().debug("request", route=route, status=status, ms=round(seconds * 1000, 1))


def _guarded(headers: list[tuple[bytes, bytes]], scheme: str) -> list[tuple[bytes, bytes]]:
    """The headers of an answer with those that guard it; nobody keeps a copy unless it says so."""
    guarded = [*headers, *SECURITY_HEADERS]
    if all(name.lower() != NO_STORE[0] for name, _ in headers):
        guarded.append(NO_STORE)
    return [*guarded, STRICT_TRANSPORT] if scheme == "https" else guarded


def exception_handlers(metrics: Metrics) -> dict[Any, Any]:
    """What each kind of refusal is answered with."""

    def answered(problem: Problem) -> Response:
        metrics.problems.labels(problem.name).inc()
        return problem.response()

    async def on_problem(_: Request, refusal: Problem) -> Response:
        return answered(refusal)

    async def on_unavailable(_: Request, failure: StoreUnavailable) -> Response:
        log().error("store unavailable", reason=str(failure))
        metrics.store_errors.labels(failure.reason).inc()
        return answered(Problem("unavailable", str(failure), retry=RETRY_SECONDS))

    async def on_refusal(_: Request, refusal: HushwattError) -> Response:
        return answered(Problem("wrong-request", str(refusal)))

    async def on_invalid(_: Request, wrong: RequestValidationError) -> Response:
        """Name the place and what is wrong with it; the value itself is not repeated."""
        places = ["/".join(map(str, each["loc"])) + ": " + each["msg"] for each in wrong.errors()[:5]]
        return answered(Problem("wrong-request", "; ".join(places)))

    async def on_http(_: Request, wrong: HTTPException) -> Response:
        names = {404: "not-found", 405: "wrong-method"}
        problem = Problem(names.get(wrong.status_code, "wrong-request"))
        if isinstance(wrong.__cause__, Problem):  # FastAPI met it while it read the body
            problem = wrong.__cause__
        response = answered(problem)
        response.headers.update(wrong.headers or {})
        return response

    async def on_gone(_: Request, gone: ClientDisconnect) -> Response:
        return answered(Problem("wrong-request", "the connection was closed before the body had come"))

    async def on_failure(_: Request, failure: Exception) -> Response:
        log().error("failed", trace="".join(traceback.format_exception(failure)))
        return answered(Problem("failed"))

    return {
        Problem: on_problem,
        StoreUnavailable: on_unavailable,
        HushwattError: on_refusal,
        RequestValidationError: on_invalid,
        HTTPException: on_http,
        ClientDisconnect: on_gone,
        Exception: on_failure,
    }
