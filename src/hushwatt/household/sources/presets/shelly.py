"""Plugs and meters of Shelly, from the second generation on."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from hushwatt.errors import UsageError
from hushwatt.household.sources.json_path import at_path, parse_document, parse_number, plain_word, step_into
from hushwatt.household.sources.measurement import EnergyCounter, Measurement, Part, PowerReading
from hushwatt.household.sources.presets.preset import MINUTE, Recognised, availability
from hushwatt.household.untrusted_json import as_table

COUNTERS = {"em": "emdata", "em1": "em1data"}  # components whose energy another component counts
POWERS = ("apower", "act_power", "total_act_power")
COMPONENT = re.compile(r"[a-z0-9_]+:\d{1,9}")
METERS = re.compile(r"(switch|pm1|cover|light|em|em1):\d{1,9}")  # components that may know watts


@dataclass(frozen=True)
class Shelly:
    """<id>/events/rpc, NotifyStatus with only what changed; or <id>/status/<component>.

    Plugs, relays and the PM Mini (switch:0, pm1:0) have apower and aenergy.total, in Wh.  A Pro EM has a component
    for each clamp (em1:0) with act_power, and import and export of it in em1data:0.  A Pro 3EM has em:0 with
    total_act_power over its phases and a_act_power, b_act_power, c_act_power of each; emdata:0 counts each phase
    by itself, so for all three the watts are used, which net out between phases, and not the counters.
    Several components, as in em1:0+em1:1+em1:2, are added up as one meter.
    """

    topic: str
    component: str = "switch:0"
    phase: str = ""
    hold: ClassVar[int] = 60 * MINUTE
    listens: ClassVar[tuple[str, ...]] = ("+/events/rpc", "+/status/+")

    def __post_init__(self) -> None:
        if not all(COMPONENT.fullmatch(each) for each in self._components):
            raise UsageError('component must be as the device names it, such as "switch:0" or "em:0"')
        if self.phase not in ("", "a", "b", "c") or (self.phase and not self.component.startswith("em:")):
            raise UsageError('phase must be "a", "b" or "c", of a component such as "em:0"')

    @property
    def _components(self) -> list[str]:
        return [each.strip() for each in self.component.split("+")]

    def topics(self) -> list[str]:
        sources = [each for name in self._components for each in (name, _counter(name)) if each]
        return [f"{self.topic}/{end}" for end in ("events/rpc", *(f"status/{each}" for each in sources), "online")]

    def read(self, topic: str, payload: bytes) -> Iterator[Measurement]:
        if topic.endswith("/online"):
            yield from availability(plain_word(payload))
            return
        found = parse_document(payload)
        if topic.endswith("/events/rpc"):
            if at_path(found, "method") not in ("NotifyStatus", "NotifyFullStatus"):
                return
            status = at_path(found, "params")
        else:
            status = {topic.rpartition("/")[2]: found}
        if len(self._components) == 1:
            yield from self._read_one(status)
        else:
            yield from self._read_parts(status)

    def _read_one(self, status: Any) -> Iterator[Measurement]:
        counted = step_into(status, _counter(self.component) or self.component)
        if (total := parse_number(self._total(counted))) is not None:
            yield EnergyCounter(total)
        if (power := self._power(step_into(status, self.component))) is not None:
            yield PowerReading(power)

    def _read_parts(self, status: Any) -> Iterator[Measurement]:
        for name in self._components:
            if (power := self._power(step_into(status, name))) is not None:
                yield Part(name, PowerReading(power), needs=tuple(self._components))

    def _total(self, found: Any) -> Any:
        """The counter of what was drawn; of a meter with phases only where one phase is asked about."""
        if self.component.startswith("em:"):
            return at_path(found, f"{self.phase}_total_act_energy") if self.phase else None
        return at_path(found, "total_act_energy" if self.component.startswith("em1:") else "aenergy.total")

    def _power(self, found: Any) -> float | None:
        names = (f"{self.phase}_act_power",) if self.phase else POWERS
        return next((power for name in names if (power := parse_number(at_path(found, name))) is not None), None)

    @classmethod
    def recognise(cls, topic: str, payload: bytes) -> Iterator[Recognised]:
        device, _, end = topic.rpartition("/events/rpc")
        if device and not end:
            found = as_table(at_path(parse_document(payload), "params"))
        else:
            device, _, component = topic.rpartition("/status/")
            if not device or METERS.fullmatch(component) is None:
                return
            found = {component: parse_document(payload)}
        for name, content in found.items():
            if METERS.fullmatch(name) and as_table(content).keys() & {*POWERS, "aenergy"}:
                yield Recognised(cls(device, name))


def _counter(component: str) -> str | None:
    """The component that counts the energy of another."""
    kind, _, name = component.partition(":")
    return f"{COUNTERS[kind]}:{name}" if kind in COUNTERS else None
