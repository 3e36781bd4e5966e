"""Around every request: problems for what is refused, counts, times, a log line, safe headers."""

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
from hushwatt.provider.api.head import problem_with
from hushwatt.provider.api.memory_limit import MemoryLimit
from hushwatt.provider.api.problems import Problem
from hushwatt.provider.api.proof import prover_for
from hushwatt.provider.api.upload import Upload, uploads_to
from hushwatt.provider.metrics import Metrics
from hushwatt.provider.service.logs import log
from hushwatt.provider.store.session import StoreUnavailable

HEADERS = [(b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer")]
NOT_KEPT = (b"cache-control", b"no-store")
ENCRYPTED = (b"strict-transport-security", b"max-age=31536000")  # browsers come back by https for a year
UPLOADS = "/v1/plans/{plan_id}/reports"
RETRY = 5  # seconds
WISH = 65_536  # bytes of a body that is no upload
PIECE = 32_768  # bytes of an answer that are sent at once
ANSWERS = 32 * 1024 * 1024  # bytes of large answers that have not been taken


class Middleware:
    """The outermost layer of the service; uploads go no further."""

    def __init__(
        self, app: ASGIApp, metrics: Metrics, upload: Upload, access: Access, key: Ed25519PrivateKey
    ) -> None:
        self._app, self._metrics, self._upload = app, metrics, upload
        self._access, self._key = access, key
        self._known = handlers(metrics)
        self._answers = MemoryLimit(ANSWERS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = _guarded(message.get("headers", []), scope["scheme"])
            if len(message.get("body", b"")) > PIECE:
                await self._send_large(message, send)
            else:
                await send(message)

        answer: Send = watched
        if prover := prover_for(scope, self._key):
            receive, answer = prover.hearing(receive), prover.signing(watched)
        plan_id = uploads_to(scope["path"]) if scope["method"] == "POST" else None
        try:
            problem = problem_with(scope)
            if problem is not None:
                response = await self._known[Problem](Request(scope), problem)
                await response(scope, receive, answer)
            elif plan_id is None:
                await self._app(scope, self._short(scope, receive), answer)
            else:
                response = await self._take(Request(scope, receive), plan_id)
                await response(scope, receive, answer)
        finally:
            route = UPLOADS if plan_id else getattr(scope.get("route"), "path", "other")
            self._count(route, status, time.perf_counter() - began)

    def _short(self, scope: Scope, receive: Receive) -> Receive:
        """What receives a body; one that is longer than any wish is refused, one that breaks off is counted.

        An address from which too many strangers came is not listened to at all.
        """
        client, size, whole = HTTPConnection(scope), 0, False

        async def received() -> Message:
            nonlocal size, whole
            if not whole:
                self._access.turn_away(client)
            message = await receive()
            size += len(message.get("body", b""))
            if size > WISH:
                raise Problem("too-large", f"at most {WISH} bytes")
            if message["type"] == "http.disconnect" and not whole:
                self._access.count_stranger(client)
            whole = whole or not message.get("more_body", False)
            return message

        return received

    async def _take(self, request: Request, plan_id: str) -> Response:
        """The answer to an upload, or the problem with it."""
        try:
            return await self._upload.answer(request, plan_id)
        except Exception as refusal:
            kind = next(kind for kind in self._known if isinstance(refusal, kind))
            response: Response = await self._known[kind](request, refusal)
            return response

    async def _send_large(self, message: Message, send: Send) -> None:
        """Send piece by piece, as the client takes it; one that takes too long gets no more."""
        body = message["body"]
        with suppress(TimeoutError):
            async with self._answers.place() as place:
                place.take(len(body))
                for start in range(0, len(body), PIECE):
                    more = start + PIECE < len(body) or message.get("more_body", False)
                    await send({**message, "body": body[start : start + PIECE], "more_body": more})

    def _count(self, route: str, status: int, seconds: float) -> None:
        self._metrics.requests.labels(route, str(status)).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        log().debug("request", route=route, status=status, ms=round(seconds * 1000, 1))


def _guarded(headers: list[tuple[bytes, bytes]], scheme: str) -> list[tuple[bytes, bytes]]:
    """The headers of an answer with those that guard it; nobody keeps a copy unless it says so."""
    found = [*headers, *HEADERS]
    if all(name.lower() != NOT_KEPT[0] for name, _ in headers):
        found.append(NOT_KEPT)
    return [*found, ENCRYPTED] if scheme == "https" else found


def handlers(metrics: Metrics) -> dict[Any, Any]:
    """What each kind of refusal is answered with."""

    def answered(problem: Problem) -> Response:
        metrics.problems.labels(problem.name).inc()
        return problem.response()

    async def on_problem(_: Request, refusal: Problem) -> Response:
        return answered(refusal)

    async def on_unavailable(_: Request, failure: StoreUnavailable) -> Response:
        log().error("store unavailable", reason=str(failure))
        return answered(Problem("unavailable", str(failure), retry=RETRY))

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
