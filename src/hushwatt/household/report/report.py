"""One slot of every home: look, decide, pay, draw.

Nothing is drawn before the ledger was charged for it.  Whether a home publishes
depends on probes that are private and paid for, never on a reading.  Why whole streams
then tell at most ε is proved in docs/proofs/composition.md.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hushwatt.errors import StateError
from hushwatt.household.report.homes import Homes
from hushwatt.household.report.levels import Levels, Watts, to_levels
from hushwatt.household.report.randomise import laws_of
from hushwatt.plan.plan import Plan
from hushwatt.privacy.decide import change_threshold
from hushwatt.privacy.entropy import Source
from hushwatt.privacy.kernels import Rows
from hushwatt.wire.payload import Members

BATCH_HOMES = 1 << 15  # homes drawn together; each such block has a stream of its own
Job = TypeVar("Job")
HomeIndices = NDArray[np.intp]
Amounts = NDArray[np.int64]


@dataclass(frozen=True)
class SlotReports:
    """What some homes send in one slot; the only thing that leaves them."""

    slot: int
    round: int
    homes: HomeIndices
    spent: Amounts
    drawn: Amounts
    payloads: Rows


def report(homes: Homes, slot: int, levels: Levels, source: Source) -> SlotReports:
    """Move every home through `slot`, and give what is sent."""
    if slot < homes.slot:
        raise StateError(f"slot {slot} has passed: the homes are at slot {homes.slot}")
    homes.skip_to(slot)
    if homes.plan.decision == "household":
        sent, published = _report_adaptive(homes, levels, source)
    else:
        sent, published = _report_scheduled(homes, levels, source)
    homes.strategies = homes.strategies.after(published)
    homes.slot += 1
    return sent


def _report_scheduled(homes: Homes, levels: Levels, source: Source) -> tuple[SlotReports, NDArray[np.bool_]]:
    """LBU, LSP, LPU: the slot alone says who speaks."""
    offers = homes.strategies.offers()
    who = np.flatnonzero(offers)
    payloads = pay_and_draw(homes, who, levels, offers[who], source, "publication")
    if homes.releases is None:
        return SlotReports(homes.slot, 0, who, offers[who], offers[who], payloads), offers > 0
    remember_release(homes, who, offers[who], payloads)
    return released_reports(homes, 0, offers), offers > 0


def _report_adaptive(homes: Homes, levels: Levels, source: Source) -> tuple[SlotReports, NDArray[np.bool_]]:
    """LBD and LBA: each home compares this slot's probe with the one kept from its last release."""
    assert homes.probes is not None
    everyone = np.arange(len(homes))
    costs, offers = homes.strategies.probes(), homes.strategies.offers()
    probes = pay_and_draw(homes, everyone, levels, costs, source, "probe")
    changed = homes.layout.differences(probes, homes.probes) > _change_thresholds(homes)
    published = (changed | (homes.drawn == 0)) & (offers > 0)
    who = np.flatnonzero(published)
    payloads = pay_and_draw(homes, who, levels, offers[who], source, "publication")
    homes.probes[who] = probes[who]
    remember_release(homes, who, offers[who], payloads)
    return released_reports(homes, 0, costs + offers * published), published


def _change_thresholds(homes: Homes) -> NDArray[np.int64]:
    """How many cells may change before each home publishes; what is not on offer is never reached."""
    layout = homes.layout
    offers, which = np.unique(homes.strategies.offers(), return_inverse=True)
    thresholds = [change_threshold(laws_of(layout, offer)) if offer else 0 for offer in offers.tolist()]
    return np.array(thresholds, dtype=np.int64)[which]


def pay_and_draw(
    homes: Homes, who: HomeIndices, levels: Levels, amounts: Amounts, source: Source, purpose: str
) -> Rows:
    """Charge the homes in `who`, then draw a payload for each with what it paid."""
    members = homes.next_members(who)
    _charge(homes, who, amounts, members)
    asked = levels[who] if members is None else levels[who[:, None], members]
    payloads = np.empty((len(who), homes.layout.size), dtype=np.uint8)
    jobs = list(_blocks(amounts))

    def draw(job: tuple[int, int, HomeIndices]) -> None:
        amount, block, rows = job
        stream = source.stream(purpose, homes.slot, amount, block)
        named = None if members is None else members[rows]
        payloads[rows] = homes.randomiser(homes.layout, asked[rows], named, amount, stream)

    _run_jobs(draw, jobs)
    return payloads


def _charge(homes: Homes, who: HomeIndices, amounts: Amounts, members: Members | None) -> None:
    charges = np.zeros(len(homes), dtype=np.int64)
    charges[who] = amounts
    everyones = None
    if members is not None:
        everyones = np.zeros((len(homes), members.shape[1]), dtype=members.dtype)
        everyones[who] = members
    homes.ledger.charge(homes.slot, charges, everyones)


def _blocks(amounts: Amounts) -> Iterator[tuple[int, int, HomeIndices]]:
    """The rows of each amount, in blocks."""
    for amount in np.unique(amounts):
        rows = np.flatnonzero(amounts == amount)
        for block, start in enumerate(range(0, len(rows), BATCH_HOMES)):
            yield int(amount), block, rows[start : start + BATCH_HOMES]


def _run_jobs(work: Callable[[Job], None], jobs: Sequence[Job]) -> None:
    """Do every job, two at a time; each has its own stream, so their order does not matter."""
    if len(jobs) < 2:
        for job in jobs:
            work(job)
        return
    with ThreadPoolExecutor(max_workers=2) as pool:
        list(pool.map(work, jobs))


def remember_release(homes: Homes, who: HomeIndices, amounts: Amounts, payloads: Rows) -> None:
    """Remember what these homes published now."""
    assert homes.releases is not None
    homes.releases[who] = payloads
    homes.drawn[who] = amounts


def released_reports(homes: Homes, round: int, spent: Amounts) -> SlotReports:
    """Every home that has a release sends it, fresh or again, byte for byte."""
    assert homes.releases is not None
    who = np.flatnonzero(homes.drawn)
    return SlotReports(homes.slot, round, who, spent[who], homes.drawn[who], homes.releases[who])


def levels_of(plan: Plan, slot: int, watts: Watts, source: Source) -> Levels:
    """The levels of a slot, block by block, each with a stream of its own for the rounding."""
    levels = np.empty(watts.shape, dtype=np.uint16)

    def fill(start: int) -> None:
        part = slice(start, start + BATCH_HOMES)
        levels[part] = to_levels(plan, watts[part], source.stream("levels", slot, start))

    _run_jobs(fill, range(0, len(watts), BATCH_HOMES))
    return levels
