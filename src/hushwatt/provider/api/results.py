"""Published results, for homes of plans that share them.

Nobody says who they are: a signed request would tell the provider which home looks, and let it tell each home
something else.
"""

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from hushwatt.provider.api.problems import Problem
from hushwatt.provider.api.signed import RequestAuthenticator
from hushwatt.provider.service.service import Service
from hushwatt.provider.service.shared_results import SharedResults


def result_routes(service: Service, authenticator: RequestAuthenticator) -> APIRouter:
    """The route that homes fetch results by."""
    routes = APIRouter(tags=["plans"])
    shared = SharedResults(service.read)

    @routes.get(
        "/plans/{plan_id}/results",
        summary="What was published, for homes to compare themselves with",
        description="Only of plans with `share_results = true`. The mean watts of each appliance over the last "
        "stretch of the plan that is published as a whole, the last 4, the last 13 and the last 52, with their 95 % "
        "intervals: the numbers of `/estimates` for the same time. Everyone gets the same bytes.",
        response_class=JSONResponse,
    )
    async def results(plan_id: str) -> Response:
        plan = authenticator.collection(plan_id).plan
        if not plan.share_results:
            raise Problem("results-not-shared", "its provider alone sees them; a plan with share_results = true shares")
        return Response(await shared.body(plan), media_type="application/json")

    return routes
