"""Which plug measures which appliance: the owner's small file, sources.toml.

[mqtt]
host = "127.0.0.1"

[[plug]]
appliance = "kettle"
preset = "tasmota"
topic = "kitchen"

[[table]]
path = "nilm.csv"

[home_assistant]
url = "http://homeassistant.local:8123"
token_file = "token"

[[entity]]
appliance = "dishwasher"
entity = "sensor.dishwasher_power"
"""

import re
import tomllib
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from hushwatt.errors import PlanError, UsageError
from hushwatt.household.clock import SECOND
from hushwatt.household.sources.entities import MAX_WATTS, EntityEntry
from hushwatt.household.sources.home_assistant_login import HomeAssistantLogin
from hushwatt.household.sources.measurement import UNITS
from hushwatt.household.sources.presets import PRESETS, Preset
from hushwatt.plan.slot import SlotLength

MAX_TOPIC = 1_000  # characters
ENTITY_ID = re.compile(r"[a-z0-9_]{1,100}\.[a-z0-9_]{1,255}")
ENTITY_KEYS = {"name", "appliance", "entity", "stale", "maximum"}
PLUG_KEYS = {"name", "appliance", "preset", "topic", "stale", "maximum"}


@dataclass(frozen=True)
class Broker:
    """Where the MQTT broker is."""

    host: str = "127.0.0.1"
    port: int = 1883
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    password_file: str | None = None
    tls: bool = False

    def secret(self) -> str | None:
        """The password, from its own file when there is one."""
        if self.password_file is None:
            return self.password
        try:
            return Path(self.password_file).read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            raise UsageError(f"{self.password_file} is not there; it must hold the broker's password") from None
        except (OSError, UnicodeDecodeError):
            raise UsageError(f"{self.password_file} cannot be read; it must hold the broker's password") from None

    def in_folder(self, folder: Path) -> "Broker":
        """The same with its file found from a folder, where it is not named in full, nor from where one is."""
        near = None if self.password_file is None else folder / Path(self.password_file).expanduser()
        if near is None or (not near.exists() and Path(str(self.password_file)).exists()):
            return self
        return replace(self, password_file=str(near))


@dataclass(frozen=True)
class PlugEntry:
    """One plug of the file."""

    name: str
    appliance: str
    preset: Preset
    stale: int  # nanoseconds
    maximum: float  # watts


@dataclass(frozen=True)
class TableEntry:
    """One table of the file: tidy (time, appliance, watts) or wide (time, then a column per appliance)."""

    path: Path
    mode: str = "follow"  # follow: rows carry today's times; replay: as if the first row were now
    household: str | None = None  # only the rows of this home
    appliances: dict[str, str] = field(default_factory=dict)  # the table's name for it → the plan's


@dataclass(frozen=True)
class SourcesFile:
    """All that sources.toml says."""

    broker: Broker | None = None
    entities: bool = False  # show budget, reports and a pause switch in Home Assistant
    plugs: tuple[PlugEntry, ...] = ()
    tables: tuple[TableEntry, ...] = ()
    home_assistant: HomeAssistantLogin | None = None
    entities_of_home_assistant: tuple[EntityEntry, ...] = ()  # those that measure an appliance

    @classmethod
    def load(cls, path: Path) -> "SourcesFile":
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8"))
            return cls.parse(table, path.parent)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, UsageError) as wrong:
            raise UsageError(f"{path}: {wrong}") from None
        except RecursionError:
            raise UsageError(f"{path}: is nested too deeply") from None

    @classmethod
    def parse(cls, table: dict[str, Any], folder: Path) -> "SourcesFile":
        _refuse_unknown_keys("", table, {"mqtt", "plug", "table", "entities", "home_assistant", "entity"})
        plugs = tuple(_parse_plug(place, each) for place, each in enumerate(_list(table, "plug"), 1))
        tables = tuple(_parse_table(place, each, folder) for place, each in enumerate(_list(table, "table"), 1))
        broker = _parse_broker(table["mqtt"], folder) if "mqtt" in table else Broker() if plugs else None
        entities = table.get("entities", False)
        if not isinstance(entities, bool):
            raise UsageError("entities must be true or false")
        login = _parse_login(table["home_assistant"], folder) if "home_assistant" in table else None
        chosen = tuple(_parse_entity(place, each) for place, each in enumerate(_list(table, "entity"), 1))
        if chosen and login is None:
            raise UsageError("[[entity]] needs [home_assistant], with url and token_file")
        return cls(broker, entities, plugs, tables, login, chosen)

    @property
    def appliances(self) -> set[str]:
        """The appliances that a plug or an entity measures."""
        return {plug.appliance for plug in self.plugs} | {each.appliance for each in self.entities_of_home_assistant}

    @property
    def secret_files(self) -> list[tuple[str, str]]:
        """What nobody else should read: what it holds, and where it is."""
        password = self.broker.password_file if self.broker is not None else None
        token = self.home_assistant.token_file if self.home_assistant is not None else None
        files = (("the broker's password", password), ("Home Assistant's token", token))
        return [(what, file) for what, file in files if file is not None]


def _parse_broker(table: Any, folder: Path) -> Broker:
    broker: Broker = _parse_dataclass(Broker, "mqtt", table)
    if not broker.host.strip() or "/" in broker.host or broker.host.count(":") == 1:
        raise UsageError("mqtt: host must be a name or an address alone, such as 192.168.1.5; a port goes into port")
    return broker.in_folder(folder)


def _parse_plug(place: int, table: Any) -> PlugEntry:
    where = f"plug {place}"
    if not isinstance(table, dict):
        raise UsageError(f"{where}: write it as [[plug]]")
    for key in ("appliance", "preset", "topic"):
        if not isinstance(table.get(key), str) or not table[key].strip():
            raise UsageError(f"{where}: needs {key}, a text")
    kind = PRESETS.get(table["preset"])
    if kind is None:
        raise UsageError(f"{where}: there is no preset {table['preset']}; there are {', '.join(PRESETS)}")
    if "+" in table["topic"] or "#" in table["topic"]:
        raise UsageError(f"{where}: topic must name one device, without + or #")
    settings = {key: value for key, value in table.items() if key not in PLUG_KEYS}
    known = {each.name for each in fields(kind)} - {"topic"}
    _refuse_unknown_keys(f"{where} ({table['preset']}): ", settings, known)
    if not all(isinstance(value, str) for value in settings.values()):
        raise UsageError(f"{where}: {', '.join(settings)} must be texts, in quotation marks")
    if settings.get("unit", "W") not in UNITS:
        raise UsageError(f"{where}: unit must be one of {', '.join(UNITS)}")
    try:
        preset = kind(topic=table["topic"], **settings)  # type: ignore[call-arg]
    except UsageError as wrong:
        raise UsageError(f"{where}: {wrong}") from None
    if any(set(topic) & set("+#\0") or len(topic) > MAX_TOPIC for topic in preset.topics()):
        raise UsageError(f"{where}: topic and base must name one device, without + or #")
    stale = _parse_duration(where, table["stale"]) if "stale" in table else kind.hold
    name = str(table.get("name", table["topic"]))
    return PlugEntry(name, table["appliance"], preset, stale, _parse_maximum(where, table))


def _parse_entity(place: int, table: Any) -> EntityEntry:
    where = f"entity {place}"
    if not isinstance(table, dict):
        raise UsageError(f"{where}: write it as [[entity]]")
    for key in ("appliance", "entity"):
        if not isinstance(table.get(key), str) or not table[key].strip():
            raise UsageError(f"{where}: needs {key}, a text")
    _refuse_unknown_keys(f"{where}: ", table, ENTITY_KEYS)
    if ENTITY_ID.fullmatch(table["entity"]) is None:
        raise UsageError(f"{where}: entity must be as Home Assistant names it, such as sensor.kettle_power")
    stale = _parse_duration(where, table["stale"]) if "stale" in table else None
    name = str(table.get("name", table["entity"]))
    return EntityEntry(name, table["appliance"], table["entity"], stale, _parse_maximum(where, table))


def _parse_login(table: Any, folder: Path) -> HomeAssistantLogin:
    login: HomeAssistantLogin = _parse_dataclass(HomeAssistantLogin, "home_assistant", table)
    if problem := login.problem:
        raise UsageError(f"home_assistant: {problem}")
    return login.in_folder(folder)


def _parse_maximum(where: str, table: dict[str, Any]) -> float:
    maximum = table.get("maximum", MAX_WATTS)
    if isinstance(maximum, bool) or not isinstance(maximum, int | float) or not 0 < maximum <= 1e6:
        raise UsageError(f"{where}: maximum must be watts between 0 and 1000000")
    return float(maximum)


def _parse_table(place: int, table: Any, folder: Path) -> TableEntry:
    where = f"table {place}"
    if not isinstance(table, dict) or not isinstance(table.get("path"), str):
        raise UsageError(f"{where}: needs path, a text")
    entry: TableEntry = _parse_dataclass(TableEntry, where, {**table, "path": folder / table["path"]})
    if entry.mode not in ("follow", "replay"):
        raise UsageError(f"{where}: mode must be follow or replay")
    return entry


def _parse_dataclass(kind: Any, where: str, table: Any) -> Any:
    if not isinstance(table, dict):
        raise UsageError(f"{where}: write it as a table")
    kinds = {each.name: each.type for each in fields(kind)}
    _refuse_unknown_keys(f"{where}: ", table, set(kinds))
    for key, value in table.items():
        words, fits = FIELD_CHECKS[kinds[key]]
        if not fits(value):
            raise UsageError(f"{where}: {key} must be {words}")
    for each in fields(kind):
        if each.default is MISSING and each.default_factory is MISSING and each.name not in table:
            raise UsageError(f"{where}: needs {each.name}")
    return kind(**table)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and "\0" not in value


FIELD_CHECKS: dict[Any, tuple[str, Callable[[Any], bool]]] = {
    str: ("a text", _is_text),
    str | None: ("a text", _is_text),
    int: ("a port from 1 to 65535", lambda value: type(value) is int and 0 < value < 65_536),
    bool: ("true or false", lambda value: isinstance(value, bool)),
    Path: ("a text", lambda value: isinstance(value, Path) and "\0" not in str(value)),
    dict[str, str]: (
        "a table of texts",
        lambda value: isinstance(value, dict) and all(isinstance(each, str) for each in value.values()),
    ),
}


def _refuse_unknown_keys(where: str, table: dict[str, Any], keys: set[str]) -> None:
    for key in table.keys() - keys:
        raise UsageError(f"{where}unknown key {key}; there are {', '.join(sorted(keys))}")


def _list(table: dict[str, Any], key: str) -> list[Any]:
    value = table.get(key, [])
    if not isinstance(value, list):
        raise UsageError(f"write {key} as [[{key}]]")
    return value


def _parse_duration(where: str, text: Any) -> int:
    try:
        return SlotLength.parse(str(text)).seconds * SECOND
    except PlanError:
        raise UsageError(f"{where}: stale must be a time such as 15m") from None
