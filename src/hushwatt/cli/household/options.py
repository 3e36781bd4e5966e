"""Options of the commands at home, and what these share: folder, key, consent, lines to the owner."""

import os
import sys
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from hushwatt.errors import UsageError
from hushwatt.sanitise import sanitised

if TYPE_CHECKING:
    from hushwatt.household.home_folder import HomeFolder

FolderOption = Annotated[
    Path | None,
    Parameter(name="--folder", help="The home's folder [$HUSHWATT_HOME, or ~/.hushwatt]; one home, one ledger."),
]
PlanName = Annotated[
    str | None, Parameter(name="--plan", help="Which plan, by the start of its id, if there are several.")
]

TABLE_ROWS = 4096  # of a Parquet table, read together


def plan_in(url: str) -> str | None:
    """The plan's id, when the address is that of a plan."""
    tail = url.rstrip("/").rpartition("/plans/")[2]
    return tail if "/plans/" in url and tail else None


def open_folder(folder: Path | None) -> "HomeFolder":
    """The home's folder; what is written from now on is for its owner alone."""
    from hushwatt.household.home_folder import HomeFolder

    os.umask(0o077)
    return HomeFolder.usual(folder)


def known_key(here: "HomeFolder", address: str) -> bytes | None:
    """The key that this home has for a provider already."""
    from hushwatt.household.join import pinned_key

    if not here.ledger.is_file():
        return None
    with here.store() as store:
        return pinned_key(store, address)


def key_in(text: str | None) -> bytes | None:
    """The key that an option names."""
    if text is None:
        return None
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != 32:
        raise UsageError("--key must be 32 bytes in hex")
    return key


def confirms(question: str, nobody: str) -> bool:
    """Whether whoever sits at the terminal says yes to a question."""
    if not sys.stdin.isatty():
        raise UsageError(f"{nobody}; run it in a terminal, or with --yes")
    print(f"\n{question} Type yes: ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() == "yes"


def page_place(host: str, port: int, guest: str | None) -> tuple[str, int]:
    """Where the page is served, if such a place can be."""
    if "/" in host or host.count(":") == 1 or not host.strip():
        raise UsageError(f"--page-host {sanitised(host, 100)}: write an address alone, such as 127.0.0.1")
    if not 0 <= port <= 65_535:
        raise UsageError(f"--page-port {port}: a port is a number from 0 to 65535")
    try:
        if guest is not None:
            ip_address(guest)
    except ValueError:
        raise UsageError(f"--page-guest {sanitised(guest, 100)}: write an IP address, such as 172.30.32.2") from None
    return host, port


def parquet_rows(path: Path) -> Iterator[dict[str, object] | None]:
    """The rows of a Parquet file; needs pyarrow, which the household's install does not bring."""
    from pyarrow import ArrowException

    from hushwatt.errors import ReadingsError
    from hushwatt.wire.reports.bounded_parquet import BoundedParquet
    from hushwatt.wire.reports.parquet_bounds import UnsafeParquet

    try:
        file = BoundedParquet(path)
        for batch in file.batches(file.schema.names, TABLE_ROWS):
            for row in range(batch.num_rows):  # one by one: a long text that a dictionary repeats is there once
                yield {name: batch.column(name)[row].as_py() for name in file.schema.names}
    except UnsafeParquet as unfit:
        raise ReadingsError(f"{path.name}: {unfit}") from None
    except ArrowException:
        raise ReadingsError(f"{path.name}: not a Parquet file, or not a complete one") from None


def say(line: str) -> None:
    """Tell the owner something, on a line that nobody else can break."""
    print(f"hushwatt: {sanitised(line, 2_000)}", file=sys.stderr, flush=True)
