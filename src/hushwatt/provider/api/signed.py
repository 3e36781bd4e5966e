"""Signed requests: read the body within its limits, then find out who signed it."""

import time
from collections import OrderedDict

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request

from hushwatt.errors import ReportError
from hushwatt.provider.api.access import Access
from hushwatt.provider.api.memory_limit import MemoryLimit, Reservation
from hushwatt.provider.api.problems import Problem
from hushwatt.provider.api.rate_limit import TokenBucketLimiter
from hushwatt.provider.intake.collect import Collection
from hushwatt.provider.service.service import Service
from hushwatt.provider.store.enrolment import Signer, find_signer
from hushwatt.wire.curve import is_weak
from hushwatt.wire.signature import public_key, read_request_signature

MAX_CACHED_SIGNERS = 20_000  # keys held in memory
MAX_UNFINISHED_BODIES = 16 * 1024 * 1024  # bytes of bodies that are not whole
SignerKey = tuple[Signer, Ed25519PublicKey]


class RequestAuthenticator:
    """Finds the plan, the body and the signer of a request, or refuses it."""

    def __init__(self, service: Service, access: Access) -> None:
        self._service, self._access = service, access
        self._limit = TokenBucketLimiter(service.config.requests_per_second)
        self._memory = MemoryLimit(max(MAX_UNFINISHED_BODIES, 2 * service.config.largest_upload))
        self._signers: OrderedDict[tuple[int, bytes], SignerKey] = OrderedDict()

    def collection(self, plan_id: str) -> Collection:
        collection = self._service.collection(plan_id)
        if collection is None:
            raise Problem("unknown-plan", "ask /v1/plans which plans there are")
        return collection

    def open_collection(self, plan_id: str) -> Collection:
        """The collection of a plan that still takes something."""
        collection = self.collection(plan_id)
        if self._service.schedules[collection.number].over(self._service.clock.now()):
            raise Problem("plan-over", "it takes no reports and no homes any more")
        return collection

    async def body(self, request: Request) -> bytes:
        """The whole body, if it is plain, not too large, and comes in time."""
        config = self._service.config
        if request.headers.get("content-encoding", "identity").lower() != "identity":
            raise Problem("compressed")
        if int(_digits(request.headers.get("content-length"))) > config.largest_upload:
            raise Problem("too-large", f"at most {config.largest_upload} bytes")
        try:
            async with self._memory.reserve(config.upload_seconds) as reservation:
                return await _read(request, config.largest_upload, reservation)
        except TimeoutError:
            raise Problem("too-slow", f"at most {config.upload_seconds} seconds") from None
        except ClientDisconnect:
            self._access.count_stranger(request)
            raise Problem("wrong-request", "the connection was closed before the body had come") from None

    async def signer(self, request: Request, collection: Collection, body: bytes) -> Signer:
        """Who signed the request; refuses what nobody signed, or not now."""
        try:
            claim = read_request_signature(request.headers)
        except ReportError as wrong:
            self._access.count_stranger(request)
            raise Problem("signature-missing", str(wrong)) from None
        late = claim.late_by(self._service.clock.now().timestamp())
        known = await self._find(collection, claim.device)
        if known is None or not claim.fits(known[1], request.method, request.scope["path"], body):
            self._access.count_stranger(request)
            raise Problem("signature-refused")
        self._service.metrics.skew.observe(late)
        if abs(late) > self._service.config.tolerance:
            now = int(self._service.clock.now().timestamp())
            raise Problem("clock-off", f"at most {self._service.config.tolerance} seconds", now=now)
        if not self._limit.allows(claim.device, time.monotonic()):
            raise Problem("too-many", retry=1)
        return known[0]

    async def _find(self, collection: Collection, name: bytes) -> SignerKey | None:
        """The signer of that name; those seen lately are remembered, and the writer checks again."""
        key = (collection.number, name)
        known = self._signers.get(key)
        if known is None:
            if self._service.database.is_local:
                signer = self._look_up(collection.number, name)
            else:
                signer = await run_in_threadpool(self._look_up, collection.number, name)
            if signer is None or is_weak(signer.key):
                return None
            known = self._signers[key] = (signer, public_key(signer.key))
            if len(self._signers) > MAX_CACHED_SIGNERS:
                self._signers.popitem(last=False)
        return known

    def _look_up(self, plan: int, name: bytes) -> Signer | None:
        with self._service.database.reading() as session:
            return find_signer(session, plan, name)


async def _read(request: Request, max_bytes: int, reservation: Reservation) -> bytes:
    parts = []
    async for part in request.stream():
        reservation.take(len(part))
        if reservation.held > max_bytes:
            raise Problem("too-large", f"at most {max_bytes} bytes")
        parts.append(part)
    return b"".join(parts)


def _digits(text: str | None) -> str:
    return text if text and text.isascii() and text.isdigit() and len(text) < 16 else "0"
