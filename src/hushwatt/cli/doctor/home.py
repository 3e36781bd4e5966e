"""Is a home well: its ledger, its agent, and whoever it speaks with?

Each thing is one line.  Broker, Home Assistant and providers are asked nothing but whether they are there; no
reading is looked at.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING

from hushwatt.cli.doctor.check import Check
from hushwatt.cli.doctor.clock import check_skew
from hushwatt.errors import HushwattError, UsageError
from hushwatt.sanitise import sanitised

if TYPE_CHECKING:
    from hushwatt.household.home_folder import HomeFolder
    from hushwatt.household.ledger.store import Store
    from hushwatt.household.sources.home_assistant_login import HomeAssistantLogin
    from hushwatt.household.sources.sources_file import Broker


def check_home(folder: Path) -> list[Check]:
    """A line for each thing about the home in a folder; none where no home is.

    Where no folder was named, the usual one of a home is looked at too.
    """
    from hushwatt.household.home_folder import HomeFolder

    here = HomeFolder(folder)
    if folder == Path() and not _is_home(here):
        here = HomeFolder.usual(None)
    return [*_ledger_checks(here), *_source_checks(here)] if _is_home(here) else []


def _is_home(here: "HomeFolder") -> bool:
    return here.ledger.is_file() or (here.path / "sources.toml").is_file()


def _ledger_checks(here: "HomeFolder") -> Iterator[Check]:
    from hushwatt.household.ledger.lock import is_locked
    from hushwatt.household.status import plan_statuses

    if not here.ledger.is_file():
        yield Check("plans", False, False, f"joined nothing yet: {here.command('join ADDRESS')}")
        return
    try:
        with here.store() as store:
            caps, every = here.caps(), plan_statuses(store, time.time_ns())
            taking = [each for each in every if each.state == "taking part"]
            yield Check("ledger", True, True, f"{here.ledger}, taking part in {len(taking)} of {len(every)} plans")
            running = is_locked(here.ledger)
            yield Check("agent", running, False, "running" if running else f"not running: {here.command('run')}")
            for address in dict.fromkeys(each.address for each in taking):
                yield check_provider(address)
            yield from _trouble_checks(here, store, caps)
    except HushwattError as wrong:
        yield Check("ledger", False, True, str(wrong))


def _trouble_checks(here: "HomeFolder", store: "Store", caps: object) -> Iterator[Check]:
    from hushwatt.household.ledger.caps import Caps
    from hushwatt.household.troubles import troubles

    assert isinstance(caps, Caps)
    for each in troubles(store, caps, here.health(), time.time_ns()):
        yield Check("trouble", False, False, sanitised(f"{each.words}; {each.remedy}", 500))


def check_provider(address: str) -> Check:
    """Whether a provider answers, and how far its clock is from this one's."""
    from hushwatt.household.upload.http import connect

    try:
        before = datetime.now(UTC)
        with closing(connect(address)) as session:
            answer = session.ask("GET", "/healthz")
        skew = check_skew(before, datetime.now(UTC), parsedate_to_datetime(answer.headers["date"]))
    except (HushwattError, KeyError, ValueError) as wrong:
        reason = wrong if isinstance(wrong, HushwattError) else f"{address} does not tell the time"
        return Check("upload", False, True, str(reason))
    return Check("upload", skew.well, True, f"{address} answers; this clock is at {skew.found}")


def _source_checks(here: "HomeFolder") -> Iterator[Check]:
    try:
        sources = here.sources()
    except (HushwattError, OSError) as wrong:
        yield Check("sources", False, True, str(wrong))
        return
    count = len(sources.plugs) + len(sources.tables) + len(sources.entities_of_home_assistant)
    words = f"{count} in {here.path / 'sources.toml'}" if count else f"none: {here.command('sources --write')}"
    yield Check("sources", count > 0, False, words)
    if sources.broker is not None:
        yield asyncio.run(check_broker(sources.broker))
    if sources.home_assistant is not None:
        yield asyncio.run(check_home_assistant(sources.home_assistant))


async def check_broker(broker: "Broker") -> Check:
    """Whether the broker lets this home in."""
    import aiomqtt

    from hushwatt.household.sources.mqtt import broker_failure, connection

    where = f"{broker.host}:{broker.port}"
    try:
        async with connection(broker):
            return Check("broker", True, True, f"{where} answers")
    except UsageError as wrong:
        return Check("broker", False, True, str(wrong))
    except (aiomqtt.MqttError, OSError, ValueError) as wrong:
        return Check("broker", False, True, f"{where} does not answer ({broker_failure(wrong)})")


async def check_home_assistant(login: "HomeAssistantLogin") -> Check:
    """Whether Home Assistant takes the token."""
    from hushwatt.household.sources.home_assistant.session import HomeAssistantError, open_session

    try:
        async with open_session(login):
            return Check("assistant", True, True, f"Home Assistant at {login.host} takes the token")
    except HomeAssistantError as wrong:
        return Check("assistant", False, True, f"Home Assistant at {login.host}: {wrong}")
    except UsageError as wrong:
        return Check("assistant", False, True, str(wrong))
