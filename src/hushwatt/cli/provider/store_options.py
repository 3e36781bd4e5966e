"""Options of every command that opens a provider's store, and how they find it."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from hushwatt.errors import UsageError
from hushwatt.sanitise import quoted

if TYPE_CHECKING:
    from hushwatt.provider.service.config import Config
    from hushwatt.provider.store.session import Database, Session

ConfigFile = Annotated[
    Path | None, Parameter(name="--config", help="A TOML file with settings; the options here come first.")
]
Data = Annotated[Path | None, Parameter(name="--data", help="The folder for keys and the store [hushwatt-data].")]
Store = Annotated[
    str | None, Parameter(name="--store", help="A PostgreSQL address, postgresql://…; without it a file in the folder.")
]
PlanName = Annotated[
    str | None, Parameter(name="--plan", help="Which plan, by its file or the start of its id, if there are several.")
]


@Parameter(name="*")
@dataclass(frozen=True)
class StoreOptions:
    """Where the store is."""

    data: Data = None
    store: Store = None
    config: ConfigFile = None

    def settings(self) -> "Config":
        """What these options and the file of settings say together."""
        from hushwatt.provider.service.config import read_config

        return read_config(self.config, data=text(self.data), store=self.store)


@Parameter(name="*")
@dataclass(frozen=True)
class FolderOptions:
    """Where the folder is, for what concerns the embedded store alone."""

    data: Data = None
    config: ConfigFile = None

    def settings(self) -> "Config":
        """What these options and the file of settings say together."""
        return StoreOptions(self.data, None, self.config).settings()


USUAL_STORE, USUAL_FOLDER = StoreOptions(), FolderOptions()


def open_existing_store(settings: "Config") -> "Database":
    """The store, which must be there."""
    from hushwatt.provider.store import open_store

    if not settings.store and not Path(settings.store_address).is_file():
        command = f"hushwatt provider serve --plan PLAN --data {shlex.quote(str(settings.data))}"
        raise UsageError(f"there is no store in {settings.data}; `{command}` makes one")
    return open_store(settings.store_address, settings.migrates_by_hand)


def plan_number(session: "Session", word: str | None) -> int:
    """The plan that was meant, by its number in the store."""
    from hushwatt.plan.plan import Plan
    from hushwatt.provider.store.plans import all_plans

    wanted = Plan.load(word).id if word and Path(word).is_file() else word or ""
    plans = all_plans(session)
    fitting = {number: plan for number, plan in plans.items() if plan.id.startswith(wanted.strip().lower())}
    if len(fitting) != 1:
        names = "; ".join(f"{plan.id[:12]} {quoted(plan.name, 60)}" for plan in (fitting or plans).values())
        why = f"{len(fitting)} plans fit; name one with --plan" if fitting else "no such plan is collected here"
        raise UsageError(f"{why}: {names}" if names else why)
    return next(iter(fitting))


def text(path: Path | None) -> str | None:
    return None if path is None else str(path)
