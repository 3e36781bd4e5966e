"""A home that takes part in one plan of a provider that listens, slot by slot.

The home joins the plan and lives through its slots by a clock that is moved by hand.  Nothing in it
is replaced but the clock, the plugs and the far end of the network.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from hushwatt.audit.harness.fake_provider import ADDRESS, KEY, FakeProvider
from hushwatt.audit.harness.home_under_test import NO_CAPS, GivenReadings, HomeUnderTest, empty_folder
from hushwatt.audit.harness.machine_clock import MachineClock
from hushwatt.household.clock import SECOND
from hushwatt.household.join import Proposal, agree, propose
from hushwatt.household.ledger.caps import Caps
from hushwatt.household.report.levels import Watts
from hushwatt.household.report.randomise import Randomiser, randomise
from hushwatt.household.upload.provider_client import Offer, ProviderClient
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.entropy import OperatingSystem, Source
from hushwatt.privacy.promise import promise
from hushwatt.wire.signature import public_bytes


@dataclass
class PlanHome(HomeUnderTest):
    """A home and its provider; `live_slot` moves it on."""

    provider: FakeProvider = field(kw_only=True)

    @property
    def plan(self) -> Plan:
        return self.provider.plans[0]

    def live_slot(self, slot: int) -> None:
        """Live through one slot to its end, and send what is due by the middle of the next."""
        self.begin(slot)
        self.end(slot)
        self.send(slot)

    def begin(self, slot: int) -> None:
        """Enter a slot."""
        self._go_to(self._start_of(slot))

    def end(self, slot: int) -> None:
        """Go on to the beginning of the next slot."""
        self._go_to(self._start_of(slot + 1))

    def send(self, slot: int) -> None:
        """Send the report of a slot that is over; by the middle of the next one its time has come."""
        self.outbox.send((self._start_of(slot + 1) + self._start_of(slot + 2)) // 2)

    def _go_to(self, moment: int) -> None:
        self.clock.advance((moment - self.clock.wall) / SECOND)
        self.agent.tick(self.clock.look())

    def _start_of(self, slot: int) -> int:
        return nanoseconds(self.plan.calendar.start_of(slot))


def agree_again(home: HomeUnderTest, plan: Plan) -> bool:
    """Let the owner join a plan, for the first time or again, under the caps as they are; False: they forbid it."""
    proposal = propose(home.store, home.caps, home.client(ADDRESS), plan.id, public_bytes(KEY), home.clock.wall)
    if proposal.objections:
        return False
    agree(home.store, proposal, "agreed", None, home.clock.wall, home.source)
    return True


def proposal_of(plan: Plan) -> Proposal:
    """What a home is asked to agree to; worked out once for many homes."""
    return Proposal(ProviderClient(ADDRESS), Offer(plan, public_bytes(KEY)), promise(plan), ())


@contextmanager
def home_in_plan(
    plan: Plan,
    watts: Callable[[int], Watts],
    proposal: Proposal | None = None,
    caps: Caps = NO_CAPS,
    source: Source | None = None,
    randomiser: Randomiser = randomise,
) -> Iterator[PlanHome]:
    """A home with a fresh ledger that joins `plan` just before its first slot."""
    provider, source = FakeProvider((plan,)), source or OperatingSystem()
    clock = MachineClock(nanoseconds(plan.start) - SECOND)
    with empty_folder() as folder:
        home = PlanHome(
            folder / "ledger.sqlite",
            source,
            clock,
            caps,
            GivenReadings(watts),
            client=provider.provider_client,
            randomiser=randomiser,
            provider=provider,
        )
        with home:
            proposal = replace(proposal or proposal_of(plan), client=provider.provider_client())
            agree(home.store, proposal, "agreed", None, clock.wall, source)
            home.agent.tick(clock.look())
            yield home
