"""What analysts ask: estimates, top, slots, health, files."""

from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hushwatt.plan.times import show_instant
from hushwatt.provider.api.access import Access
from hushwatt.provider.api.problems import Problem
from hushwatt.provider.api.signed import RequestAuthenticator
from hushwatt.provider.estimate.export import export
from hushwatt.provider.estimate.homes_above.threshold import thresholds
from hushwatt.provider.estimate.times.time_filter import TimeFilter
from hushwatt.provider.estimate.times.time_range import parse_query_range
from hushwatt.provider.service.collection_reader import BoardQuestions
from hushwatt.provider.service.service import Service

From = Annotated[str | None, Query(alias="from", max_length=40, description="a date or time in ISO 8601")]
To = Annotated[str | None, Query(alias="to", max_length=40, description="likewise; a date is the whole day")]
Hours = Annotated[
    str | None, Query(max_length=100, description="only slots in these hours, as 17-21, by the plan's clocks")
]
Weekdays = Annotated[str | None, Query(max_length=100, description="only slots on these weekdays, as mon-fri")]
FoldName = Literal["hour", "weekday", "hour-of-week", "month", "each-hour", "each-day", "each-week", "each-month"]
Fold = Annotated[
    FoldName | None,
    Query(
        description="take all slots of the same hour, weekday, hour of the week or month together too, or each hour, "
        "day, week or month by itself: `folds`"
    ),
]
CustomersCount = Annotated[
    int | None, Query(ge=1, le=10**12, description="how many customers there are: totals of all of them too")
]
AboveWatts = Annotated[
    list[float] | None,
    Query(max_length=10, description="the share of homes above so many watts; may be given again: `above`"),
]
UsingAtAll = Annotated[
    bool, Query(description="the share of homes that use an appliance, above its lowest level: `using`")
]
By = Annotated[
    str | None,
    Query(max_length=500, description="answer every kind of home by itself too, by labels, as tariff,region: `groups`"),
]
SIDE = "as 2024-01-15..2024-01-21, hours=17-21, weekdays=sat+sun, a label as tariff=A, or several with commas between"
Side = Annotated[str, Query(max_length=500, description=SIDE)]
OtherSide = Annotated[str | None, Query(max_length=500, description="likewise; `c` and `d` go together")]
Consistency = Literal["norm-sub", "none"]
MEDIA = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "parquet": "application/vnd.apache.parquet",
}


class Until(BaseModel):
    """Up to which slot to publish."""

    model_config = ConfigDict(extra="forbid")
    until: int = Field(ge=0, le=2**32 - 1)


def label_names(by: str | None) -> tuple[str, ...]:
    """The labels that `by` names."""
    return tuple(each.strip() for each in by.split(",")) if by else ()


def estimate_routes(service: Service, authenticator: RequestAuthenticator, access: Access) -> APIRouter:
    """The routes for analysts."""

    async def analyst(request: Request) -> None:
        await run_in_threadpool(access.need_analyst, request)
        await service.publish_due()

    routes = APIRouter(tags=["answers"], dependencies=[Depends(analyst)])
    read = service.read

    @routes.get(
        "/plans/{plan_id}/estimates",
        summary="Homes per level and watts, slot by slot",
        description="What was published once never changes. `too_few_homes` stands instead of `appliances` "
        "in a slot that too few homes reported in. An appliance is null where nobody spoke of it, or too few "
        "homes; then `too_few_homes_for` has how many did, by its name, beside `appliances`. "
        "`slots_left_out` is how many slots are no part of an appliance's period for that reason. `homes` "
        "stands in a slot that was published for another number of homes than the whole answer. Where the plan "
        "publishes several slots together, each such period stands where a slot would: `slot` is its first one, "
        "`slots` how many they are, `reports` the homes heard in it, and a range has to hold whole periods. "
        "Where `by` asks for groups, one that too few homes are in, or that would give such a one away, has no answer.",
        response_class=JSONResponse,
    )
    def estimates(
        plan_id: str,
        start: From = None,
        end: To = None,
        hours: Hours = None,
        weekdays: Weekdays = None,
        fold: Fold = None,
        consistency: Consistency = "norm-sub",
        smooth: bool = False,
        by: By = None,
        customers: CustomersCount = None,
        above: AboveWatts = None,
        using: UsingAtAll = False,
    ) -> Response:
        plan = authenticator.collection(plan_id).plan
        times = TimeFilter.parse(hours or None, weekdays or None)
        between = parse_query_range(plan, start, end)
        board = BoardQuestions(customers, thresholds(above or (), using))
        body = read.answer(plan, *between, consistency, smooth, times, fold, label_names(by), board)
        return Response(body, media_type="application/json")

    @routes.get(
        "/plans/{plan_id}/compare",
        summary="By how much every appliance's watts on one side differ from those on another, and how surely",
        description="What `hushwatt compare --json` says, of all published slots. With `c` and `d`, the difference "
        "between `a` and `b` beyond that between these.",
    )
    def compare(plan_id: str, a: Side, b: Side, c: OtherSide = None, d: OtherSide = None) -> dict[str, Any]:
        if (c is None) != (d is None):
            raise Problem("wrong-request", "name both c and d, or neither")
        return read.contrast(authenticator.collection(plan_id).plan, [each for each in (a, b, c, d) if each])

    @routes.get("/plans/{plan_id}/top", summary="The appliances that use the most")
    def top(
        plan_id: str, k: Annotated[int, Query(ge=1, le=10_000)] = 10, start: From = None, end: To = None
    ) -> dict[str, Any]:
        plan = authenticator.collection(plan_id).plan
        return read.top(plan, k, *parse_query_range(plan, start, end))

    @routes.get("/plans/{plan_id}/slots", summary="Where slots are in their life, and how complete")
    def slots(plan_id: str, start: From = None, end: To = None) -> dict[str, Any]:
        plan = authenticator.collection(plan_id).plan
        views = [asdict(slot) for slot in read.slots(plan, *parse_query_range(plan, start, end))]
        for slot in views:
            if plan.publish == 1:
                del slot["slots"]
            slot |= {name: show_instant(slot[name]) for name in ("start", "end", "closes")}
        return {"plan": plan.id, "slots": views}

    @routes.get("/plans/{plan_id}/health", summary="How the collection goes")
    def health(plan_id: str) -> dict[str, Any]:
        return asdict(read.health(authenticator.collection(plan_id).plan))

    @routes.get("/plans/{plan_id}/export.{form}", summary="The estimates as a file", response_class=Response)
    def exported(
        plan_id: str,
        form: Literal["csv", "json", "parquet"],
        start: From = None,
        end: To = None,
        hours: Hours = None,
        weekdays: Weekdays = None,
        consistency: Consistency = "norm-sub",
        smooth: bool = False,
        by: By = None,
    ) -> Response:
        plan = authenticator.collection(plan_id).plan
        between, times = parse_query_range(plan, start, end), TimeFilter.parse(hours or None, weekdays or None)
        estimates = read.estimates(
            plan, *between, consistency=consistency, smooth=smooth, times=times, by=label_names(by)
        )
        with TemporaryDirectory() as folder:
            file = Path(folder) / f"estimates.{form}"
            export(estimates, file)
            content = file.read_bytes()
        name = f"hushwatt-{plan.id[:12]}.{form}"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=MEDIA[form], headers=headers)

    @routes.post(
        "/plans/{plan_id}/publish",
        summary="End the grace of slots that are over, and publish them now",
        description="Asks for an operator's token: what is published never changes, and later reports of "
        "these slots are late.",
    )
    async def publish(plan_id: str, body: Until, request: Request) -> dict[str, Any]:
        await run_in_threadpool(access.need_operator, request)
        collection = authenticator.collection(plan_id)
        schedule, now = service.schedules[collection.number], service.clock.now()
        last = min(body.until, schedule.last_begun(now))
        if last >= 0 and schedule.plan.calendar.end_of(last) > now:
            last -= 1
        slots = await service.publish(collection.number, last)
        state = await run_in_threadpool(read.state, collection.plan)
        return {"published": state.published, "slots": slots}

    return routes
