"""One running service: its store, its inbox, its keys, and the turning of slots.

`make_app` in `provider/app.py` puts HTTP around it; nothing here knows HTTP.
"""

import asyncio
import time
from collections.abc import Iterable, Mapping
from datetime import timedelta

from hushwatt.errors import UsageError
from hushwatt.plan.amounts import plain
from hushwatt.plan.plan import Plan
from hushwatt.privacy.length_bias import refuse_length_bias
from hushwatt.provider.clock import SystemUtcClock, UtcClock
from hushwatt.provider.intake.collect import UPLOAD_REASONS, Collection
from hushwatt.provider.intake.erase import Erasure
from hushwatt.provider.intake.inbox import Inbox
from hushwatt.provider.metrics import Metrics
from hushwatt.provider.schedule import SlotSchedule
from hushwatt.provider.service.collection_reader import CollectionReader
from hushwatt.provider.service.config import Config
from hushwatt.provider.service.keys import ProviderKeys, open_keys
from hushwatt.provider.service.logs import log
from hushwatt.provider.store.plans import add_plan, all_plans
from hushwatt.provider.store.reports.compaction import Compacted, Compaction, give_back
from hushwatt.provider.store.session import Database, StoreUnavailable
from hushwatt.provider.store.slots import publish
from hushwatt.provider.telemetry import span_since
from hushwatt.wire.record import MAX_NUMBER


class Service:
    """Everything that requests share."""

    def __init__(self, config: Config, database: Database, clock: UtcClock | None = None) -> None:
        self.config, self.database, self.clock = config, database, clock or SystemUtcClock()
        self.metrics = Metrics()
        self.keys: ProviderKeys = open_keys(config.folder)
        with database.writing() as session:
            begun = {plan.id for plan in all_plans(session).values()}
            for plan in load_plans(config.plan):
                if plan.id not in begun:
                    refuse_length_bias(plan, plan.name)
                add_plan(session, plan)
            plans = all_plans(session)
        self.schedules = schedules_of(config, plans)
        self.metrics.expect([plan.id for plan in plans.values()], ["accepted", "repeated", *UPLOAD_REASONS])
        self.read = CollectionReader(database, self.schedules, self.clock, self.metrics)
        self.inbox = Inbox(database, self.schedules, self.clock, self.metrics)
        self._purge_pending = True  # an earlier service may have ended before it came to it
        self._packed = {number: Compacted() for number in self.schedules}  # whose space is not given back yet

    def collection(self, plan_id: str) -> Collection | None:
        return self.read.collections.get(plan_id)

    async def publish_due(self) -> None:
        """Publish every slot that is closed with all that are published with it, and scrub what is to be scrubbed."""
        for number, schedule in self.schedules.items():
            due = schedule.last_due(self.clock.now())
            if due >= 0 and due > (await asyncio.to_thread(self.read.state, schedule.plan)).published:
                await self.publish(number, due)

    async def publish(self, number: int, until: int) -> list[int]:
        """Publish the slots up to `until`, once and for all; those published together all or none."""
        moment, until = int(self.clock.now().timestamp()), self.schedules[number].plan.periods.last_complete(until)
        began = time.perf_counter_ns()
        slots = await self.inbox.write(lambda session: publish(session, number, until, moment))
        plan = self.schedules[number].plan
        if slots:
            log().info("published", plan=plan.id, until=until, slots=len(slots))
            self.metrics.telemetry.published(*span_since(began), plan.id, len(slots))
        if self.config.scrub:
            await self._compact(number, Compaction(number, scrub=True))
        return slots

    async def compact_due(self) -> None:
        """Pack what is published, without payloads where they are to be scrubbed: a little at a time."""
        for number in self.schedules:
            work = Compaction(number, self.config.scrub)
            while await self._compact(number, work):
                pass
            await self._give_back(number)

    async def _compact(self, number: int, work: Compaction) -> Compacted:
        done = await self.inbox.write(work.step)
        self._purge_pending |= bool(done.reports and self.config.scrub)
        self._packed[number].add(done)
        return done

    async def _give_back(self, number: int) -> None:
        """Give back the space of what was packed; what that fails for goes with what is packed next."""
        packed, self._packed[number] = self._packed[number], Compacted()
        if not packed.slots:
            return
        try:
            await asyncio.to_thread(give_back, self.database, number, packed)
        except StoreUnavailable as failure:
            log().warning("the space that was freed is not given back yet", reason=str(failure))

    async def erase(self, collection: Collection, device: bytes, home: int, signer: int) -> int:
        """Remove a device and all its reports; how many these were."""
        erasure = Erasure(collection, device, home, signer)
        while await self.inbox.write(erasure.step):
            pass
        self._purge_pending = True
        await self.purge_due()
        return erasure.erased

    async def tidy(self) -> None:
        """Pack, scrub and overwrite what is due, beside everything else."""
        await self.compact_due()
        await self.purge_due()

    async def purge_due(self) -> None:
        """Overwrite what was erased; while others still read it, that waits for the next time."""
        if not self._purge_pending:
            return
        self._purge_pending = False
        try:
            await asyncio.to_thread(self.database.purge)
        except StoreUnavailable as failure:
            self._purge_pending = True
            log().warning("what was erased is not overwritten yet", reason=str(failure))

    def close(self) -> None:
        """Write what waits, and let go of the store."""
        self.inbox.close()
        self.database.close()


def schedules_of(config: Config, plans: Mapping[int, Plan]) -> dict[int, SlotSchedule]:
    """When the slots of each plan open and close."""
    tolerance = timedelta(seconds=config.tolerance)
    return {number: SlotSchedule(plan, config.grace_of(plan.slot.seconds), tolerance) for number, plan in plans.items()}


def open_reader(config: Config, database: Database) -> CollectionReader:
    """What a store has collected, without a service around it."""
    with database.reading() as session:
        plans = all_plans(session)
    return CollectionReader(database, schedules_of(config, plans), SystemUtcClock(), Metrics())


def load_plans(files: Iterable[str]) -> list[Plan]:
    """The plans in these files, all of a kind that a service can collect."""
    plans = [Plan.load(file) for file in files]
    for plan, file in zip(plans, files, strict=True):
        if plan.decision == "provider":
            raise UsageError(
                f"{file}: in a plan with method = {plan.method!r} and decision = 'provider' the provider "
                "asks homes in two rounds, which the service cannot do; choose lpu, lbu or lsp, or lbd or "
                "lba with decision = 'household' (the bulk commands know the others)"
            )
        if plan.epsilon > MAX_NUMBER:
            raise UsageError(
                f"{file}: epsilon is {plain(plan.epsilon)}; a record of an upload holds amounts up to "
                f"{plain(MAX_NUMBER)} (the bulk commands know larger ones)"
            )
    return plans
