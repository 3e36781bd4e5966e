"""Making sure of a database's log after a life that may have ended in a failed sync.

When a sync fails, the system goes on showing what was written, and never writes it again
by itself.  A program that starts anew would read such a log, append to it, sync, and lose
all of that with the power, because a log is read only up to its first hole.
"""

from pathlib import Path

import apsw

BLOCK_BYTES = 1 << 16  # bytes at once; SQLite's own file layer takes fewer than 128 KiB


def rewrite_wal(connection: apsw.Connection) -> None:
    """Write the log's own bytes once more, and wait for the disk.

    Call it inside a write transaction, when nobody else can append to the log.
    """
    log = Path(connection.filename_wal)
    if not log.exists():
        return
    flags = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_READWRITE
    file = apsw.VFSFile(connection.open_vfs, str(log), [flags, 0])
    try:
        size = file.xFileSize()
        for offset in range(0, size, BLOCK_BYTES):
            file.xWrite(file.xRead(min(BLOCK_BYTES, size - offset), offset), offset)
        if size:
            file.xSync(apsw.SQLITE_SYNC_NORMAL)
    finally:
        file.xClose()
