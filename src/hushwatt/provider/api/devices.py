"""Homes join and leave."""

from typing import Annotated, Self

import numpy as np
from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request

from hushwatt.plan.plan import Plan
from hushwatt.provider.api.access import Access
from hushwatt.provider.api.problems import Problem
from hushwatt.provider.api.signed import RequestAuthenticator
from hushwatt.provider.intake.collect import Collection
from hushwatt.provider.service.service import Service
from hushwatt.provider.store.enrolment import Enrolled, enrol_gateway, enrol_home, enrolled_before, speaks_for_itself
from hushwatt.provider.store.enrolment_codes import MAX_GATEWAY_HOMES, find_code
from hushwatt.provider.store.rotations import assign_rotations
from hushwatt.provider.store.session import Session, device_rows
from hushwatt.provider.store.turns import offer_turns, offered_turns
from hushwatt.wire.record import DEVICE_BYTES
from hushwatt.wire.signature import DEVICE_HEADER, sound_key


class Join(BaseModel):
    """Who wants to join."""

    model_config = ConfigDict(extra="forbid")

    public_key: Annotated[str, Field(pattern="^[0-9a-fA-F]{64}$", description="Ed25519, 32 bytes in hex")]
    code: Annotated[str | None, Field(max_length=64, description="one-time code, where one is needed")] = None
    homes: Annotated[
        int | None, Field(ge=1, le=MAX_GATEWAY_HOMES, description="a gateway: how many homes it speaks for")
    ] = None


class Joined(BaseModel):
    """The 16-byte names given, in hex, and the turns offered."""

    device: str = Field(description="the signer: the home's device, or the gateway itself")
    devices: list[str] = Field(description="the homes' devices that it signs for")
    turn: int | None = Field(
        description="in which slots a home speaks: those that leave this rest when divided by the window; "
        "null when every slot is its turn, and for a gateway"
    )
    turns: list[int] | None = Field(description="the same for each of `devices`")

    @classmethod
    def of(cls, enrolled: Enrolled, turns: list[int]) -> Self:
        alone = enrolled.devices == (enrolled.name,)
        return cls(
            device=enrolled.name.hex(),
            devices=[each.hex() for each in enrolled.devices],
            turn=turns[0] if turns and alone else None,
            turns=turns or None,
        )


class Erased(BaseModel):
    """What is gone, and what stays."""

    reports: int = Field(description="reports erased, and taken out of slots not yet published")
    note: str = "Numbers published before stay as they are: they are sums over many homes."


def device_routes(service: Service, authenticator: RequestAuthenticator, access: Access) -> APIRouter:
    """The routes by which homes join and leave."""
    routes = APIRouter(tags=["devices"])

    @routes.post("/plans/{plan_id}/devices", status_code=201, summary="Join a plan")
    async def join(plan_id: str, joining: Join, request: Request) -> Joined:
        collection = authenticator.open_collection(plan_id)
        access.count_stranger(request)
        now = int(service.clock.now().timestamp())
        sound_key(bytes.fromhex(joining.public_key))
        needs_code = service.config.needs_code or joining.homes is not None
        if needs_code and await succeeds(service, authenticator, collection.plan, joining, request):
            needs_code = False
        if needs_code and not joining.code:
            raise Problem("code-refused", "a one-time code of the provider is needed")

        def write(session: Session) -> Joined | None:
            enrolled = enrol(session, collection, joining, needs_code, now)
            if enrolled is None:
                return None
            turns = turns_of(session, collection, enrolled)
            if enrolled.new and service.config.assigned_turns:
                assign_rotations(session, collection.number, collection.plan, enrolled)
            return Joined.of(enrolled, turns)

        joined = await service.inbox.write(write)
        if joined is None:
            raise Problem("code-refused")
        return joined

    @routes.delete(
        "/plans/{plan_id}/devices/{device}",
        summary="Leave a plan: erase the device and every report of it",
        description="Signed by the device, or by its gateway, with an empty body.",
    )
    async def leave(plan_id: str, device: str, request: Request) -> Erased:
        collection = authenticator.collection(plan_id)
        signer = await authenticator.signer(request, collection, await authenticator.body(request))
        name = _name(device)
        with service.database.reading() as session:
            homes, owners, _ = session.find_devices(collection.number, device_rows(name))
        if owners[0] != signer.signer:
            raise Problem("signature-refused")
        reports = await service.erase(collection, name, int(homes[0]), signer.signer)
        return Erased(reports=reports)

    return routes


async def succeeds(
    service: Service, authenticator: RequestAuthenticator, plan: Plan, joining: Join, request: Request
) -> bool:
    """Whether a home of the plan that this one replaces asks, under the key it has there: it needs no new code."""
    before = None if plan.replaces is None else service.collection(plan.replaces)
    if before is None or joining.code or joining.homes is not None or DEVICE_HEADER not in request.headers:
        return False
    signer = await authenticator.signer(request, before, await request.body())
    with service.database.reading() as session:
        alone = speaks_for_itself(session, signer)
    return alone and signer.key == bytes.fromhex(joining.public_key)


def enrol(session: Session, collection: Collection, joining: Join, needs_code: bool, now: int) -> Enrolled | None:
    """Enrol, or give what the same code gave this key before; None when the code is no good."""
    key = bytes.fromhex(joining.public_key)
    code = find_code(session, collection.number, joining.code) if needs_code and joining.code else None
    if code is None:
        return None if needs_code else enrol_home(session, collection.number, key)
    if code.signer is not None:
        return enrolled_before(session, code, key)
    if code.expires <= now or (joining.homes or 1) > code.homes:
        return None
    if joining.homes is None:
        return enrol_home(session, collection.number, key, code)
    return enrol_gateway(session, collection.number, key, joining.homes, code)


def turns_of(session: Session, collection: Collection, enrolled: Enrolled) -> list[int]:
    """The turns that homes are offered, or were offered before; none where the plan has none."""
    number, plan, homes = collection.number, collection.plan, np.array(enrolled.homes, dtype=np.int64)
    if enrolled.new:
        return offer_turns(session, number, plan, homes, enrolled.cell)
    return offered_turns(session, number, plan, homes)


def _name(text: str) -> bytes:
    try:
        name = bytes.fromhex(text)
    except ValueError:
        name = b""
    if len(name) != DEVICE_BYTES:
        raise Problem("not-found", "a device is named by 16 bytes in hex")
    return name
