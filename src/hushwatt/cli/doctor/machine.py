"""What hushwatt needs from a machine, one check a function.

A check looks, and says what it found.  It changes nothing but one small file
in the folder it is asked about, which it takes away again.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from zoneinfo import TZPATH, ZoneInfo, ZoneInfoNotFoundError

from hushwatt.cli.doctor.check import Check
from hushwatt.cli.doctor.clock import check_clock, check_clock_against
from hushwatt.cli.doctor.disk import check_disk
from hushwatt.cli.doctor.home import check_home
from hushwatt.cli.doctor.installed_extras import check_extras
from hushwatt.cli.extras import base, installed

MIN_PYTHON = (3, 11)
WAL_RESET_FIXED = {(3, 44): 6, (3, 50): 7, (3, 51): 3}  # from this patch on; all later releases are mended


def run_checks(folder: Path, provider: str | None = None) -> list[Check]:
    """Look at this machine, with `folder` as the place where state would be kept."""
    return [
        check_python(),
        check_packages(base()),
        check_sqlite(),
        check_entropy(),
        check_time_zones(),
        check_clock() if provider is None else check_clock_against(provider),
        check_disk(folder),
        *check_home(folder),
        *check_extras(),
    ]


def check_python(version: tuple[int, ...] = sys.version_info[:3]) -> Check:
    """Whether Python is new enough."""
    well = version[:2] >= MIN_PYTHON
    shown = ".".join(str(part) for part in version)
    return Check("python", well, True, shown + ("" if well else ", 3.11 or newer is needed"))


def check_packages(packages: tuple[str, ...]) -> Check:
    """Whether the packages that the household cannot do without are here, and the compiled ones load."""
    missing = [package for package in packages if installed(package) is None]
    if missing:
        return Check("packages", False, True, f"pip install --upgrade hushwatt brings {', '.join(missing)}")
    for name in ("numpy", "cryptography"):
        try:
            __import__(name)
        except ImportError as error:
            return Check("packages", False, True, f"{name} does not load: {error}")
    return Check("packages", True, True, f"numpy {installed('numpy')} and {len(packages) - 1} others")


def check_sqlite() -> Check:
    """Whether the SQLite that keeps ledgers and reports can lose them in a checkpoint."""
    try:
        import apsw
    except ImportError as error:
        return Check("sqlite", False, True, f"apsw does not load: {error}")
    version = apsw.sqlite_lib_version()
    well = has_wal_reset_fix(tuple(int(part) for part in version.split(".")))
    verdict = "loses nothing in a checkpoint" if well else "can lose data in a checkpoint: pip install -U apsw"
    return Check("sqlite", well, True, f"{version}, {verdict}")


def has_wal_reset_fix(version: tuple[int, ...]) -> bool:
    """Whether this SQLite is free of the bug by which a WAL reset corrupts the database.

    It came with 3.7.0 and went with 3.51.3; 3.50.7 and 3.44.6 were mended too.

    >>> [has_wal_reset_fix(version) for version in [(3, 40, 1), (3, 44, 6), (3, 51, 2), (3, 54, 1)]]
    [False, True, False, True]
    """
    branch, patch = version[:2], version[2] if len(version) > 2 else 0
    if branch > max(WAL_RESET_FIXED):
        return True
    return patch >= WAL_RESET_FIXED[branch] if branch in WAL_RESET_FIXED else branch < (3, 7)


def getrandom_nonblocking() -> bytes:
    """Ask the system for randomness, without waiting where it would have to gather some first."""
    return os.getrandom(32, os.GRND_NONBLOCK) if hasattr(os, "getrandom") else os.urandom(32)


def check_entropy(ask: Callable[[], bytes] = getrandom_nonblocking) -> Check:
    """Whether the system's randomness is ready: right after the first start it may not be."""
    try:
        ask()
    except BlockingIOError:
        return Check("randomness", False, True, "the system's source is not ready yet: wait a little")
    return Check("randomness", True, True, "the system's source is ready")


def check_time_zones(zone: str = "Europe/Berlin") -> Check:
    """Whether local days can be told, which plans with whole-day slots need."""
    try:
        ZoneInfo.no_cache(zone)
    except ZoneInfoNotFoundError:
        return Check("time zones", False, True, "no time zone data: pip install tzdata")
    folders = [folder for folder in TZPATH if Path(folder, zone).is_file()]
    return Check("time zones", True, True, folders[0] if folders else f"tzdata {installed('tzdata')}")
