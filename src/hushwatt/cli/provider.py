"""`hushwatt provider`: collect reports from homes, keep them safe, and give out estimates."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from hushwatt.cli.options import Json

if TYPE_CHECKING:
    from hushwatt.provider.config import Config
    from hushwatt.provider.store.session import Database, Session

app = App(name="provider", help="Collect reports from homes, keep them safe, and give out estimates.")
keys = App(name="keys", help="Make and rotate keys, one-time codes and analysts' tokens.")
app.command(keys)

ConfigFile = Annotated[
    Path | None, Parameter(name="--config", help="A TOML file with settings; the options here come first.")
]
Data = Annotated[
    Path | None, Parameter(name="--data", help="The folder for keys and the store [hushwatt-data].")
]
Store = Annotated[
    str | None,
    Parameter(name="--store", help="A PostgreSQL address, postgresql://…; without it a file in the folder."),
]
PlanName = Annotated[
    str | None,
    Parameter(name="--plan", help="Which plan, by its file or the start of its id, if there are several."),
]
DAY = 86400


@app.command
def serve(
    *,
    plan: Annotated[list[Path] | None, Parameter(name="--plan", negative=())] = None,
    data: Data = None,
    store: Store = None,
    host: str | None = None,
    port: int | None = None,
    config: ConfigFile = None,
    enrolment: Literal["auto", "codes", "open"] | None = None,
    access: Literal["auto", "token", "open"] | None = None,
    grace: str | None = None,
    tls_certificate: Path | None = None,
    tls_key: Path | None = None,
) -> None:
    """Collect reports under one or more plans, and answer analysts.

    Needs nothing else: the first start makes the folder, the keys and the store. On this machine alone
    everyone may enrol and look; as soon as others can reach it, homes need codes and analysts tokens.

    Parameters
    ----------
    plan
        A plan's file; give it again for more plans. Plans collected before go on.
    host
        The address to listen on [127.0.0.1].
    port
        The port to listen on [8040].
    enrolment
        Whether homes need a one-time code.
    access
        Whether analysts need a token.
    grace
        How long after its end a slot takes reports, such as 2h; a slot's length unless given.
    tls_certificate
        The certificate (PEM) for https.
    tls_key
        Its key (PEM).
    """
    from hushwatt.provider.config import read_config
    from hushwatt.provider.serve import serve as run

    settings = read_config(
        config,
        plan=_texts(plan),
        data=_text(data),
        store=store,
        host=host,
        port=port,
        enrolment=enrolment,
        access=access,
        grace=grace,
        tls_certificate=_text(tls_certificate),
        tls_key=_text(tls_key),
    )
    run(settings, _say)


@keys.command
def show(*, data: Data = None, store: Store = None, config: ConfigFile = None, as_json: Json = False) -> None:
    """Show the provider's public key, which homes pin, and the analysts' tokens by name."""
    import json

    from hushwatt.provider.keys import open_keys
    from hushwatt.provider.store.access import tokens

    settings = _settings(config, data, store)
    provider, database = open_keys(settings.folder), _opened(settings)
    with database.reading() as session:
        names = [label for label, _, _ in tokens(session)]
    database.close()
    if as_json:
        history = [vars(each) for each in provider.history]
        print(json.dumps({"key": provider.public.hex(), "history": history, "tokens": names}))
    else:
        print(f"key     {provider.public.hex()}")
        print(f"tokens  {', '.join(names) or 'none'}")


@keys.command
def rotate(*, data: Data = None, config: ConfigFile = None) -> None:
    """Make a new key for the provider; the old one vouches for it. Restart the service afterwards."""
    from hushwatt.provider.keys import rotate_keys

    print(rotate_keys(_settings(config, data, None).folder).public.hex())


@keys.command
def code(
    *,
    count: Annotated[int, Parameter(name=["--count", "-n"])] = 1,
    homes: int = 1,
    days: int = 30,
    plan: PlanName = None,
    data: Data = None,
    store: Store = None,
    config: ConfigFile = None,
) -> None:
    """Make one-time codes by which homes join, one on each line.

    Parameters
    ----------
    count
        How many codes.
    homes
        Homes that each code is good for; above 1 it is a gateway's.
    days
        How long the codes are good.
    """
    import time

    from hushwatt.errors import UsageError
    from hushwatt.provider.store.access import add_codes

    if count < 1 or days < 1:
        raise UsageError("--count and --days must be at least 1")
    now, database = int(time.time()), _opened(_settings(config, data, store))
    with database.writing() as session:
        codes = add_codes(session, _plan_number(session, plan), count, homes, now, now + days * DAY)
    database.close()
    print("\n".join(codes))


@keys.command
def token(
    name: str,
    /,
    *,
    days: int = 365,
    revoke: bool = False,
    data: Data = None,
    store: Store = None,
    config: ConfigFile = None,
) -> None:
    """Make a token for the analyst called NAME; an older one of that name stops working.

    Parameters
    ----------
    name
        Whose token.
    days
        How long it is good.
    revoke
        Only take the older one away.
    """
    import time

    from hushwatt.errors import UsageError
    from hushwatt.provider.store.access import add_token, remove_token

    if days < 1:
        raise UsageError("--days must be at least 1")
    now, database = int(time.time()), _opened(_settings(config, data, store))
    with database.writing() as session:
        if revoke:
            remove_token(session, name)
        else:
            print(add_token(session, name, now, now + days * DAY))
    database.close()


@app.command
def backup(file: Path, /, *, data: Data = None, config: ConfigFile = None) -> None:
    """Write a whole, checked copy of the embedded store to FILE, while the service runs.

    The key is not in it: keep a copy of provider.key elsewhere.

    Parameters
    ----------
    file
        Where to write; an older file of that name is replaced.
    """
    database = _opened(_settings(config, data, None))
    database.backup(file)
    database.close()
    _say(f"wrote {file}")


@app.command
def restore(file: Path, /, *, data: Data = None, config: ConfigFile = None) -> None:
    """Put the backup FILE into a folder that has no store.

    Parameters
    ----------
    file
        The backup.
    """
    from hushwatt.provider.serve import make_folder
    from hushwatt.provider.store.sqlite import restore as put_back

    settings = _settings(config, data, None)
    make_folder(settings.folder)
    put_back(file, Path(settings.store_address))
    _say(f"restored {settings.store_address}")


@app.command
def export(
    output: Path,
    /,
    *,
    plan: PlanName = None,
    start: Annotated[str | None, Parameter(name="--from")] = None,
    end: Annotated[str | None, Parameter(name="--to")] = None,
    consistency: Literal["norm-sub", "none"] = "norm-sub",
    smooth: bool = False,
    data: Data = None,
    store: Store = None,
    config: ConfigFile = None,
) -> None:
    """Write the estimates of all published slots to OUTPUT: .csv, .parquet or .json.

    Parameters
    ----------
    output
        Where to write; an older file of that name is replaced.
    start
        The first slot, by a date or time in it; local to the plan unless it has an offset.
    end
        The last slot, likewise; a date includes the whole day.
    consistency
        Whether histograms are shown without negative counts (norm-sub), or as estimated (none).
    smooth
        Let every slot learn from the slots before it.
    """
    from hushwatt.provider.export import export as write
    from hushwatt.provider.service import open_read
    from hushwatt.provider.span import span

    settings = _settings(config, data, store)
    database = _opened(settings)
    read = open_read(settings, database)
    with database.reading() as session:
        agreed = read.plan_of(_plan_number(session, plan))
    first, last = span(agreed, start, end)
    found = read.estimates(agreed, first, last, consistency, smooth)
    write(found, output)
    database.close()
    _say(f"wrote {output}")


def _settings(config: Path | None, data: Path | None, store: str | None) -> "Config":
    from hushwatt.provider.config import read_config

    return read_config(config, data=_text(data), store=store)


def _opened(settings: "Config") -> "Database":
    """The store, which must be there."""
    from hushwatt.errors import UsageError
    from hushwatt.provider.store import open_store

    if not settings.store and not Path(settings.store_address).is_file():
        raise UsageError(f"there is no store in {settings.data}; `hushwatt provider serve` makes one")
    return open_store(settings.store_address)


def _plan_number(session: "Session", word: str | None) -> int:
    """The plan that was meant, by its number in the store."""
    from hushwatt.errors import UsageError
    from hushwatt.plan.plan import Plan
    from hushwatt.provider.store.plans import all_plans

    wanted = Plan.load(word).id if word and Path(word).is_file() else word or ""
    found = [number for number, plan in all_plans(session).items() if plan.id.startswith(wanted)]
    if len(found) != 1:
        raise UsageError(
            "no such plan is collected here" if not found else f"{len(found)} plans fit; name one with --plan"
        )
    return found[0]


def _texts(paths: list[Path] | None) -> list[str] | None:
    return None if paths is None else [str(path) for path in paths]


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
