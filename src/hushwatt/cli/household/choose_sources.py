"""Let the owner see what could measure an appliance, and choose: a table, words for the file, or the file itself."""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hushwatt.cli.household.options import say
from hushwatt.errors import UsageError
from hushwatt.sanitise import sanitised

if TYPE_CHECKING:
    from rich.table import Table

    from hushwatt.household.home_folder import HomeFolder
    from hushwatt.household.sources.candidate import SourceCandidate
    from hushwatt.household.sources.home_assistant_login import HomeAssistantLogin
    from hushwatt.household.sources.sources_file import Broker

DEFAULT_COLUMNS = 120  # where no terminal says how many
SKIP = "-"  # what an owner types for a candidate that is none


def show(candidates: "list[SourceCandidate]", login: "HomeAssistantLogin | None", path: Path) -> None:
    """A table for the owner, and the words for the file."""
    from rich.console import Console

    from hushwatt.cli.terminal import terminal_width
    from hushwatt.household.sources.write_sources import login_toml

    if not candidates:
        say("nothing spoke of watts; are there plugs, and is this their broker or Home Assistant?")
        return
    Console(highlight=False, width=terminal_width(DEFAULT_COLUMNS)).print(_table(candidates))
    say(f"to write {path}: run this again with --write, or copy what follows")
    entities = login is not None and any(each.kind == "entity" for each in candidates)
    for toml in [*([login_toml(login)] if login is not None and entities else []), *(each.toml for each in candidates)]:
        print(f"{toml}\n")


def _table(candidates: "Iterable[SourceCandidate]") -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("now", justify="right", no_wrap=True)
    for heading in ("appliance?", "name", "entity or topic"):
        table.add_column(heading, overflow="fold")
    for each in candidates:
        names = f"{each.name} (Energy dashboard)" if each.chosen_there else each.name
        words = (watts_words(each), each.appliance or "?", names, each.entity_or_topic)
        table.add_row(*(Text(sanitised(word, 200)) for word in words))
    return table


def watts_words(candidate: "SourceCandidate") -> str:
    """The watts of now, in words; a retained message is not of now."""
    if candidate.watts is None:
        return "unknown"
    return f"{candidate.watts:,.0f} W" if candidate.fresh else f"({candidate.watts:,.0f} W, old)"


def add_to_file(
    here: "HomeFolder",
    candidates: "list[SourceCandidate]",
    login: "HomeAssistantLogin | None",
    broker: "Broker | None",
    appliances: list[str],
    yes: bool,
) -> None:
    """Write what the owner chooses; with --yes, the best guess for each appliance."""
    from hushwatt.household.sources.candidate import best_of_each
    from hushwatt.household.sources.write_sources import unknown_to, write_sources

    if not yes and not sys.stdin.isatty():
        raise UsageError("nobody is there to choose; run it in a terminal, or with --yes")
    measured, new = here.sources().appliances, unknown_to(here.sources(), candidates)
    best = [each for each in best_of_each(new) if each.appliance not in measured]
    chosen = best if yes else list(_chosen(new, best, appliances))
    here.path.mkdir(parents=True, exist_ok=True, mode=0o700)
    count = write_sources(here.path / "sources.toml", chosen, login, broker)
    for each in chosen:
        say(f"{each.appliance}: {each.entity_or_topic}")
    if not count:
        say(f"nothing was added to {here.path / 'sources.toml'}")
        return
    missing = [name for name in appliances if name not in here.sources().appliances] if here.ledger.is_file() else []
    say(f"{count} added to {here.path / 'sources.toml'}; an agent that runs takes them when it starts again")
    if missing:
        say(f"nobody measures {', '.join(missing)} yet")


def _chosen(
    candidates: "Iterable[SourceCandidate]", best: "list[SourceCandidate]", appliances: list[str]
) -> "Iterator[SourceCandidate]":
    """Ask the owner about each: Enter takes the guess."""
    say(f"for each: Enter takes what stands in brackets, {SKIP} leaves it out, or type another of your appliances")
    for each in candidates:
        guess = each.appliance if each in best and each.appliance else SKIP
        while True:
            told = sanitised(f"{watts_words(each)}  {each.name}  {each.entity_or_topic}", 400)
            print(f"{told}  [{guess}] ", end="", file=sys.stderr, flush=True)
            line = sys.stdin.readline()
            word = (line.strip() or guess) if line else SKIP
            if word == SKIP:
                break
            if word in appliances:
                yield replace(each, appliance=word)
                break
            say(_unknown(word, appliances))


def _unknown(word: str, appliances: list[str]) -> str:
    from hushwatt.household.sources.guess import near_miss

    near = near_miss(word, appliances)
    return f"no plan of this home asks about {word}; " + (
        f"did you mean {near}?" if near else f"there are {', '.join(appliances[:30])}"
    )
