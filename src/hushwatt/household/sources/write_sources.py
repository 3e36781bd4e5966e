"""Add chosen sources to the owner's sources.toml: what stands there stays as it is, and nothing is half-written."""

import tomllib
from collections.abc import Iterable
from pathlib import Path

from hushwatt.errors import UsageError
from hushwatt.household.private_files import write_private
from hushwatt.household.sources.candidate import ENTITY, SourceCandidate
from hushwatt.household.sources.home_assistant_login import HomeAssistantLogin
from hushwatt.household.sources.presets import describe
from hushwatt.household.sources.sources_file import Broker, SourcesFile
from hushwatt.household.sources.toml_words import toml_text


def unknown_to(sources: SourcesFile, candidates: Iterable[SourceCandidate]) -> list[SourceCandidate]:
    """Those that the file does not have yet."""
    entities = {each.entity for each in sources.entities_of_home_assistant}
    plugs = {
        (preset, topic, tuple(told.items())) for preset, topic, told in (describe(p.preset) for p in sources.plugs)
    }
    return [
        each
        for each in candidates
        if (each.kind == ENTITY and each.entity_or_topic not in entities)
        or (each.kind != ENTITY and (each.kind, each.entity_or_topic, each.settings) not in plugs)
    ]


def write_sources(
    path: Path, chosen: Iterable[SourceCandidate], login: HomeAssistantLogin | None = None, broker: Broker | None = None
) -> int:
    """Append the chosen ones, and where they are found; how many were not there before."""
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    sources = SourcesFile.load(path) if path.exists() else SourcesFile()
    new = unknown_to(sources, chosen)
    parts = [each.toml for each in new]
    if login is not None and sources.home_assistant is None and any(each.kind == ENTITY for each in new):
        parts.insert(0, login_toml(login))
    if broker is not None and sources.broker is None and any(each.kind != ENTITY for each in new):
        parts.insert(0, f"[mqtt]\nhost = {toml_text(broker.host)}\nport = {broker.port}")
    if not new:
        return 0
    text = "\n\n".join([*([before.rstrip("\n")] if before.strip() else []), *parts]) + "\n"
    try:
        SourcesFile.parse(tomllib.loads(text), path.parent)
    except (tomllib.TOMLDecodeError, UsageError) as wrong:
        raise UsageError(f"{path} is left as it was, as nothing can be added to it: {wrong}") from None
    write_private(path, text)
    return len(new)


def login_toml(login: HomeAssistantLogin) -> str:
    """Where Home Assistant is, as sources.toml has it; a token that stands in the file is not repeated."""
    told = {"url": login.url.strip(), "token_file": login.token_file, "ca_file": login.ca_file}
    lines = [f"{key} = {toml_text(value)}" for key, value in told.items() if value is not None]
    return "\n".join(["[home_assistant]", *lines])
