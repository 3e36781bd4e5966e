"""Where a home keeps its things: one folder with the ledger, the owner's caps and the sources."""

import json
import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hushwatt.errors import StateError, UsageError
from hushwatt.household.ledger.caps import Caps
from hushwatt.household.ledger.store import Store
from hushwatt.household.private_files import open_to_others, restrict_to_owner, write_private
from hushwatt.household.sources.sources_file import SourcesFile
from hushwatt.household.untrusted_json import Malformed, as_list, as_table, parse_json

HEALTH_KEYS = {"name", "appliance", "heard", "fresh", "trouble"}  # what a note on a source tells


@dataclass(frozen=True)
class HomeFolder:
    """One home's folder."""

    path: Path

    @classmethod
    def usual(cls, given: Path | None) -> "HomeFolder":
        """The folder that was named, or $HUSHWATT_HOME, or ~/.hushwatt: one home, one ledger."""
        return cls(given or Path(os.environ.get("HUSHWATT_HOME") or Path.home() / ".hushwatt"))

    def command(self, words: str) -> str:
        """A command of the owner about this home, as it is typed.

        >>> HomeFolder(Path("/srv/my home")).command("run")
        "hushwatt household run --folder '/srv/my home'"
        """
        named = "" if self == HomeFolder.usual(None) else f" --folder {shlex.quote(str(self.path))}"
        return f"hushwatt household {words}{named}"

    @property
    def ledger(self) -> Path:
        return self.path / "ledger.sqlite"

    @property
    def caps_path(self) -> Path:
        return self.path / "caps.toml"

    @property
    def entity_numbers_path(self) -> Path:
        """Which numbers the chosen entities have in Home Assistant's registry."""
        return self.path / "entities.json"

    def caps(self) -> Caps:
        """The owner's caps, for a command that looks once; an agent that runs keeps a `CapsFile`."""
        return Caps.load(self.caps_path) if self.caps_path.exists() else Caps()

    def sources(self) -> SourcesFile:
        file = self.path / "sources.toml"
        return SourcesFile.load(file) if file.exists() else SourcesFile()

    def check_secrets(self, sources: SourcesFile) -> None:
        """Refuse sources whose password or token is in a file that cannot be read."""
        for each in (sources.broker, sources.home_assistant):
            try:
                if each is not None:
                    each.secret()
            except UsageError as wrong:
                raise UsageError(f"{self.path / 'sources.toml'}: {wrong}") from None

    def store(self, make: bool = False) -> Store:
        """The ledger; only joining makes one."""
        if make:
            try:
                self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            except (FileExistsError, NotADirectoryError):
                raise UsageError(f"{self.path} is not a folder") from None
            restrict_to_owner(self.path)
        elif self.path.exists() and not self.path.is_dir():
            raise UsageError(f"{self.path} is not a folder")
        elif not self.ledger.is_file():
            raise StateError(f"{self.path}: this home has joined nothing yet; see `{self.command('join ADDRESS')}`")
        return Store(self.ledger)

    def restrict_to_owner(self) -> list[str]:
        """Keep everything to its owner; a line for whatever stays open to others."""
        lines = restrict_to_owner(self.path)
        try:
            sources = self.sources()
        except UsageError as wrong:
            return [*lines, str(wrong)]
        for what, file in sources.secret_files:
            if open_to_others(Path(file)):
                lines.append(f"{file} holds {what} and is open to others; chmod 600 {file}")
        return lines

    def write_health(self, health: list[dict[str, object]]) -> None:
        """Leave a note on how the sources are, for `household status`; no reading is in it."""
        write_private(self.path / "health.json", json.dumps(health))

    def health(self) -> list[dict[str, Any]]:
        """The note that the agent left; a damaged one is none."""
        try:
            sources = as_list(parse_json((self.path / "health.json").read_bytes()))
        except (OSError, Malformed):
            return []
        return [each for each in sources if as_table(each).keys() >= HEALTH_KEYS]
