"""`POST /v1/plans/{id}/reports`: the route that homes use, kept short."""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse

from hushwatt.errors import ReportError
from hushwatt.provider.api.problems import Problem
from hushwatt.provider.api.signed import Gate
from hushwatt.provider.inbox import Answer
from hushwatt.provider.service import Service
from hushwatt.wire.record import unpack


class Upload:
    """Takes records, answers for each of them once they are safe."""

    def __init__(self, service: Service, gate: Gate) -> None:
        self._service, self._gate = service, gate

    async def __call__(self, request: Request) -> JSONResponse:
        collection = self._gate.open_collection(request.path_params["plan_id"])
        body = await self._gate.body(request)
        signer = await self._gate.signer(request, collection, body)
        try:
            records = unpack(body, collection.layout.size)
        except ReportError as wrong:
            raise Problem("wrong-size", str(wrong)) from None
        if not len(records):
            return JSONResponse(told(Answer(0, 0, ())))
        answer = await self._service.inbox.deliver(collection, signer.signer, records)
        self._count(collection.plan.id, answer)
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
