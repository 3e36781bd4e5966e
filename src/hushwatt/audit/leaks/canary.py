"""No true reading leaves, and none stays, whatever goes wrong.  [claim C16]

Homes with secret watts live through trouble: a disk that refuses, a provider that is away or says
no, a cap, a pause, a restart, no randomness, plugs that send nonsense.  Then their files, lines, errors
and uploads are searched.
"""

import json
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from hushwatt.audit.finding import Audit, Finding
from hushwatt.audit.harness.home_under_test import NO_CAPS
from hushwatt.audit.harness.lives import HOMES_PER_JOB, map_on_all_cores, plan_at_home
from hushwatt.audit.harness.marked import found, secret_watts
from hushwatt.audit.harness.plan_home import PlanHome, home_in_plan, proposal_of
from hushwatt.audit.leaks.traces import listening, written_by
from hushwatt.household.join import Proposal, pause
from hushwatt.household.report.levels import Watts
from hushwatt.household.sources.home_assistant.states import SubscribedStates
from hushwatt.household.sources.home_assistant.statistics import rows as statistics_rows
from hushwatt.household.sources.hub import Hub
from hushwatt.household.sources.sources_file import SourcesFile
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Entropy, OperatingSystem

ENTITY = "sensor.kettle_power"
RUNS, QUICK_RUNS = 100_000, 160
SLOTS, BAD = 3, 1  # slots that every home lives through, and the one in which it has trouble
TIGHT = replace(NO_CAPS, epsilon_per_day=MICRO // 2)


class NoRandomness:
    """The operating system's, which fails in the slot of the trouble."""

    def stream(self, *labels: int | str) -> Entropy:
        if labels[1:2] == (BAD,):
            raise OSError("the operating system gives no randomness")
        return OperatingSystem()


def quiet(home: PlanHome) -> None:
    """Nothing goes wrong."""


def disk_refuses(home: PlanHome) -> None:
    """The ledger cannot be written from now on."""
    for store in (home.store, home.outbox.store):
        store.disk.pragma("query_only", 1)


def line_is_down(home: PlanHome) -> None:
    """The provider does not answer."""
    home.provider.down = True


def provider_refuses(home: PlanHome) -> None:
    """Every report is turned away."""
    home.provider.refuses = "wrong_payload"


def owner_pauses(home: PlanHome) -> None:
    """The owner wants silence."""
    pause(home.store, None, home.clock.wall)


def agent_restarts(home: PlanHome) -> None:
    """A new agent on the old ledger."""
    home.restart()


def real_plugs(home: PlanHome) -> None:
    """Readings come from plugs of three makers, some of them broken, and from Home Assistant."""
    entries = [
        {"appliance": appliance.name, "preset": preset, "topic": "plug"}
        for appliance, preset in zip(home.plan.appliances, ("tasmota", "shelly", "zigbee2mqtt"), strict=True)
    ]
    login = {"url": "http://homeassistant.local:8123", "token": "token"}
    chosen = [{"appliance": home.plan.names[0], "entity": ENTITY}]
    table = {"plug": entries, "home_assistant": login, "entity": chosen}
    home.agent.readings = Hub.of(SourcesFile.parse(table, home.store.path.parent), home.said.append)


def speak(home: PlanHome, watts: float) -> None:
    """What plugs publish in a slot: a reading, one that is retained, half a message, one too large."""
    hub, now = home.agent.readings, home.clock.wall
    if not isinstance(hub, Hub):
        return
    for topic, content in (
        ("tele/plug/SENSOR", {"ENERGY": {"Power": watts, "Total": watts}}),
        ("plug/events/rpc", {"method": "NotifyStatus", "params": {"switch:0": {"apower": watts}}}),
        ("zigbee2mqtt/plug", {"power": watts}),
        ("zigbee2mqtt/plug", {"power": f"{watts} W"}),
        ("tele/plug/SENSOR", {"ENERGY": {"Power": {"watts": watts}}}),
    ):
        text = json.dumps(content).encode()
        for payload, retained in ((text, False), (text, True), (text[:-3], False)):
            hub.on_message(now, topic, payload, retained)
    tell(hub, watts, now)
    hub.poll(now, now)


def tell(hub: Hub, watts: float, now: int) -> None:
    """What Home Assistant says in a slot: states of good and bad units, broken ones, statistics, then nothing."""
    states, rows = SubscribedStates({ENTITY}), {"start": now // 10**6, "end": now // 10**6 + 300_000, "mean": watts}
    for state, unit in ((f"{watts}", "W"), (f"{watts} W", "W"), (watts, "kW"), (f"{watts}", "horses")):
        told = {"s": state, "a": {"unit_of_measurement": unit}, "lc": watts}
        for each in states.on_event({"a": {ENTITY: told}}):
            hub.on_entity(now, each)
    for row in statistics_rows({ENTITY: [rows]}, ENTITY):
        hub.fill(ENTITY, row.start, row.end, row.watts)
    hub.lose_entities(now, "Home Assistant does not answer")


def health_of(home: PlanHome) -> str:
    """What the agent writes down about its sources, and how they show."""
    hub = home.agent.readings
    return f"{json.dumps(hub.health(home.clock.wall))} {hub!r}" if isinstance(hub, Hub) else ""


TROUBLES: dict[str, Callable[[PlanHome], None]] = {
    "none": quiet,
    "disk": disk_refuses,
    "line": line_is_down,
    "refusal": provider_refuses,
    "pause": owner_pauses,
    "restart": agent_restarts,
    "cap": quiet,  # it is tight from the beginning
    "randomness": quiet,  # its source is
    "plugs": real_plugs,
}
PLANS = (
    plan_at_home("lba", "household", "oue", 3, 2, 2 * MICRO),
    plan_at_home("lpu", None, "grr", 1, 2, 2 * MICRO),
    plan_at_home("lbu", None, "sue", 3, 2, 2 * MICRO),
    plan_at_home("lpu", None, "grr", 3, 2, 2 * MICRO, "answer"),
)


@dataclass(frozen=True)
class CanaryRun:
    """What one home wrote down that it should not have, and whether the trouble came to pass."""

    leaks: list[str]
    said: bool  # a line, an error or a silence tells that there was trouble


def canary_audits(quick: bool = False) -> Iterator[Audit]:
    """All troubles, a plan each time chosen in turn."""
    for trouble in TROUBLES:
        yield partial(audit_canary, trouble, -(-(QUICK_RUNS if quick else RUNS) // len(TROUBLES)))


def audit_canary(trouble: str, runs: int) -> Finding:
    """Many homes under one trouble; none of their readings may be found anywhere."""
    sizes = [min(HOMES_PER_JOB, runs - start) for start in range(0, runs, HOMES_PER_JOB)]
    done = [run for part in map_on_all_cores(partial(_some, trouble), sizes) for run in part]
    leaks = [leak for run in done for leak in run.leaks]
    noticed = trouble == "none" or any(run.said for run in done)
    figure = f"{len(leaks)} readings seen in {runs:,} homes: ledger, wire, log, errors, repr"
    numbers: dict[str, int | str] = {"runs": runs, "leaks": "; ".join(leaks[:3])}
    return Finding("C16", f"secret readings, trouble: {trouble}", figure, not leaks and noticed, numbers=numbers)


def _some(trouble: str, runs: int) -> list[CanaryRun]:
    asked = [(plan, proposal_of(plan)) for plan in PLANS]
    with listening() as log:
        return [run(trouble, *asked[number % len(asked)], log) for number in range(runs)]


def run(trouble: str, plan: Plan, proposal: Proposal, log: list[str]) -> CanaryRun:
    """One home with secret watts, its trouble, and the search."""
    secrets = secret_watts(levels=2)
    caps = TIGHT if trouble == "cap" else NO_CAPS
    source = NoRandomness() if trouble == "randomness" else None
    errors: list[str] = []
    log.clear()
    with home_in_plan(plan, partial(_watts, plan, secrets), proposal, caps, source) as home:
        for slot in range(SLOTS):
            if slot == (0 if trouble == "plugs" else BAD):
                TROUBLES[trouble](home)
            try:
                home.begin(slot)
                if trouble == "plugs":
                    speak(home, float(secrets[slot % 2]))
                home.end(slot)
                home.send(slot)
            except Exception as wrong:  # whatever it is, its words are searched too
                errors += [repr(wrong), "".join(traceback.format_exception(wrong))]
        leaks = found(secrets.tolist(), written_by(home, log, [*errors, health_of(home)]))
        said = bool(home.said or errors or home.store.rows("SELECT * FROM silences"))
    return CanaryRun(leaks, said)


def _watts(plan: Plan, secrets: Watts, slot: int) -> Watts:
    """Low in one slot, high in the next, so that homes that decide have something to decide; one without a plug."""
    watts = np.full(len(plan.appliances), secrets[slot % len(secrets)])
    watts[-1] = np.nan if plan.answers_unmeasured else watts[-1]
    return watts
