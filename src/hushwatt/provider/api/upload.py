"""`POST /v1/plans/{id}/reports`: the route that homes use, kept short.

There are many more uploads than other requests, so they bypass the application's layers.
"""

from typing import Any

import numpy as np
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hushwatt.errors import ReportError
from hushwatt.provider.api.problems import Problem
from hushwatt.provider.api.signed import RequestAuthenticator
from hushwatt.provider.intake.collect import Collection
from hushwatt.provider.intake.inbox import ONE_ACCEPTED, UploadResult
from hushwatt.provider.operations.gateways import GatewayLog
from hushwatt.provider.service.service import Service
from hushwatt.wire.record import Records, unpack


class UploadRoute:
    """Takes records, answers for each of them once they are safe."""

    def __init__(self, service: Service, authenticator: RequestAuthenticator, gateways: GatewayLog) -> None:
        self._service, self._authenticator, self._gateways = service, authenticator, gateways

    async def answer(self, request: Request, plan_id: str) -> Response:
        """The answer to one upload; raises what is to be refused."""
        collection = self._authenticator.open_collection(plan_id)
        body = await self._authenticator.body(request)
        signer = await self._authenticator.signer(request, collection, body)
        try:
            records = unpack(body, collection.layout.size)
        except ReportError as wrong:
            raise Problem("wrong-size", str(wrong)) from None
        if not len(records):
            return JSONResponse(result_json(UploadResult(0, 0, ())))
        result = await self._service.inbox.submit(collection, signer.signer, records)
        self._count(collection, signer.signer, records, result)
        if result is ONE_ACCEPTED:
            return Response(ONE_ACCEPTED_JSON, media_type="application/json")
        if result.rejected and not result.accepted + result.repeated:
            raise Problem("nothing-accepted", **result_json(result))
        return JSONResponse(result_json(result))

    def _count(self, collection: Collection, signer: int, records: Records, result: UploadResult) -> None:
        """Count what became of an upload, how late it came, and that its signer was heard."""
        plan, reports = collection.plan.id, self._service.metrics.reports
        now = self._service.clock.now()
        self._gateways.heard(signer, now.timestamp())
        for slot, count in slot_counts(records):
            if slot < collection.plan.calendar.slots:
                late = now - collection.plan.calendar.end_of(slot)
                self._service.metrics.lateness.observe(plan, late.total_seconds(), count)
        for name, count in (("accepted", result.accepted), ("repeated", result.repeated)):
            if count:
                reports.labels(plan, name).inc(count)
        for _, reason in result.rejected:
            reports.labels(plan, reason).inc()


def result_json(result: UploadResult) -> dict[str, Any]:
    """The answer as JSON."""
    rejected = [{"index": index, "reason": reason} for index, reason in result.rejected]
    return {"accepted": result.accepted, "repeated": result.repeated, "rejected": rejected}


def slot_counts(records: Records) -> list[tuple[int, int]]:
    """How many records of each slot; mostly there is one slot."""
    if len(records) == 1:
        return [(int(records.slot[0]), 1)]
    slots, counts = np.unique(records.slot, return_counts=True)
    return list(zip(slots.tolist(), counts.tolist(), strict=True))


def upload_plan_id(path: str) -> str | None:
    """The plan that uploads to this path belong to, if it is a path for uploads.

    >>> upload_plan_id("/v1/plans/5f/reports"), upload_plan_id("/v1/plans/5f/estimates")
    ('5f', None)
    """
    if not (path.startswith(BEFORE) and path.endswith(AFTER)):
        return None
    plan_id = path[len(BEFORE) : -len(AFTER)]
    return plan_id if plan_id and "/" not in plan_id else None


ONE_ACCEPTED_JSON = JSONResponse(result_json(ONE_ACCEPTED)).body
BEFORE, AFTER = "/v1/plans/", "/reports"
