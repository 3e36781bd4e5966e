"""Plans, for everyone: what is collected, signed by the provider."""

from typing import Any

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from hushwatt.plan.plan import Plan
from hushwatt.plan.times import show_instant
from hushwatt.provider.api.signed import RequestAuthenticator
from hushwatt.provider.service.service import Service
from hushwatt.wire.signature import sign_plan


def plan_routes(service: Service, authenticator: RequestAuthenticator) -> APIRouter:
    """The routes that tell of plans and of the provider's keys."""
    routes = APIRouter(tags=["plans"])

    @routes.get("/plans", summary="The plans that are collected here")
    def plans() -> dict[str, Any]:
        plans = [_about(service, schedule.plan) for schedule in service.schedules.values()]
        return {"plans": plans, "key": service.keys.public.hex()}

    @routes.get(
        "/plans/{plan_id}",
        summary="A plan in its canonical form",
        description="The SHA-256 of the body is the plan's id. The header Hushwatt-Signature is the "
        "signature of the key in Hushwatt-Key over `hushwatt-plan-v1`, a line end, and the body.",
        response_class=JSONResponse,
    )
    def plan(plan_id: str) -> Response:
        canonical = authenticator.collection(plan_id).plan.canonical()
        headers = sign_plan(service.keys.key, canonical) | {"ETag": f'"{plan_id}"'}
        return Response(canonical, media_type="application/json", headers=headers)

    @routes.get("/keys", summary="The provider's key, and how it follows from the keys before")
    def keys() -> dict[str, Any]:
        history = [vars(each) for each in service.keys.history]
        return {"key": service.keys.public.hex(), "history": history}

    return routes


def _about(service: Service, plan: Plan) -> dict[str, Any]:
    over = service.schedules[service.read.collections[plan.id].number].over(service.clock.now())
    return {
        "id": plan.id,
        "name": plan.name,
        "description": plan.description,
        "contact": plan.contact,
        "start": show_instant(plan.start),
        "expires": show_instant(plan.expires),
        "enrolment": "closed" if over else "codes" if service.config.needs_code else "open",
    } | ({} if plan.replaces is None else {"replaces": plan.replaces})
