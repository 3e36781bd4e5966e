"""Follow the chosen entities of Home Assistant for as long as the agent runs.

Every trouble is said once, and tried again: out of reach, a token that is refused, an entity that
is gone or has another name.  When it connects and what it asks never depends on a reading.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hushwatt.errors import UsageError
from hushwatt.household.clock import SECOND, HomeClock
from hushwatt.household.guard import Guard
from hushwatt.household.log_once import LogOnce
from hushwatt.household.sources.home_assistant.catch_up import CatchUp
from hushwatt.household.sources.home_assistant.registry import RegistryNames
from hushwatt.household.sources.home_assistant.session import (
    HomeAssistantError,
    HomeAssistantSession,
    TokenRefused,
    open_session,
)
from hushwatt.household.sources.home_assistant.states import SubscribedStates
from hushwatt.household.sources.home_assistant.statistics import GENERATED
from hushwatt.household.sources.home_assistant_login import HomeAssistantLogin
from hushwatt.household.sources.hub import Hub
from hushwatt.household.untrusted_json import as_table
from hushwatt.privacy.entropy import OperatingSystem

BEAT_SECONDS = 20.0  # seconds between two questions whether it is still there
MAX_BACKOFF = 60.0  # seconds between two attempts
TOKEN_SECONDS = 5.0  # seconds between two looks at the token's file, after it was refused
REFUSED_SECONDS = 3_600.0  # seconds until the same token is tried again: each attempt is noted there
OUT_OF_REACH = "Home Assistant does not answer"
MAX_CLOCK_SKEW = 60 * SECOND  # by which its clock may differ from ours

Say = Callable[[str], None]


async def follow(login: HomeAssistantLogin, hub: Hub, clock: HomeClock, say: Say, memory: Path | None = None) -> None:
    """Hand every state of the hub's entities to the hub; never ends by itself."""
    follower = Follower(login, hub, clock, say, RegistryNames.load(memory))
    await follower.run()


@dataclass
class Follower:
    """One Home Assistant, and what was said about it."""

    login: HomeAssistantLogin
    hub: Hub
    clock: HomeClock
    say: Say
    names: RegistryNames
    heard: int | None = None  # when it last said something
    tries: int = 0  # failed attempts in a row
    trouble: str | None = None  # what was said since then
    states: SubscribedStates = field(default_factory=lambda: SubscribedStates(set()))
    running: bool = False  # whether all of it has started
    right_clock: bool = True
    waiting: bool = False  # for the answer to whether it is there
    reconnected: bool = True  # since it was last heard

    def __post_init__(self) -> None:
        self.once, self.guard = LogOnce(self.say), Guard(self.say)
        self.entropy = OperatingSystem().stream("home assistant")
        self.missed = CatchUp(self.hub, self.clock, self.names, self.once)

    @property
    def where(self) -> str:
        return f"Home Assistant at {self.login.host}"

    async def run(self) -> None:
        """Connect, live, and again."""
        if not self.login.is_tls and self.login.leaves_home:
            self.say(f"{self.where}: the token and all readings go there in plain text; use https://")
        while True:
            try:
                async with open_session(self.login) as session:
                    await self._live(session)
            except TokenRefused:
                await self._refused()
            except HomeAssistantError as wrong:
                self._lost(str(wrong))
            except UsageError as wrong:
                self._lost(str(wrong), f"{self.where} cannot be asked: {wrong}")
            except Exception as surprise:  # nothing that it sends may end the agent
                self.guard.note("what Home Assistant said", surprise)
                self._lost("its answer could not be handled")
            await asyncio.sleep(self._pause())

    def _pause(self) -> float:
        """About twice as long after each failure, by chance alone."""
        longest = min(2.0**self.tries, MAX_BACKOFF)
        self.tries = min(self.tries + 1, 16)
        return longest * (0.5 + int(self.entropy.words(1)[0]) / 2**65)

    async def _live(self, session: HomeAssistantSession) -> None:
        """Everything while the connection lasts."""
        self._check_clock(session.date)
        self.states, self.running, self.waiting, self.reconnected = SubscribedStates(set()), False, False, True
        self._learn(await session.result("config/entity_registry/list"))
        await session.subscribe("subscribe_events", self._on_registry, event_type="entity_registry_updated")
        await session.subscribe("subscribe_events", self.missed.on_generated, event_type=GENERATED)
        loop, beat = asyncio.get_running_loop(), 0.0
        while True:
            if loop.time() >= beat:
                await self._beat(session)
                beat = loop.time() + BEAT_SECONDS
            await session.listen(beat - loop.time())
            await self._subscribe(session)
            await self.missed.ask(session)

    async def _beat(self, session: HomeAssistantSession) -> None:
        """See whether it is there; all that it said before has then come."""
        if self.waiting:
            raise HomeAssistantError("it does not answer any more")
        self.waiting = True
        await self._subscribe(session)
        if self.running:
            self._say_missing()
        else:
            await session.ask("get_config", self._on_config)
        await session.ask("ping", self._on_pong)

    async def _subscribe(self, session: HomeAssistantSession) -> None:
        """Ask for every entity that was not asked for yet, under its name of today."""
        if new := sorted({self.names.current(name) for name in self.hub.entity_ids} - self.states.wanted):
            self.states.wanted |= set(new)
            await session.subscribe("subscribe_entities", self._on_states, entity_ids=new)

    def _on_pong(self, _: Any) -> None:
        now = self.clock.look().wall
        if self.trouble is not None:
            self.say(f"{self.where} is back")
            self.trouble = None
        if self.reconnected and self.right_clock:
            self.missed.on_return(self.heard, now)
        self.waiting, self.reconnected, self.tries, self.heard = False, False, 0, now
        self.hub.confirm_entities(now)

    def _on_config(self, config: Any) -> None:
        self.running = as_table(config).get("state") in ("RUNNING", None)

    def _on_states(self, event: Any) -> None:
        now = self.clock.look().wall
        for state in self.states.on_event(event):
            chosen = self.names.chosen(state.entity_id)
            if self.names.current(chosen) == state.entity_id:  # not another that took its name
                changed = state.changed if self.right_clock else now
                self.hub.on_entity(now, replace(state, entity_id=chosen, changed=changed), quiet=not self.running)

    def _on_registry(self, event: Any) -> None:
        if moved := self.names.rename(event, self.hub.entity_ids):
            self._say_moved(*moved)

    def _learn(self, entries: Any) -> None:
        for moved in self.names.learn(entries, self.hub.entity_ids):
            self._say_moved(*moved)

    def _say_moved(self, chosen: str, new: str) -> None:
        if chosen == new:
            self.say(f"entity {chosen}: has its name in Home Assistant again")
            return
        self.say(f"entity {chosen}: is called {new} in Home Assistant now, and followed; write that in sources.toml")

    def _say_missing(self) -> None:
        now = self.clock.look().wall
        for chosen in self.hub.entity_ids:
            if (name := self.names.current(chosen)) not in self.states.known:
                self.hub.miss_entity(now, chosen, self.names.missing_words(name))
        self.hub.say_entity_troubles()

    def _check_clock(self, date: int | None) -> None:
        skew = 0 if date is None else abs(date - self.clock.look().wall)
        self.right_clock = skew <= MAX_CLOCK_SKEW
        if self.right_clock:
            self.once.clear("clock")
        else:
            line = f"its clock and this machine's are {skew // SECOND} seconds apart; set them right"
            self.once("clock", f"{self.where}: {line}; until then its statistics fill nothing")

    async def _refused(self) -> None:
        """Say it, and wait for another token; the same is tried again much later."""
        token = self.login.secret()
        self._lost("it refuses the token", self._token_words())
        for _ in range(int(REFUSED_SECONDS / TOKEN_SECONDS)):
            await asyncio.sleep(TOKEN_SECONDS)
            try:
                if self.login.secret() != token:
                    break
            except UsageError:
                continue
        self.tries = 0

    def _token_words(self) -> str:
        made = "make a new one there (your profile, Security, Long-lived access tokens)"
        file = self.login.token_file
        kept = f"write it to {file}: it is tried at once" if file else "write it to sources.toml, and restart the agent"
        return f"{self.where} refuses the token: it was revoked, has expired, or is not whole; {made} and {kept}"

    def _lost(self, reason: str, line: str | None = None) -> None:
        now = self.clock.look().wall
        self.hub.lose_entities(min(now, self.heard or now), OUT_OF_REACH)
        trouble = line or OUT_OF_REACH
        if line is None and self.trouble is None and self.heard is not None and not self.tries:
            return  # it was there a moment ago: the next attempt tells what it is
        if trouble != self.trouble:  # however the reason changes while it is out of reach
            silent = "its entities count as 0 W, or as not measured, until it does"
            self.say(line or f"{self.where} does not answer ({reason}); {silent}")
        self.trouble = trouble
