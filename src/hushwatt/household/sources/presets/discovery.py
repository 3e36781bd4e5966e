"""Home Assistant's MQTT discovery: senders that say themselves in which unit and where their numbers stand.

homeassistant/sensor/…/config tells of one sensor, homeassistant/device/…/config of a device with several.
Unit and device class decide whether it is a meter, whatever it is called.  Where a preset knows such a
topic, its device is that preset's; any other is a custom one.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from hushwatt.household.sources.json_path import parse_document
from hushwatt.household.sources.measurement import UNITS
from hushwatt.household.sources.presets.custom import Custom
from hushwatt.household.sources.presets.esphome import EspHome
from hushwatt.household.sources.presets.preset import Recognised
from hushwatt.household.untrusted_json import as_table, as_text

CONFIG_TOPICS = ("homeassistant/sensor/+/config", "homeassistant/sensor/+/+/config", "homeassistant/device/+/config")
MAX_SENSORS = 100  # of one device
MAX_TOPIC = 1_000  # characters
METER_CLASSES = ("", "power", "energy")  # device classes of what counts; "" where none is told
SHORT = {  # what a config may write for what
    "state_topic": "stat_t",
    "unit_of_measurement": "unit_of_meas",
    "device_class": "dev_cla",
    "value_template": "val_tpl",
    "platform": "p",
    "components": "cmps",
}
STEP = r"""\.\w+|\[(?:'[^'\].]+'|"[^"\].]+"|\d+)\]"""
FILTERS = r"(?:\s*\|\s*(?:float|int|round)(?:\([\d\s,]*\))?)*"
TEMPLATE = re.compile(rf"\{{\{{-?\s*value(?:_json(?P<steps>(?:{STEP})+))?{FILTERS}\s*-?\}}\}}")

Recogniser = Callable[[str, bytes], Iterator[Recognised]]


def is_config(topic: str) -> bool:
    """Whether a topic is one of discovery's."""
    return topic.endswith("/config") and topic.startswith(("homeassistant/sensor/", "homeassistant/device/"))


def recognise_config(payload: bytes, others: Recogniser) -> Iterator[Recognised]:
    """What a config tells; `others` say whether a preset knows its topic."""
    whole = as_table(parse_document(payload))
    components = as_table(_get(whole, "components"))
    if not components:
        yield from _sensor(whole, others)
    for each in list(components.values())[:MAX_SENSORS]:
        if _text(as_table(each), "platform") == "sensor":
            yield from _sensor(whole | as_table(each), others)


def _sensor(config: dict[str, Any], others: Recogniser) -> Iterator[Recognised]:
    topic, unit = _text(config, "state_topic"), _text(config, "unit_of_measurement")
    path = template_path(_text(config, "value_template"))
    if not 0 < len(topic) <= MAX_TOPIC or set(topic) & set("+#\0") or path is None:
        return
    if unit not in UNITS or _text(config, "device_class") not in METER_CLASSES:
        if (stem := _esphome_stem(topic)) and not path:
            yield Recognised(EspHome(stem), meter=False)
    elif known := [each for each in others(topic, _sample(path)) if each.sure]:
        yield from known
    elif (stem := _esphome_stem(topic)) and not path:
        yield Recognised(EspHome(stem, unit))
    else:
        yield Recognised(Custom(topic, path, unit))


def template_path(template: str) -> str | None:
    """Where a value template finds its number: "" for the message itself; None where it does more than find.

    >>> template_path("{{ value_json.ENERGY.Power | float }}"), template_path("{{ value_json['a'][0] }}")
    ('ENERGY.Power', 'a.0')
    >>> template_path(""), template_path("{{ value }}"), template_path("{{ value_json.a * 1000 }}")
    ('', '', None)
    """
    if not template:
        return ""
    if len(template) > 1_000 or (found := TEMPLATE.fullmatch(template.strip())) is None:
        return None
    return ".".join(each.strip(".[]'\"") for each in re.findall(STEP, found["steps"] or ""))


def _sample(path: str) -> bytes:
    """A message with a 0 at a path, for presets that look at what they read."""
    found: Any = 0
    for step in reversed(path.split(".") if path else []):
        found = {step: found}
    return json.dumps(found).encode()


def _esphome_stem(topic: str) -> str | None:
    """The topic of a sensor of ESPHome, without its end."""
    parts = topic.split("/")
    return "/".join(parts[:3]) if len(parts) == 4 and parts[1] == "sensor" and parts[3] == "state" else None


def _get(config: dict[str, Any], name: str) -> Any:
    return config.get(name, config.get(SHORT[name]))


def _text(config: dict[str, Any], name: str) -> str:
    """A text of a config; ~ at its beginning or end stands for the base that it names."""
    text, base = as_text(_get(config, name)), as_text(config.get("~"))
    if name == "state_topic" and base:
        text = base + text[1:] if text.startswith("~") else text[:-1] + base if text.endswith("~") else text
    return text
