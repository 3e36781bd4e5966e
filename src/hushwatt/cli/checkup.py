"""What hushwatt needs from a machine, one check a function.

A check looks, and says what it found.  It changes nothing but one small file
in the folder it is asked about, which it takes away again.
"""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from zoneinfo import TZPATH, ZoneInfo, ZoneInfoNotFoundError

import hushwatt
from hushwatt.cli.extras import extras, installed
from hushwatt.files import written

OLDEST_PYTHON = (3, 11)
WAL_RESET_MENDED = {(3, 44): 6, (3, 50): 7, (3, 51): 3}  # from this patch on; all later releases are mended
LAST_YEAR = 2100
SYNCS = 5
IN_MEMORY = {"tmpfs", "ramfs"}


@dataclass(frozen=True)
class Check:
    """One thing looked at: whether it is well, and whether hushwatt needs it to be."""

    name: str
    well: bool
    essential: bool
    found: str


def checkup(folder: Path) -> list[Check]:
    """Look at this machine, with `folder` as the place where state would be kept."""
    return [
        check_python(),
        *(check_package(name) for name in ("numpy", "cryptography")),
        check_sqlite(),
        check_entropy(),
        check_time_zones(),
        check_clock(datetime.now(UTC)),
        check_disk(folder),
        *(check_extra(name, packages) for name, packages in extras().items()),
    ]


def check_python(version: tuple[int, ...] = sys.version_info[:3]) -> Check:
    """Whether Python is new enough."""
    well = version[:2] >= OLDEST_PYTHON
    return Check("python", well, True, _dotted(version) + ("" if well else ", 3.11 or newer is needed"))


def check_package(name: str) -> Check:
    """Whether a package that the household cannot do without loads."""
    try:
        module = __import__(name)
    except ImportError as error:
        return Check(name, False, True, f"does not load: {error}")
    return Check(name, True, True, str(module.__version__))


def check_sqlite() -> Check:
    """Whether the SQLite that keeps ledgers and reports can lose them in a checkpoint."""
    try:
        import apsw
    except ImportError as error:
        return Check("sqlite", False, True, f"apsw does not load: {error}")
    version = apsw.sqlite_lib_version()
    well = mended(tuple(int(part) for part in version.split(".")))
    verdict = "free of the WAL-reset bug" if well else "has the WAL-reset bug: pip install -U apsw"
    return Check("sqlite", well, True, f"{version}, {verdict}")


def mended(version: tuple[int, ...]) -> bool:
    """Whether this SQLite is free of the bug by which a WAL reset corrupts the database.

    It came with 3.7.0 and went with 3.51.3; 3.50.7 and 3.44.6 were mended too.

    >>> mended((3, 40, 1)), mended((3, 44, 6)), mended((3, 51, 2)), mended((3, 54, 1))
    (False, True, False, True)
    """
    branch, patch = version[:2], version[2] if len(version) > 2 else 0
    if branch > max(WAL_RESET_MENDED):
        return True
    return patch >= WAL_RESET_MENDED[branch] if branch in WAL_RESET_MENDED else branch < (3, 7)


def ask_at_once() -> bytes:
    """Ask the system for randomness, without waiting where it would have to gather some first."""
    return os.getrandom(32, os.GRND_NONBLOCK) if hasattr(os, "getrandom") else os.urandom(32)


def check_entropy(ask: Callable[[], bytes] = ask_at_once) -> Check:
    """Whether the system's randomness is ready: right after the first start it may not be."""
    try:
        ask()
    except BlockingIOError:
        return Check("entropy", False, True, "the system's source is not seeded yet: wait a little")
    return Check("entropy", True, True, "the system's source, seeded")


def check_time_zones(zone: str = "Europe/Berlin") -> Check:
    """Whether local days can be told, which plans with whole-day slots need."""
    try:
        ZoneInfo.no_cache(zone)
    except ZoneInfoNotFoundError:
        return Check("time zones", False, True, "no time zone data: pip install tzdata")
    places = [place for place in TZPATH if Path(place, zone).is_file()]
    return Check("time zones", True, True, places[0] if places else f"tzdata {installed('tzdata')}")


def check_clock(now: datetime, earliest: datetime | None = None) -> Check:
    """Whether the clock can be right: not before hushwatt was installed, not in another century."""
    earliest = earliest or _installed_at()
    found = now.isoformat(timespec="seconds")
    if now < earliest:
        return Check("clock", False, True, f"{found} is before hushwatt was installed, {earliest:%Y-%m-%d}")
    return Check("clock", now.year < LAST_YEAR, True, found)


def check_disk(folder: Path) -> Check:
    """Whether `folder` keeps what it is given, and how long it takes to be sure."""
    if not folder.is_dir():
        return Check("disk", False, True, f"there is no folder {folder}")
    probe = folder / f".hushwatt-doctor-{os.getpid()}"
    try:
        times = [_timed_write(probe) for _ in range(SYNCS)]
        probe.unlink()
    except OSError as error:
        return Check("disk", False, True, f"cannot write in {folder}: {error.strerror}")
    kind = filesystem(folder)
    found = f"{kind}, {median(times) * 1000:.2f} ms to write durably"
    if kind in IN_MEMORY:
        return Check("disk", False, False, f"{found}, but lost when the machine stops")
    return Check("disk", True, True, found)


def check_extra(name: str, packages: tuple[str, ...]) -> Check:
    """Which packages of an extra are here; none of them is essential."""
    versions = {package: installed(package) for package in packages}
    missing = [package for package, version in versions.items() if version is None]
    if missing:
        return Check(f"[{name}]", False, False, f"pip install 'hushwatt[{name}]' adds {', '.join(missing)}")
    return Check(
        f"[{name}]", True, False, ", ".join(f"{package} {versions[package]}" for package in packages)
    )


def filesystem(folder: Path, mounts: Path = Path("/proc/self/mounts")) -> str:
    """Give the kind of file system that holds `folder`, or "unknown file system"."""
    place, best, kind = folder.resolve(), -1, "unknown file system"
    lines = mounts.read_text(errors="replace").splitlines() if mounts.is_file() else []
    for line in lines:
        _, at, its_kind, *_ = line.split()
        mount = Path(at.replace("\\040", " "))
        if place.is_relative_to(mount) and len(mount.parts) >= best:
            best, kind = len(mount.parts), its_kind
    return kind


def _timed_write(path: Path) -> float:
    """Write through the door that results take, and give the seconds it took."""
    began = time.perf_counter()
    with written(path) as temporary:
        temporary.write_bytes(bytes(4096))
    return time.perf_counter() - began


def _installed_at() -> datetime:
    return datetime.fromtimestamp(Path(hushwatt.__file__).stat().st_mtime, UTC)


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(str(part) for part in version)
