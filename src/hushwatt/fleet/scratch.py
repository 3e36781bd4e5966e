"""A place on disk for what does not fit in memory, and for nothing longer than that.

The file has no name: nobody else can open it, and it is gone when the process
is, however that ends.  It lies where `TMPDIR` points.
"""

import tempfile
import weakref
from typing import IO


def scratch(owner: object) -> IO[bytes]:
    """An empty file without a name that is closed together with its owner's life."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as its owner)
    weakref.finalize(owner, file.close)
    return file
