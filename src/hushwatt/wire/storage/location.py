"""What a person typed becomes a place: a path of this machine, or the address of an object."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from os import PathLike, fspath
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from hushwatt.errors import UsageError
from hushwatt.wire.storage.object_path import ObjectPath

Location = Path | ObjectPath

ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
SCHEMES = {"s3": "s3", "s3a": "s3", "gs": "gs", "gcs": "gs", "hdfs": "hdfs"}
SETTINGS = {
    "s3": ("endpoint_override", "region", "scheme"),
    "gs": ("endpoint_override", "scheme", "retry_limit_seconds"),
    "hdfs": ("user", "replication", "kerb_ticket"),
}
KEYS_ELSEWHERE = "keys do not belong in an address, which others can see; give them by the environment or a profile"


def in_full(where: object) -> str:
    """One name for a place, however it was typed."""
    return str(where if is_address(where) else Path(str(where)).resolve()).rstrip("/")


def check_output(destination: Location, source: object) -> None:
    """Refuse to write over what is read."""
    if in_full(destination) == in_full(source):
        raise UsageError(f"{destination} is what is read, and would be gone: write to another file")


def is_address(where: object) -> bool:
    """Is this the address of something in a store, not a path?

    >>> is_address("s3://meters/2024"), is_address("reports/2024")
    (True, False)
    """
    return isinstance(where, ObjectPath) or (isinstance(where, str) and bool(ADDRESS.match(where)))


def location(where: "str | PathLike[str] | ObjectPath") -> Location:
    """The place that a path or an address means.

    >>> location("s3://meters/2024/a.parquet?region=eu-central-1")
    ObjectPath('s3://meters/2024/a.parquet')
    >>> location("reports").name
    'reports'
    """
    if isinstance(where, ObjectPath):
        return where
    text = fspath(where)
    scheme, found = "", ADDRESS.match(text)
    if found:
        scheme = found[1].lower()
    if scheme == "file":
        return Path(unquote(urlsplit(text).path))
    return _object(text, scheme, text[found.end() :]) if found else Path(where)


def absence(where: Location) -> str:
    """The words for a place where nothing is."""
    if isinstance(where, ObjectPath):
        where.check_store()
    return "there is no such file or folder"


def inside(folder: Location) -> list[PurePath]:
    """The names of the files below a folder, as seen from it."""
    if isinstance(folder, ObjectPath):
        return [file.relative_to(folder) for file in folder.rglob("*")]
    return [file.relative_to(folder) for file in _files_below(folder)]


def _files_below(folder: Path, above: frozenset[tuple[int, int]] = frozenset()) -> Iterator[Path]:
    """Every file in it or deeper; links to folders are followed, unless one lies in what it leads to."""
    about = folder.stat()
    here = (about.st_dev, about.st_ino)
    if here in above:
        return
    with suppress(PermissionError):
        for path in folder.iterdir():
            if path.is_dir():
                yield from _files_below(path, above | {here})
            else:
                yield path


def opener(where: Location) -> Callable[[], Any]:
    """What gives pyarrow this file: its path, or the object opened."""
    return (lambda: where.open("rb")) if isinstance(where, ObjectPath) else (lambda: where)


def _object(text: str, scheme: str, rest: str) -> ObjectPath:
    if scheme not in SCHEMES:
        raise UsageError(f"{scheme}:// is not read here; s3://, gs:// and hdfs:// are")
    kind = SCHEMES[scheme]
    place, _, query = rest.partition("?")
    store, _, key = place.partition("/")
    if not store and kind != "hdfs":
        raise UsageError(f"{scheme}:// names no bucket; an address is {scheme}://bucket/name")
    shown = f"{kind}://{store.rpartition('@')[2]}/{key}"
    _refuse_keys(kind, store, shown)
    settings = dict(parse_qsl(query, keep_blank_values=True, separator="&"))
    for name in settings:
        if name not in SETTINGS[kind]:
            known = ", ".join(SETTINGS[kind])
            what = KEYS_ELSEWHERE if "key" in name or "token" in name else f"after ? there may be {known}"
            raise UsageError(f"{shown}: {what}")
    parts = [part for part in key.split("/") if part]
    if any(part in (".", "..") for part in parts):
        raise UsageError(f"{shown}: no . or .. may be in an address")
    return ObjectPath(kind, store, "/".join(parts), tuple(sorted(settings.items())))


def _refuse_keys(kind: str, store: str, shown: str) -> None:
    owner, at, _ = store.rpartition("@")
    if at and (kind == "s3" or ":" in owner or (kind == "gs" and owner != "anonymous")):
        raise UsageError(f"{shown}: {KEYS_ELSEWHERE}")
