"""`hushwatt provider serve`: the service itself."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from hushwatt.cli.provider.store_options import ConfigFile, Data, Store, text
from hushwatt.cli.terminal import say


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
        plan=None if plan is None else [str(path) for path in plan],
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
