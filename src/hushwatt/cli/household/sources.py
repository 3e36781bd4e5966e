"""`hushwatt household sources`: how fresh the sources are, and which there could be."""

import asyncio
import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from hushwatt.cli.household.choose_sources import add_to_file, show
from hushwatt.cli.household.options import FolderOption, open_folder, say
from hushwatt.cli.options import Json
from hushwatt.errors import UsageError
from hushwatt.sanitise import sanitised

if TYPE_CHECKING:
    from hushwatt.household.home_folder import HomeFolder
    from hushwatt.household.sources.candidate import SourceCandidate
    from hushwatt.household.sources.home_assistant_login import HomeAssistantLogin
    from hushwatt.household.sources.sources_file import Broker, SourcesFile

TOKEN_NAME = "home-assistant-token"  # a file's name


def sources(
    *,
    discover: bool = False,
    home_assistant: str | None = None,
    token_file: Path | None = None,
    broker: str | None = None,
    write: Annotated[bool, Parameter(negative=())] = False,
    yes: bool = False,
    seconds: float = 10.0,
    folder: FolderOption = None,
    as_json: Json = False,
) -> None:
    """Show the sources and how fresh they are; with --discover, what else could measure your appliances.

    Home Assistant is asked for its entities, its Energy dashboard's devices first, and the broker is listened to for a
    while. Each is shown with its watts of now and with the appliance that its name speaks of. Nothing leaves this home.

    Parameters
    ----------
    discover
        Look for entities and plugs, and print what to write into sources.toml.
    home_assistant
        Home Assistant's address, such as http://homeassistant.local:8123, where sources.toml does not name it.
    token_file
        The file with its long-lived access token; in a terminal you are asked for the token where there is none yet.
    broker
        The MQTT broker, such as 192.168.1.2 or 192.168.1.2:1883, where sources.toml does not name it.
    write
        Write sources.toml, asking about each of them; what stands there already stays as it is.
    yes
        With --write: take every guess without being asked; for scripts.
    seconds
        How long to listen on the broker.
    """
    from hushwatt.cli.household.owner_text import source_lines

    here = open_folder(folder)
    named = here.sources()
    asked = discover or write or home_assistant is not None or broker is not None
    if not asked and (named.plugs or named.tables or named.entities_of_home_assistant):
        here.check_secrets(named)
        health = here.health()
        for line in [json.dumps(health)] if as_json else source_lines(health, time.time_ns()):
            print(line)
        return
    login = _login(here, named, home_assistant, token_file)
    listened = _broker(named, login, broker)
    appliances = _appliances(here)
    candidates = _candidates(login, listened, seconds, appliances)
    if as_json:
        print(json.dumps([each.table for each in candidates], ensure_ascii=False))
    elif not write:
        show(candidates, login, here.path / "sources.toml")
    if write:
        add_to_file(here, candidates, login, listened, appliances, yes)


def _login(
    here: "HomeFolder", named: "SourcesFile", address: str | None, token_file: Path | None
) -> "HomeAssistantLogin | None":
    """Where Home Assistant is: as was said, or as the file has it."""
    from hushwatt.household.sources.home_assistant_login import HomeAssistantLogin

    if address is None:
        if token_file is not None and named.home_assistant is None:
            raise UsageError("--token-file needs --home-assistant, its address")
        if named.home_assistant is None or token_file is None:
            return named.home_assistant
    file = (token_file or here.path / TOKEN_NAME).absolute()
    known = named.home_assistant or HomeAssistantLogin("")
    login = replace(known, url=address or known.url, token=None, token_file=str(file))
    if problem := login.problem:
        raise UsageError(f"--home-assistant: {problem}")
    if token_file is None and not file.exists():
        _ask_token(file)
    return login


def _ask_token(file: Path) -> None:
    """Have the owner paste a token, and keep it where only they can read it."""
    from getpass import getpass

    from hushwatt.household.private_files import write_private

    if not sys.stdin.isatty():
        raise UsageError(f"write Home Assistant's long-lived access token to {file}, or name a file with --token-file")
    say("make a token in Home Assistant: your profile, Security, Long-lived access tokens, Create token")
    token = getpass("Paste it here (it is not shown): ").strip()
    if not token:
        raise UsageError("no token was given; nothing was written")
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_private(file, f"{token}\n")
    say(f"kept in {file}, for your eyes only")


def _broker(named: "SourcesFile", login: "HomeAssistantLogin | None", address: str | None) -> "Broker | None":
    """The broker to listen to; none where only Home Assistant was named."""
    from hushwatt.household.sources.sources_file import Broker

    if address is None:
        return named.broker or (None if login is not None else Broker())
    host, colon, port = address.rpartition(":") if address.count(":") == 1 else (address, "", "1883")
    if not host or "/" in address or not port.isdecimal() or not 0 < int(port) < 65_536:
        raise UsageError("--broker must be a host, or host:port, such as 192.168.1.2:1883")
    return replace(named.broker or Broker(), host=host, port=int(port) if colon else 1883)


def _appliances(here: "HomeFolder") -> list[str]:
    """The appliances that this home's plans ask about; without a plan, all of the catalogue."""
    from hushwatt.household.status import plan_statuses
    from hushwatt.plan.catalogue import entries

    names: list[str] = []
    if here.ledger.is_file():
        with here.store() as store:
            joined = [each for each in plan_statuses(store, time.time_ns()) if each.state not in ("left", "over")]
        names = [name for each in joined for name in each.plan.names]
    return list(dict.fromkeys(names)) or [entry.name for entry in entries()]


def _candidates(
    login: "HomeAssistantLogin | None", broker: "Broker | None", seconds: float, appliances: list[str]
) -> "list[SourceCandidate]":
    from hushwatt.household.sources.candidate import in_order, plug_candidate

    found = [] if login is None else _of_home_assistant(login, appliances)
    if broker is not None:
        found += [plug_candidate(each, appliances) for each in _of_broker(broker, seconds)]
    return in_order(found)


def _of_home_assistant(login: "HomeAssistantLogin", appliances: list[str]) -> "list[SourceCandidate]":
    from hushwatt.household.sources.home_assistant.candidates import candidates
    from hushwatt.household.sources.home_assistant.session import HomeAssistantError, TokenRefused

    if not login.is_tls and login.leaves_home:
        say(f"Home Assistant at {login.host}: the token and all readings go there in plain text; use https://")
    try:
        return asyncio.run(candidates(login, time.time_ns(), appliances))
    except TokenRefused:
        if sys.stdin.isatty() and Path(login.token_file or "").name == TOKEN_NAME:
            say(f"Home Assistant at {login.host} refuses the token")
            _ask_token(Path(str(login.token_file)))
            return _of_home_assistant(login, appliances)
        made = "make a new one (your profile, Security, Long-lived access tokens)"
        raise UsageError(f"Home Assistant at {login.host} refuses the token in {login.token_file}; {made}") from None
    except HomeAssistantError as wrong:
        raise UsageError(f"Home Assistant at {login.host} does not answer ({wrong})") from None


def _of_broker(broker: "Broker", seconds: float) -> list:  # type: ignore[type-arg]
    from hushwatt.household.sources.discover import discover

    try:
        return asyncio.run(discover(broker, seconds))
    except Exception as wrong:
        if type(wrong).__module__.partition(".")[0] not in ("aiomqtt", "builtins"):
            raise
        words = sanitised(wrong, 100)
        raise UsageError(f"the broker {broker.host}:{broker.port} does not answer ({words})") from None
