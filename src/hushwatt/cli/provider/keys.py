"""`hushwatt provider keys`: the provider's key, one-time codes for homes, tokens for analysts."""

import json
import time
from contextlib import closing
from typing import Annotated, Literal

from cyclopts import App, Parameter

from hushwatt.cli.options import Json
from hushwatt.cli.provider.store_options import (
    USUAL_FOLDER,
    USUAL_STORE,
    FolderOptions,
    PlanName,
    StoreOptions,
    open_existing_store,
    plan_number,
)
from hushwatt.errors import UsageError

app = App(name="keys", help="Make and rotate keys, one-time codes and analysts' tokens.")

DAY = 86400


@app.command
def show(*, where: StoreOptions = USUAL_STORE, as_json: Json = False) -> None:
    """Show the provider's public key, which homes pin, and the analysts' tokens by name."""
    from hushwatt.provider.service.keys import open_keys
    from hushwatt.provider.store.access_tokens import tokens

    settings = where.settings()
    provider = open_keys(settings.folder)
    with closing(open_existing_store(settings)) as database, database.reading() as session:
        access_tokens = tokens(session)
    if as_json:
        history = [vars(each) for each in provider.history]
        document = {"key": provider.public.hex(), "history": history}
        roles = {each.label: each.role for each in access_tokens}
        print(json.dumps(document | {"tokens": [each.label for each in access_tokens], "roles": roles}))
    else:
        print(f"key     {provider.public.hex()}")
        print(f"tokens  {', '.join(f'{each.label} ({each.role})' for each in access_tokens) or 'none'}")


@app.command
def rotate(*, where: FolderOptions = USUAL_FOLDER) -> None:
    """Make a new key for the provider; the old one vouches for it. Restart the service afterwards."""
    from hushwatt.provider.service.keys import rotate_keys

    print(rotate_keys(where.settings().folder).public.hex())


@app.command
def code(
    *,
    count: Annotated[int, Parameter(name=["--count", "-n"])] = 1,
    homes: int = 1,
    days: int = 30,
    label: Annotated[list[str] | None, Parameter(negative=())] = None,
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
    label
        What you know of these homes anyway, as tariff=A; repeat it for more. Answers can be split by it, and a
        home sees it before it joins.
    """
    from hushwatt.provider.store.enrolment_codes import add_codes
    from hushwatt.wire.labels import Labels

    if count < 1 or days < 1:
        raise UsageError("--count and --days must be at least 1")
    labels, now = Labels.written(label or []), int(time.time())
    with closing(open_existing_store(where.settings())) as database, database.writing() as session:
        codes = add_codes(session, plan_number(session, plan), count, homes, now, now + days * DAY, labels)
    print("\n".join(codes))


@app.command
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
    from hushwatt.provider.store.access_tokens import add_token, remove_token

    if days < 1:
        raise UsageError("--days must be at least 1")
    now = int(time.time())
    with closing(open_existing_store(where.settings())) as database, database.writing() as session:
        if revoke:
            remove_token(session, name)
        else:
            print(add_token(session, name, now, now + days * DAY, role))
