"""`POST /v1/plans/{id}/reports`: the route that homes use, kept short.

There are many more uploads than other requests, so they bypass the application's layers.
"""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hushwatt.errors import ReportError
from hushwatt.provider.api.problems import Problem
from hushwatt.provider.api.signed import Gate
from hushwatt.provider.intake.inbox import ONE, Answer
from hushwatt.provider.service.service import Service
from hushwatt.wire.record import unpack


class Upload:
    """Takes records, answers for each of them once they are safe."""

    def __init__(self, service: Service, gate: Gate) -> None:
        self._service, self._gate = service, gate

    async def answer(self, request: Request, plan_id: str) -> Response:
        """The answer to one upload; raises what is to be refused."""
        collection = self._gate.open_collection(plan_id)
        body = await self._gate.body(request)
        signer = await self._gate.signer(request, collection, body)
        try:
            records = unpack(body, collection.layout.size)
        except ReportError as wrong:
            raise Problem("wrong-size", str(wrong)) from None
        if not len(records):
            return JSONResponse(told(Answer(0, 0, ())))
        answer = await self._service.inbox.deliver(collection, signer.signer, records)
        self._count(plan_id, answer)
        if answer is ONE:
            return Response(ONE_TOLD, media_type="application/json")
        if answer.rejected and not answer.accepted + answer.repeated:
            raise Problem("nothing-accepted", **told(answer))
        return JSONResponse(told(answer))

    def _count(self, plan: str, answer: Answer) -> None:
        reports = self._service.metrics.reports
        for result, count in (("accepted", answer.accepted), ("repeated", answer.repeated)):
            if count:
                reports.labels(plan, result).inc(count)
        for _, reason in answer.rejected:
            reports.labels(plan, reason).inc()


def told(answer: Answer) -> dict[str, Any]:
    """The answer as JSON."""
    rejected = [{"index": index, "reason": reason} for index, reason in answer.rejected]
    return {"accepted": answer.accepted, "repeated": answer.repeated, "rejected": rejected}


def uploads_to(path: str) -> str | None:
    """The plan that uploads to this path belong to, if it is a path for uploads.

    >>> uploads_to("/v1/plans/5f/reports"), uploads_to("/v1/plans/5f/estimates")
    ('5f', None)
    """
    if not (path.startswith(BEFORE) and path.endswith(AFTER)):
        return None
    plan_id = path[len(BEFORE) : -len(AFTER)]
    return plan_id if plan_id and "/" not in plan_id else None


ONE_TOLD = JSONResponse(told(ONE)).body
BEFORE, AFTER = "/v1/plans/", "/reports"
