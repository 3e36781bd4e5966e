"""How a service is set up: a TOML file, then the environment, then the command line, the last one wins."""

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

from hushwatt.errors import UsageError
from hushwatt.plan.shown import shown

UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
PREFIX = "HUSHWATT_"
MAX_PORT, MAX_NUMBER = 65_535, 2**31 - 1
MAX_FILE_BYTES = 65_536  # bytes of a file with settings
BOOLEANS = dict.fromkeys(("1", "true", "yes", "on"), True) | dict.fromkeys(("0", "false", "no", "off"), False)


@dataclass(frozen=True)
class Config:
    """Everything that can be set; the names are those of the file and, in capitals, of the environment."""

    plan: tuple[str, ...] = ()  # plan files to collect
    data: str = "hushwatt-data"  # folder for keys and the embedded store
    store: str = ""  # postgresql://…; empty: a file in `data`
    host: str = "127.0.0.1"
    port: int = 8040
    enrolment: str = "auto"  # codes, open, or auto: open on loopback only
    access: str = "auto"  # token, open, or auto: open on loopback only
    grace: str = "auto"  # how long after its end a slot takes reports; auto: its length, 15 m to 1 d
    assigned_turns: bool = False  # hold new homes to the turn offered, not to what they say first
    migration: str = "auto"  # of an older store: auto, or by-hand: refuse it until `provider migrate` was run
    scrub: bool = False  # empty the payloads of published slots
    retention: str = "90d"  # how long after its plan's end a report may be kept
    proxy: bool = False  # behind a proxy that sets X-Forwarded-For and -Proto
    proxy_addresses: str = "127.0.0.1,::1"  # of proxies whose word counts, or their networks
    tls_certificate: str = ""
    tls_key: str = ""
    watched_certificate: str = ""  # one that a proxy uses, to be warned before it ends
    tolerance: int = 300  # seconds that a signer's clock may be off
    largest_upload: int = 4 * 1024 * 1024  # bytes
    head_seconds: int = 10  # to send a request's head
    upload_seconds: int = 15  # to send a request's body
    answer_seconds: int = 20  # to take some of an answer
    requests_per_second: int = 50  # of one signer, on average
    strangers_per_second: int = 10  # refused or enrolling requests of one address, on average
    connections: int = 4096  # at once
    log_level: str = "info"

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise UsageError(f"{name} is {getattr(self, name)!r}; choose one of {', '.join(choices)}")
        for name in (each.name for each in fields(self) if each.type is int):
            if getattr(self, name) < (0 if name == "port" else 1):
                raise UsageError(f"{name} is {shown(getattr(self, name))}; it must be above zero")
            if getattr(self, name) > (highest := MAX_PORT if name == "port" else MAX_NUMBER):
                raise UsageError(f"{name} is {shown(getattr(self, name))}; it must be at most {highest:,}")
        if bool(self.tls_certificate) != bool(self.tls_key):
            raise UsageError("tls_certificate and tls_key go together")
        if self.access == "open" and not self.is_private:
            raise UsageError(
                f'access = "open" shows everything to everyone who reaches {self.host}: use "token", '
                "or listen on 127.0.0.1 without a proxy"
            )
        if self.grace != "auto":
            parse_duration(self.grace)
        parse_duration(self.retention)
        for address in self.proxy_addresses.split(","):
            check_network(address.strip())

    @property
    def is_private(self) -> bool:
        """Whether only this machine can reach the service."""
        return is_loopback(self.host) and not self.proxy

    @property
    def needs_token(self) -> bool:
        return self.access == "token" or (self.access == "auto" and not self.is_private)

    @property
    def needs_code(self) -> bool:
        return self.enrolment == "codes" or (self.enrolment == "auto" and not self.is_private)

    @property
    def folder(self) -> Path:
        return Path(self.data)

    @property
    def store_address(self) -> str:
        return self.store or str(self.folder / "store.sqlite")

    @property
    def retention_time(self) -> timedelta:
        return parse_duration(self.retention)

    @property
    def migrates_by_hand(self) -> bool:
        return self.migration == "by-hand"

    def grace_of(self, slot_seconds: int) -> timedelta:
        """How long a slot of that length takes reports after its end."""
        if self.grace == "auto":
            return timedelta(seconds=min(max(slot_seconds, 900), 86400))
        return parse_duration(self.grace)


CHOICES = {
    "enrolment": ("auto", "codes", "open"),
    "migration": ("auto", "by-hand"),
    "access": ("auto", "token", "open"),
    "log_level": ("debug", "info", "warning", "error"),
}


def read_config(file: Path | None = None, environment: Mapping[str, str] = os.environ, **given: Any) -> Config:
    """What the file says, then the environment, then what was given (None: not given)."""
    config = Config()
    if file is not None:
        config = _overridden(config, _read(file), str(file))
    config = _overridden(config, _from_environment(environment), "the environment")
    return _overridden(config, {name: value for name, value in given.items() if value is not None}, "")


def is_loopback(host: str) -> bool:
    """Whether an address is this machine's own.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def check_network(address: str) -> None:
    """Refuse what is neither an address nor a network such as 10.1.0.0/16.

    >>> check_network("10.1.0.0/16")
    """
    try:
        network = ip_network(address)
    except ValueError:
        raise UsageError(f"proxy_addresses has {address!r}, which is no address or network like 10.1.0.0/16") from None
    if not network.prefixlen:
        raise UsageError(f"proxy_addresses has {address}, which is everyone: anyone could tell any address")


def parse_duration(text: str) -> timedelta:
    """A time like 90s, 15m, 2h or 1d.

    >>> parse_duration("15m")
    datetime.timedelta(seconds=900)
    """
    match = re.fullmatch(r"([0-9]{1,6})([smhd])", text)
    if not match:
        raise UsageError(f"{text!r} is no length of time; write for example 90s, 15m, 2h or 1d")
    return timedelta(seconds=int(match[1]) * UNIT_SECONDS[match[2]])


def _read(file: Path) -> dict[str, Any]:
    with file.open("rb") as opened:
        content = opened.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise UsageError(f"{file}: too large for settings, which have at most {MAX_FILE_BYTES:,} bytes")
    try:
        return tomllib.loads(content.decode("utf-8"))
    except tomllib.TOMLDecodeError as wrong:
        raise UsageError(f"{file}: {wrong}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{file}: not a text file") from None
    except (ValueError, RecursionError):
        raise UsageError(f"{file}: it holds a number or a nesting beyond all sense") from None


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """The variables of our names; others that begin alike belong to other parts."""
    return {
        field.name: _parsed(variable, environment[variable], field.type)
        for field in fields(Config)
        if (variable := PREFIX + field.name.upper()) in environment
    }


def _parsed(name: str, text: str, kind: object) -> Any:
    if kind is int:
        if not re.fullmatch(r"[0-9]{1,12}", text):
            raise UsageError(f"{name} is {text!r}, which is not a whole number")
        return int(text)
    if kind is bool:
        if text.lower() not in BOOLEANS:
            raise UsageError(f"{name} is {text!r}; write true or false")
        return BOOLEANS[text.lower()]
    return text if kind is str else tuple(text.split(os.pathsep))


def _overridden(config: Config, changes: Mapping[str, Any], source: str) -> Config:
    kinds = {field.name: field.type for field in fields(Config)}
    prefix = f"{source}: " if source else ""
    accepted: dict[str, Any] = {}
    for name, value in changes.items():
        if name not in kinds:
            raise UsageError(f"{prefix}unknown setting {name[:40]}")
        if name == "plan":
            value = _plans(value, prefix)
        elif not isinstance(kinds[name], type) or type(value) is not kinds[name]:
            raise UsageError(f"{prefix}{name} is {shown(value)}, which is not a {_kind(kinds[name])}")
        accepted[name] = value
    try:
        return replace(config, **accepted)
    except UsageError as wrong:
        raise UsageError(f"{prefix}{wrong}") from None


def _plans(value: Any, prefix: str) -> tuple[str, ...]:
    files = (value,) if isinstance(value, str) else value
    if not isinstance(files, list | tuple) or not all(isinstance(each, str) for each in files):
        raise UsageError(f"{prefix}plan is {shown(value)}, which is not the name of a file, or several")
    return tuple(files)


def _kind(kind: object) -> str:
    return {int: "whole number", bool: "true or false"}.get(kind, "text")  # type: ignore[call-overload,no-any-return]
