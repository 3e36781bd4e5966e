"""`hushwatt provider backup` and `restore`: the embedded store as one file."""

from contextlib import closing
from pathlib import Path

from hushwatt.cli.provider.store_options import USUAL_FOLDER, FolderOptions, open_existing_store
from hushwatt.cli.terminal import say


def backup(file: Path, /, *, where: FolderOptions = USUAL_FOLDER) -> None:
    """Write a whole, checked copy of the embedded store to FILE, while the service runs.

    The key is not in it: keep a copy of provider.key elsewhere.

    Parameters
    ----------
    file
        Where to write; an older file of that name is replaced.
    """
    with closing(open_existing_store(where.settings())) as database:
        database.backup(file)
    say(f"wrote {file}")


def restore(file: Path, /, *, where: FolderOptions = USUAL_FOLDER) -> None:
    """Put the backup FILE into a folder that has no store.

    Parameters
    ----------
    file
        The backup.
    """
    from hushwatt.provider.service.folder import make_folder
    from hushwatt.provider.store.backup import restore as put_back

    settings = where.settings()
    make_folder(settings.folder)
    put_back(file, Path(settings.store_address))
    say(f"restored {settings.store_address}")
