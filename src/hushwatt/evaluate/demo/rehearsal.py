"""The rehearsal itself: homes are invented, join, report day by day, and the service answers."""

import json
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushwatt.evaluate.demo.compared import ComparedAnswer, hits
from hushwatt.evaluate.demo.homes import HttpHomes
from hushwatt.evaluate.demo.server import local_server
from hushwatt.evaluate.generators.paper_homes import paper_homes
from hushwatt.evaluate.metrics import share_error
from hushwatt.files import atomic_write
from hushwatt.fleet.simulate import simulate
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import levels_of, report
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.privacy.entropy import source_for
from hushwatt.privacy.promise import Promise, promise
from hushwatt.provider.estimate.estimate import estimate

Advance = Callable[[int], None]
SEED = 2024
WATTS_DIVISOR = 10  # the paper's watts, divided by this, are those of a home with 3,500 kWh a year


@dataclass(frozen=True)
class ExampleReport:
    """What a single report looked like, and its home's true levels, which only a rehearsal may know."""

    slot: int
    payload: bytes
    levels: tuple[int, ...]


@dataclass(frozen=True)
class Rehearsal(ComparedAnswer):
    """Everything a person wants to see afterwards."""

    address: str
    reports: int  # uploaded one by one
    paper: dict[str, float]  # mean watts by the paper's mechanism, on the same homes
    example: ExampleReport

    @property
    def promise(self) -> Promise:
        return promise(self.plan)

    @property
    def paper_hits(self) -> int:
        return hits(sorted(self.paper, key=lambda name: -self.paper[name]), self.true_order)

    @property
    def paper_share_error(self) -> float:
        return share_error(self.truth, [self.paper[name] for name in self.plan.names])


@contextmanager
def rehearse(
    folder: Path, homes: int = 1000, slots: int = 30, port: int = 0, seed: int = SEED, advance: Advance = lambda n: None
) -> Iterator[Rehearsal]:
    """Collect from invented homes; the service runs until the block ends."""
    plan = demo_plan()
    folder.mkdir(parents=True, exist_ok=True)
    plan_file = folder / "plan.toml"
    with atomic_write(plan_file) as temporary:
        temporary.write_text(plan.toml(), encoding="utf-8")
    watts = paper_homes(homes, slots, seed) / WATTS_DIVISOR
    with local_server(plan_file, folder, port) as server:
        clients = HttpHomes.joined(plan, server, homes, advance)
        try:
            source = source_for(None, plan.id)
            memory, reports, example = enrol(plan, homes, 0, source), 0, None
            for slot, now in enumerate(watts):
                levels = levels_of(plan, slot, now, source)
                sent = report(memory, slot, levels, source)
                server.clock.set(plan.calendar.end_of(slot) + timedelta(minutes=10))
                reports += clients.send(sent, advance)
                example = example or ExampleReport(
                    slot, sent.payloads[0].tobytes(), tuple(levels[sent.homes[0]].tolist())
                )
        finally:
            clients.close()
        server.clock.set(server.service.read.schedule(plan).closes(slots - 1) + timedelta(seconds=1))
        server.wait_until_published(plan, slots - 1)
        assert example is not None
        yield Rehearsal(
            plan=plan,
            address=server.address,
            homes=homes,
            slots=slots,
            reports=reports,
            truth=np.mean(watts, axis=(0, 1)),
            answer=ask(f"{server.address}/v1/plans/{plan.id}/estimates"),
            paper=by_the_paper(watts, homes),
            example=example,
        )


def ask(address: str) -> Any:
    """What the service answers."""
    with urllib.request.urlopen(address, timeout=30) as answer:
        return json.load(answer)


def demo_plan() -> Plan:
    """What the invented homes are asked.

    >>> demo_plan().window, demo_plan().names == preset("paper").names
    (3, True)
    """
    return Plan.parse((files("hushwatt.evaluate.demo") / "plan.toml").read_text(encoding="utf-8"))


def paper_plan() -> Plan:
    """The paper's plan, its ranges made smaller as the homes' watts were."""
    plan = preset("paper")
    ranges = {each.name: [edge / WATTS_DIVISOR for edge in each.edges or ()] for each in plan.appliances}
    return replace(plan, appliances=tuple(Appliance.of(name, edges) for name, edges in ranges.items()))


def by_the_paper(watts: NDArray[np.float64], homes: int) -> dict[str, float]:
    """The same homes asked as the paper does, with the sound decision and the unbiased estimate."""
    plan = paper_plan()
    estimates = estimate(plan, simulate(plan, watts, homes, source_for(None, plan.id)))
    return {name: period.watts for name, period in estimates.by_period.items() if period is not None}
