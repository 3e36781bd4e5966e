"""The folder for keys and the embedded store."""

from pathlib import Path

from hushwatt.errors import UsageError


def make_folder(folder: Path) -> None:
    """Make it unless it is there; only its owner may look inside."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except FileNotFoundError:
        raise UsageError(f"cannot make {folder}: there is no folder {folder.parent}") from None
    except FileExistsError:
        raise UsageError(f"{folder} is a file, not a folder") from None
