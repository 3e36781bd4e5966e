"""Which optional parts hushwatt has, as its own package says, and what of them is installed."""

import re
from importlib import metadata

from hushwatt.errors import UsageError

NAME = re.compile(r"^[A-Za-z0-9._-]+")
EXTRA = re.compile(r"^([A-Za-z0-9._-]+).*\bextra\s*==\s*['\"]([^'\"]+)['\"]")


def extras() -> dict[str, tuple[str, ...]]:
    """Give the packages that each extra adds, the smallest extra first.

    >>> "pyarrow" in extras()["provider"]
    True
    """
    packages: dict[str, tuple[str, ...]] = {}
    for requirement in metadata.requires("hushwatt") or ():
        if match := EXTRA.match(requirement):
            packages[match[2]] = (*packages.get(match[2], ()), match[1])
    return dict(sorted(packages.items(), key=lambda extra: len(extra[1])))


def base() -> tuple[str, ...]:
    """Give the packages that every install needs.

    >>> "numpy" in base(), "pyarrow" in base()
    (True, False)
    """
    lines = [line for line in metadata.requires("hushwatt") or () if not EXTRA.match(line)]
    return tuple(match[0] for line in lines if (match := NAME.match(line)))


def need(extra: str) -> None:
    """Refuse work that could not be finished without an extra, before it begins."""
    missing = [package for package in extras()[extra] if installed(package) is None]
    if missing:
        raise UsageError(f"this needs {missing[0]}, which is not installed: pip install 'hushwatt[{extra}]'")


def extra_with(module: str) -> str | None:
    """Give the smallest extra that brings `module`, if any does.

    >>> extra_with("pyarrow")
    'provider'
    >>> extra_with("antigravity") is None
    True
    """
    for extra, packages in extras().items():
        if module in (package.replace("-", "_") for package in packages):
            return extra
    return None


def installed(package: str) -> str | None:
    """Give the version of `package` that is installed, if it is.

    >>> installed("antigravity") is None
    True
    """
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
