"""Messages that no plug and no Home Assistant should send, heard by the shipped sources of a home."""

from math import isfinite, isnan
from pathlib import Path

from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.home_under_test import join
from hushwatt.audit.harness.plans import TURN, plan_for
from hushwatt.chaos.mutations import GAP, Mutator, resident
from hushwatt.chaos.scenario import Scenario
from hushwatt.household.clock import SECOND
from hushwatt.household.join import pause
from hushwatt.household.ledger.store import Store
from hushwatt.household.mqtt_entities.entities import obey
from hushwatt.household.sources.home_assistant.session import MAX_MESSAGE
from hushwatt.household.sources.home_assistant.states import SubscribedStates
from hushwatt.household.sources.home_assistant.statistics import rows
from hushwatt.household.sources.hub import Hub
from hushwatt.household.sources.presets import recognise
from hushwatt.household.sources.sources_file import SourcesFile
from hushwatt.household.untrusted_json import Malformed, parse_json
from hushwatt.plan import Appliance
from hushwatt.plan.choices import UNMEASURED
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import nanoseconds

MESSAGES = 10_000
SLOT = 500  # messages heard in a slot
LARGEST = 10_000.0  # watts that a plug may show
GROWTH = 64 << 20  # bytes that a case may leave behind, with what Python keeps for itself
CANARY = "4711.25"  # a reading that must never be said
PLUGS = [
    {"preset": "tasmota", "topic": "kitchen"},
    {"preset": "shelly", "topic": "shelly-1"},
    {"preset": "zigbee2mqtt", "topic": "living/tv"},
    {"preset": "shelly", "topic": "shelly-2", "component": "em:0", "appliance": "mains"},
    {"preset": "shelly-gen1", "topic": "em3", "component": "emeter/0+emeter/1", "appliance": "smart meter"},
    {"preset": "shelly-gen1", "topic": "plug-s"},
    {"preset": "tasmota", "topic": "strip", "channel": "2"},
    {"preset": "dsmr", "topic": "dsmr/reading", "appliance": "grid"},
    {"preset": "dsmr", "topic": "dsmr/json"},
    {"preset": "glow", "topic": "glow/1", "appliance": "p1 meter"},
    {"preset": "esphome", "topic": "esp/sensor/client"},
    {"preset": "homeassistant", "topic": "sensor.oven"},
    {"preset": "custom", "topic": "bare"},
    {"preset": "custom", "topic": "meter", "path": "phases.total", "unit": "kWh"},
    {"preset": "custom", "topic": "list", "path": "$.0.a.1", "unit": "kW"},
]
TEMPLATES: dict[str, tuple[bytes, ...]] = {
    "SENSOR": (
        b'{"Time": "2024", "ENERGY": {"Total": \0, "Power": \0}}',
        b'{"ENERGY": \0}',
        b'{"ENERGY": {"Power": [\0, \0]}}',
    ),
    "rpc": (
        b'{"src": "s", "method": "NotifyStatus", "params": {"ts": \0, "switch:0": {"apower": \0}}}',
        b'{"method": "NotifyFullStatus", "params": {"switch:0": {"apower": \0, "aenergy": {"total": \0}}}}',
        b'{"method": "NotifyStatus", "params": \0}',
        b'{"method": \0, "params": {"switch:0": \0}}',
        b'{"method": "NotifyStatus", "params": {"switch:0": {"aenergy": \0}}}',
    ),
    "em:0": (b'{"total_act_power": \0, "a_act_power": \0}',),
    "electricitymeter": (
        b'{"electricitymeter": {"power": {"value": \0, "units": "kW"}, "energy": {"import": {"cumulative": \0}}}}',
        b'{"electricitymeter": {"power": {"value": \0, "units": \0}}}',
        b'{"electricitymeter": \0}',
    ),
    "json": (
        b'{"electricity_currently_delivered": \0, "electricity_currently_returned": \0}',
        b'{"electricity_delivered_1": \0, "electricity_delivered_2": \0}',
    ),
    "switch:0": (b'{"id": 0, "apower": \0, "aenergy": {"total": \0}}', b'{"apower": \0}'),
    "tv": (b'{"power": \0, "energy": \0}', b'{"power": \0}'),
    "availability": (b'{"state": \0}', b'{"state": "offline"}', b"online"),
    "meter": (b'{"phases": {"total": \0}}', b'{"phases": \0}', b'{"phases": [\0]}'),
    "list": (b'[{"a": [\0, \0]}]', b'[{"a": \0}]', b"[\0]"),
    "unit_of_measurement": (b'"kW"', b'"W"', b"kWh", b"\0"),
}
ENTITY = "sensor.oven_power"
LOGIN = {"url": "http://homeassistant.local:8123", "token": "token"}
STATES = (
    b'{"a": {"sensor.oven_power": {"s": \0, "a": {"unit_of_measurement": "W"}, "lc": \0}}}',
    b'{"a": {"sensor.oven_power": {"s": "4711.25", "a": {"unit_of_measurement": \0, "state_class": \0}, "lc": \0}}}',
    b'{"c": {"sensor.oven_power": {"+": {"s": \0, "lc": \0, "a": \0}, "-": {"a": [\0, "device_class"]}}}}',
    b'{"c": {"sensor.oven_power": {"+": \0, "-": \0}}, "a": \0, "r": [\0]}',
    b'{"c": {"sensor.oven_power": \0}, "r": \0}',
    b"\0",
)
STATISTICS = (
    b'{"sensor.oven_power": [{"start": \0, "end": \0, "mean": \0}, {"start": 0, "end": 300000, "change": \0}]}',
    b'{"sensor.oven_power": \0}',
)
BARE = (GAP, b'"unavailable"', b"offline", b"true")


def case(seed: int, folder: Path) -> None:
    """A home hears thousands of messages, and lives through the slots between them."""
    mutator, said = Mutator(seed), list[str]()
    names = [plug.get("appliance", f"appliance {place}") for place, plug in enumerate(PLUGS)]
    plugs = [{"appliance": name, **plug, "maximum": LARGEST} for plug, name in zip(PLUGS, names, strict=True)]
    chosen = [{"appliance": names[0], "entity": ENTITY, "maximum": LARGEST}]
    table = {"plug": plugs, "home_assistant": LOGIN, "entity": chosen}
    hub, states = Hub.of(SourcesFile.parse(table, folder), said.append), SubscribedStates({ENTITY})
    appliances = tuple(Appliance.of(name, [100, 200]) for name in names)
    plan = plan_for(mutator.chance, "lbu", appliances=appliances, unmeasured=mutator.pick(list(UNMEASURED)))
    before = resident()
    for slot in range(MESSAGES // SLOT):
        _live(hub, states, plan, slot, mutator)
        expect(not hub.guard.count, "; ".join(hub.guard.once.last.values()))
    _check_lines(said)
    expect(resident() - before < GROWTH, f"{(resident() - before) >> 20} MiB stayed in memory")
    _command(folder, mutator)


def _live(hub: Hub, states: SubscribedStates, plan: Plan, slot: int, mutator: Mutator) -> None:
    """One slot full of messages, and the means that come of it."""
    hub.open(plan, slot)
    begun, topics = nanoseconds(plan.calendar.start_of(slot)), hub.topics
    for place in range(SLOT):
        if mutator.happens(0.1):
            _tell(hub, states, begun + place * TURN * SECOND // SLOT, mutator)
            continue
        topic = mutator.pick(topics)
        payload = mutator.message(mutator.pick(TEMPLATES.get(topic.rpartition("/")[2], BARE)))
        hub.on_message(begun + place * TURN * SECOND // SLOT, topic, payload, mutator.happens(0.1))
        if place % 16 == 0:
            recognise(topic, payload)
    means = hub.means(plan, slot)
    known = [each for each in means if not (plan.answers_unmeasured and isnan(each))]
    most = 2 * LARGEST  # the first appliance has a plug and an entity
    expect(all(isfinite(each) and 0 <= each <= most for each in known), "a mean that no plug could have")
    hub.health(begun)


def _tell(hub: Hub, states: SubscribedStates, time: int, mutator: Mutator) -> None:
    """Something that Home Assistant says: a state, a row of its statistics, or nothing any more."""
    try:
        event = parse_json(mutator.message(mutator.pick(STATES)), MAX_MESSAGE)
        answer = parse_json(mutator.message(mutator.pick(STATISTICS)), MAX_MESSAGE)
    except Malformed:
        hub.lose_entities(time, "Home Assistant does not answer")
        return
    for state in states.on_event(event):
        hub.on_entity(time, state)
    for row in rows(answer, ENTITY):
        hub.fill(ENTITY, row.start, row.end, row.watts)
    hub.confirm_entities(time)


def _check_lines(said: list[str]) -> None:
    expect(len(said) < MESSAGES, "a line for every message")
    text = "\n".join(said)
    expect(CANARY not in text and CANARY.replace(".", "") not in text, "a reading was said")
    expect(all(line.isprintable() for line in said), "what a message held was said as it was")


def _command(folder: Path, mutator: Mutator) -> None:
    """Whatever is commanded over the broker, a paused home stays paused."""
    with Store(folder / "ledger.sqlite") as store:
        join(store, plan_for(mutator.chance))
        pause(store, None, 1)
        for _ in range(50):
            payload = mutator.pick((b"OFF", b"ON", mutator.message(b'"OFF"\0'), mutator.filled(GAP)))
            obey(store, payload, mutator.happens(0.5), 2)
        expect(store.value("SELECT paused FROM plans") == 1, "the broker ended or moved a pause")


SAYS = "no message of broker or Home Assistant ends the agent, is repeated in a line, or is taken for a wild reading"
SCENARIO = Scenario(
    "foreign-messages", 25, SAYS, quick=MESSAGES, full=10_000_000, case=case, each=MESSAGES, unit="messages"
)
