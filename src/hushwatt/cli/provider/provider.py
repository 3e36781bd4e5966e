"""`hushwatt provider`: collect reports from homes, keep them safe, and give out estimates."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from hushwatt.cli.options import Json
from hushwatt.cli.provider.deliveries import deliveries
from hushwatt.cli.provider.import_export import erase, export, ingest
from hushwatt.cli.provider.store_options import (
    USUAL_FOLDER,
    USUAL_STORE,
    ConfigFile,
    Data,
    FolderOptions,
    PlanName,
    Store,
    StoreOptions,
    open_existing_store,
    plan_number,
    say,
    text,
    texts,
)

app = App(name="provider", help="Collect reports from homes, keep them safe, and give out estimates.")
keys = App(name="keys", help="Make and rotate keys, one-time codes and analysts' tokens.")
app.command(keys)
for command in (ingest, deliveries, export, erase):
    app.command(command)

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
    from hushwatt.provider.serve import serve as run
    from hushwatt.provider.service.config import read_config

    settings = read_config(
        config,
        plan=texts(plan),
        data=text(data),
        store=store,
        host=host,
        port=port,
        enrolment=enrolment,
        access=access,
        grace=grace,
        tls_certificate=text(tls_certificate),
        tls_key=text(tls_key),
    )
    run(settings, say)


@keys.command
def show(*, where: StoreOptions = USUAL_STORE, as_json: Json = False) -> None:
    """Show the provider's public key, which homes pin, and the analysts' tokens by name."""
    import json

    from hushwatt.provider.service.keys import open_keys
    from hushwatt.provider.store.access import tokens

    settings = where.settings()
    provider, database = open_keys(settings.folder), open_existing_store(settings)
    with database.reading() as session:
        access_tokens = tokens(session)
    database.close()
    if as_json:
        history = [vars(each) for each in provider.history]
        document = {"key": provider.public.hex(), "history": history}
        roles = {each.label: each.role for each in access_tokens}
        print(json.dumps(document | {"tokens": [each.label for each in access_tokens], "roles": roles}))
    else:
        print(f"key     {provider.public.hex()}")
        print(f"tokens  {', '.join(f'{each.label} ({each.role})' for each in access_tokens) or 'none'}")


@keys.command
def rotate(*, where: FolderOptions = USUAL_FOLDER) -> None:
    """Make a new key for the provider; the old one vouches for it. Restart the service afterwards."""
    from hushwatt.provider.service.keys import rotate_keys

    print(rotate_keys(where.settings().folder).public.hex())


@keys.command
def code(
    *,
    count: Annotated[int, Parameter(name=["--count", "-n"])] = 1,
    homes: int = 1,
    days: int = 30,
    plan: PlanName = None,
    where: StoreOptions = USUAL_STORE,
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
    now, database = int(time.time()), open_existing_store(where.settings())
    with database.writing() as session:
        codes = add_codes(session, plan_number(session, plan), count, homes, now, now + days * DAY)
    database.close()
    print("\n".join(codes))


@keys.command
def token(
    name: str,
    /,
    *,
    days: int = 365,
    role: Literal["read", "operate"] = "read",
    revoke: bool = False,
    where: StoreOptions = USUAL_STORE,
) -> None:
    """Make a token for the analyst called NAME; an older one of that name stops working, with its logins.

    Parameters
    ----------
    name
        Whose token.
    days
        How long it is good.
    role
        What its holder may do: look (read), or also publish by hand, which cannot be undone (operate).
    revoke
        Only take the older one away.
    """
    import time

    from hushwatt.errors import UsageError
    from hushwatt.provider.store.access import add_token, remove_token

    if days < 1:
        raise UsageError("--days must be at least 1")
    now, database = int(time.time()), open_existing_store(where.settings())
    with database.writing() as session:
        if revoke:
            remove_token(session, name)
        else:
            print(add_token(session, name, now, now + days * DAY, role))
    database.close()


@app.command
def backup(file: Path, /, *, where: FolderOptions = USUAL_FOLDER) -> None:
    """Write a whole, checked copy of the embedded store to FILE, while the service runs.

    The key is not in it: keep a copy of provider.key elsewhere.

    Parameters
    ----------
    file
        Where to write; an older file of that name is replaced.
    """
    database = open_existing_store(where.settings())
    database.backup(file)
    database.close()
    say(f"wrote {file}")


@app.command
def restore(file: Path, /, *, where: FolderOptions = USUAL_FOLDER) -> None:
    """Put the backup FILE into a folder that has no store.

    Parameters
    ----------
    file
        The backup.
    """
    from hushwatt.provider.service.folder import make_folder
    from hushwatt.provider.store.backup import restore as put_back

    settings = where.settings()
    make_folder(settings.folder)
    put_back(file, Path(settings.store_address))
    say(f"restored {settings.store_address}")
