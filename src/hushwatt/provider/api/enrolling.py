"""Who may enrol, by which code or which place before, and what is known of them then."""

from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from hushwatt.plan.plan import Plan
from hushwatt.provider.api.problems import Problem
from hushwatt.provider.api.signed import RequestAuthenticator
from hushwatt.provider.intake.collect import Collection
from hushwatt.provider.service.service import Service
from hushwatt.provider.store.cells import cell_of
from hushwatt.provider.store.enrolment import (
    Enrolled,
    Signer,
    enrol_gateway,
    enrol_home,
    enrolled_before,
    speaks_for_itself,
)
from hushwatt.provider.store.enrolment_codes import MAX_GATEWAY_HOMES, EnrolmentCode, find_code
from hushwatt.provider.store.session import Session, device_rows
from hushwatt.provider.store.turns import offer_turns, offered_turns
from hushwatt.wire.labels import NO_LABELS, Labels
from hushwatt.wire.signature import DEVICE_HEADER


class Join(BaseModel):
    """Who wants to join."""

    model_config = ConfigDict(extra="forbid")

    public_key: Annotated[str, Field(pattern="^[0-9a-fA-F]{64}$", description="Ed25519, 32 bytes in hex")]
    code: Annotated[str | None, Field(max_length=64, description="one-time code, where one is needed")] = None
    homes: Annotated[
        int | None, Field(ge=1, le=MAX_GATEWAY_HOMES, description="a gateway: how many homes it speaks for")
    ] = None


async def succeeded_home(
    service: Service,
    authenticator: RequestAuthenticator,
    plan: Plan,
    joining: Join,
    request: Request,
    needed: bool,
) -> tuple[int, int] | None:
    """The home of the plan that this one replaces that asks, under the key it has there: it needs no new code.

    Its plan's number and its cell there, whose labels it keeps.  Where that is not `needed`, nobody is refused.
    """
    before = None if plan.replaces is None else service.collection(plan.replaces)
    if before is None or joining.code or joining.homes is not None or DEVICE_HEADER not in request.headers:
        return None
    try:
        signer = await authenticator.signer(request, before, await request.body())
    except Problem:
        if needed:
            raise
        return None
    alone, cell = await run_in_threadpool(_looked_up, service, before, signer)
    same = signer.key == bytes.fromhex(joining.public_key)
    return (before.number, cell) if alone and same else None


def _looked_up(service: Service, before: Collection, signer: Signer) -> tuple[bool, int]:
    """Whether it speaks for itself alone, and the cell of its home."""
    with service.database.reading() as session:
        cells = session.find_devices(before.number, device_rows(signer.name)).cells
        return speaks_for_itself(session, signer), int(cells[0])


def enrol(
    session: Session, collection: Collection, joining: Join, needs_code: bool, now: int, known: Labels = NO_LABELS
) -> Enrolled | None:
    """Enrol, or give what the same code gave this key before; None when the code is no good.

    Labels hang on the code; without one they are what is `known` from before.
    """
    key = bytes.fromhex(joining.public_key)
    code = usable_code(session, collection, joining.code, key, joining.homes or 1, now) if joining.code else None
    if code is None:
        cell = cell_of(session, collection.number, known)
        return None if needs_code else enrol_home(session, collection.number, key, cell=cell)
    if code.signer is not None:
        return enrolled_before(session, code, key)
    if joining.homes is None:
        return enrol_home(session, collection.number, key, code)
    return enrol_gateway(session, collection.number, key, joining.homes, code)


def usable_code(
    session: Session, collection: Collection, text: str, key: bytes, homes: int, now: int
) -> EnrolmentCode | None:
    """A code that is good for so many homes, or that this key has used; None for any other."""
    code = find_code(session, collection.number, text)
    if code is None or (code.signer is None and (code.expires <= now or homes > code.homes)):
        return None
    return None if code.signer is not None and enrolled_before(session, code, key) is None else code


def turns_of(session: Session, collection: Collection, enrolled: Enrolled) -> list[int]:
    """The turns that homes are offered, or were offered before; none where the plan has none."""
    number, plan, homes = collection.number, collection.plan, np.array(enrolled.homes, dtype=np.int64)
    if enrolled.new:
        return offer_turns(session, number, plan, homes, enrolled.cell)
    return offered_turns(session, number, plan, homes)
