"""Homes join and leave."""

from typing import Annotated, Self

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from hushwatt.provider.api.access import Access
from hushwatt.provider.api.enrolling import Join, enrol, succeeded_home, turns_of, usable_code
from hushwatt.provider.api.problems import Problem
from hushwatt.provider.api.signed import RequestAuthenticator
from hushwatt.provider.intake.collect import Collection
from hushwatt.provider.service.service import Service
from hushwatt.provider.store.cells import labels_of
from hushwatt.provider.store.enrolment import Enrolled
from hushwatt.provider.store.rotations import assign_rotations
from hushwatt.provider.store.session import DeviceColumns, Session, device_rows
from hushwatt.wire.labels import NO_LABELS, Labels
from hushwatt.wire.record import DEVICE_BYTES
from hushwatt.wire.signature import sound_key


class Asking(BaseModel):
    """A code, before it is used; and the key, where it may have been used already and the answer was lost."""

    model_config = ConfigDict(extra="forbid")

    code: Annotated[str, Field(max_length=64, description="one-time code")]
    public_key: Annotated[
        str | None, Field(pattern="^[0-9a-fA-F]{64}$", description="the key that the code may have been used with")
    ] = None


class Filed(BaseModel):
    """What the provider knows of a home anyway, by name; empty for nothing."""

    labels: dict[str, str]


class Joined(BaseModel):
    """The 16-byte names given, in hex, the turns offered, and the labels of all these homes."""

    device: str = Field(description="the signer: the home's device, or the gateway itself")
    devices: list[str] = Field(description="the homes' devices that it signs for")
    turn: int | None = Field(
        description="in which slots a home speaks: those that leave this rest when divided by the window; "
        "null when every slot is its turn, and for a gateway"
    )
    turns: list[int] | None = Field(description="the same for each of `devices`")
    labels: dict[str, str] = Field(description="what the provider knows of these homes anyway, as told before")

    @classmethod
    def of(cls, enrolled: Enrolled, turns: list[int], labels: Labels) -> Self:
        alone = enrolled.devices == (enrolled.name,)
        return cls(
            device=enrolled.name.hex(),
            devices=[each.hex() for each in enrolled.devices],
            turn=turns[0] if turns and alone else None,
            turns=turns or None,
            labels=labels.document(),
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
        before = await succeeded_home(service, authenticator, collection.plan, joining, request, needs_code)
        needs_code &= before is None
        if needs_code and not joining.code:
            raise Problem("code-refused", "a one-time code of the provider is needed")

        def write(session: Session) -> Joined | None:
            known = NO_LABELS if before is None else labels_of(session, *before)
            enrolled = enrol(session, collection, joining, needs_code, now, known)
            if enrolled is None:
                return None
            turns = turns_of(session, collection, enrolled)
            if enrolled.new and service.config.assigned_turns:
                assign_rotations(session, collection.number, collection.plan, enrolled)
            return Joined.of(enrolled, turns, labels_of(session, collection.number, enrolled.cell))

        joined = await service.inbox.write(write)
        if joined is None:
            raise Problem("code-refused")
        return joined

    @routes.post(
        "/plans/{plan_id}/labels",
        summary="What the provider knows of the home that a code is for",
        description="Asked before joining, so that a household sees it before it agrees; the code stays good. A code "
        "that would be refused there is refused here.",
    )
    async def labels(plan_id: str, asking: Asking, request: Request) -> Filed:
        collection = authenticator.open_collection(plan_id)
        access.count_stranger(request)
        now = int(service.clock.now().timestamp())
        known = await run_in_threadpool(_labels_behind, service, collection, asking, now)
        if known is None:
            raise Problem("code-refused")
        return Filed(labels=known.document())

    @routes.delete(
        "/plans/{plan_id}/devices/{device}",
        summary="Leave a plan: erase the device and every report of it",
        description="Signed by the device, or by its gateway, with an empty body.",
    )
    async def leave(plan_id: str, device: str, request: Request) -> Erased:
        collection = authenticator.collection(plan_id)
        signer = await authenticator.signer(request, collection, await authenticator.body(request))
        name = _name(device)
        homes, owners, _ = await run_in_threadpool(_find, service, collection, name)
        if owners[0] != signer.signer:
            raise Problem("signature-refused")
        reports = await service.erase(collection, name, int(homes[0]), signer.signer)
        return Erased(reports=reports)

    return routes


def _labels_behind(service: Service, collection: Collection, asking: Asking, now: int) -> Labels | None:
    """The labels that a code would give; None when it is no good, and a good one is needed."""
    key = bytes.fromhex(asking.public_key or "")
    with service.database.reading() as session:
        code = usable_code(session, collection, asking.code, key, 1, now)
        if code is None:
            return None if service.config.needs_code else NO_LABELS
        return labels_of(session, collection.number, code.cell)


def _find(service: Service, collection: Collection, name: bytes) -> DeviceColumns:
    with service.database.reading() as session:
        return session.find_devices(collection.number, device_rows(name))


def _name(text: str) -> bytes:
    try:
        name = bytes.fromhex(text)
    except ValueError:
        name = b""
    if len(name) != DEVICE_BYTES:
        raise Problem("not-found", "a device is named by 16 bytes in hex")
    return name
