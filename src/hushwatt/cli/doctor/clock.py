"""Is the clock right?  By what the system knows of it, or by a provider's.

A clock that is wrong costs a home whole windows, and makes a provider refuse its uploads.
"""

import ctypes
import os
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

import hushwatt
from hushwatt.cli.doctor.check import Check
from hushwatt.errors import HushwattError

LAST_YEAR = 2100
UNSYNCHRONISED = 5  # what adjtimex answers when nobody keeps the clock in step
MAX_SKEW_SECONDS = 60.0  # seconds between this clock and a provider's


def check_clock(
    now: datetime | None = None, earliest: datetime | None = None, state: Callable[[], int | None] | None = None
) -> Check:
    """Whether the clock can be right: not before hushwatt was made, not in another century, kept in step."""
    now, earliest = now or datetime.now(UTC), earliest or _made_at()
    shown = f"{now:%Y-%m-%d %H:%M:%S} UTC"
    if now < earliest:
        return Check("clock", False, True, f"{shown} is before this hushwatt was made, {earliest:%Y-%m-%d}")
    if now.year >= LAST_YEAR:
        return Check("clock", False, True, f"{shown} is too far ahead")
    kept = (state or kernel_state)()
    if kept is None:
        return Check("clock", True, True, f"{shown}, which --provider ADDRESS compares with a provider's")
    if kept == UNSYNCHRONISED:
        return Check("clock", False, False, f"{shown}, not kept right by a time service, as far as is known")
    return Check("clock", True, True, f"{shown}, kept right by the system")


def check_clock_against(provider: str) -> Check:
    """Whether the clock agrees with a provider's."""
    from hushwatt.household.upload.http import check_address, connect

    try:
        before = datetime.now(UTC)
        with closing(connect(check_address(provider))) as session:
            answer = session.ask("GET", "/healthz")
        after = datetime.now(UTC)
        theirs = parsedate_to_datetime(answer.headers["date"])
    except (HushwattError, KeyError, ValueError) as wrong:
        reason = wrong if isinstance(wrong, HushwattError) else f"{provider} does not tell the time"
        return Check("clock", False, True, f"cannot be compared: {reason}")
    return check_skew(before, after, theirs)


def check_skew(before: datetime, after: datetime, theirs: datetime) -> Check:
    """Judge a provider's time, told in whole seconds, by the moments before and after asking.

    >>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    >>> check_skew(noon, noon, noon.replace(minute=5)).found
    "2026-01-01 12:00:00 UTC, 300 s behind the provider's"
    """
    shown = f"{before:%Y-%m-%d %H:%M:%S} UTC"
    ahead = (before - theirs).total_seconds() - 1.0
    behind = (theirs - after).total_seconds()
    away = max(ahead, behind, 0.0)
    if away < 1:
        return Check("clock", True, True, f"{shown}, as the provider's")
    which = "ahead of" if ahead > behind else "behind"
    return Check("clock", away <= MAX_SKEW_SECONDS, True, f"{shown}, {away:.0f} s {which} the provider's")


class Timex(ctypes.Structure):
    """The start of what adjtimex fills in, and room for the rest of it."""

    _fields_ = (("modes", ctypes.c_uint), ("rest", ctypes.c_long * 64))


def kernel_state() -> int | None:
    """Whether Linux knows its clock to be kept in step; None where it cannot be asked."""
    try:
        asked = ctypes.CDLL(None, use_errno=True).adjtimex
    except (AttributeError, OSError, TypeError):
        return None
    state = int(asked(ctypes.byref(Timex())))
    return None if state < 0 else state


def _made_at() -> datetime:
    """When this hushwatt was installed, or built where that is not known."""
    return datetime.fromtimestamp(Path(os.path.realpath(hushwatt.__file__)).stat().st_mtime, UTC)
