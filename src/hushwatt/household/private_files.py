"""Keep a home's folder to its owner: files that only they can read, in a folder that only they can open.

The ledger holds keys, sources.toml may hold a password, and health.json tells when someone is
at home.  Where the rights cannot be changed, it is said why, and what to do.
"""

import os
import stat
from pathlib import Path

GROUP_AND_OTHERS = 0o077  # what group and others may do
OUR_FILES = (
    "ledger.sqlite",
    "caps.toml",
    "sources.toml",
    "health.json",
    "entities.json",
    "own-means.json",
    "requests.sqlite",
)


def restrict_to_owner(folder: Path) -> list[str]:
    """Take the rights of others away; a line for whatever stays open to them."""
    if not folder.is_dir():
        return []
    lines = [_restrict(file, 0o600) for file in sorted(folder.iterdir()) if _is_ours(file)]
    return [line for line in (*lines, _restrict_folder(folder)) if line]


def write_private(path: Path, text: str) -> None:
    """Write a file whole or not at all, for its owner alone from the first byte on."""
    temporary = path.with_name(f".{path.name}")
    temporary.unlink(missing_ok=True)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    temporary.replace(path)


def open_to_others(path: Path) -> bool:
    """Whether anyone but the owner can do anything with a file or folder."""
    try:
        return bool(path.stat().st_mode & GROUP_AND_OTHERS)
    except OSError:
        return False


def _is_ours(file: Path) -> bool:
    name = file.name.lstrip(".")
    return file.is_file() and not file.is_symlink() and any(name.startswith(each) for each in OUR_FILES)


def _restrict_folder(folder: Path) -> str | None:
    if not open_to_others(folder):
        return None
    if folder.stat().st_mode & stat.S_ISVTX or any(each.is_dir() for each in folder.iterdir()):  # it is shared
        return (
            f"{folder} is open to others and not changed, as it holds more than this home; "
            "give the home a folder of its own (--folder, or HUSHWATT_HOME)"
        )
    return _restrict(folder, 0o700)


def _restrict(path: Path, mode: int) -> str | None:
    if not open_to_others(path):
        return None
    try:
        path.chmod(mode)
    except OSError as wrong:
        reason = (wrong.strerror or "no").lower()
        return f"{path} is open to others, and stays so ({reason}); as its owner: chmod {mode:o} {path}"
    if open_to_others(path):  # a file system without rights, such as FAT
        return f"{path} is open to others, and its file system knows no rights; move it to one that does"
    return None
