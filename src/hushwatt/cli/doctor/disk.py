"""Does a folder keep what it is given, even when the power goes?"""

import os
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from hushwatt.cli.doctor.check import Check
from hushwatt.files import atomic_write

SYNCS = 5
MOUNTS = Path("/proc/self/mounts")
MEMORY_FILE_SYSTEMS = {"tmpfs", "ramfs"}
CONTAINER_FILE_SYSTEMS = {"overlay", "aufs"}
NETWORK_FILE_SYSTEMS = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "virtiofs", "vboxsf", "fuse.sshfs", "ceph", "afs"}
NO_BARRIER_OPTIONS = {"nobarrier", "barrier=0"}  # the disk may tell that it has what it only holds in its memory


class Mount(NamedTuple):
    """What a folder lies on."""

    kind: str
    options: frozenset[str] = frozenset()


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
    mount = mount_of(folder)
    summary = f"{folder.resolve()}: {mount.kind}, {median(times) * 1000:.1f} ms to write and sync"
    trouble = durability_problem(mount)
    if trouble is not None:
        return Check("disk", False, True, f"{summary}, but {trouble}")
    if mount.kind in CONTAINER_FILE_SYSTEMS:
        return Check("disk", False, False, f"{summary}, but gone with the container: keep state in a volume")
    return Check("disk", True, True, summary)


def durability_problem(mount: Mount) -> str | None:
    """Why what is written here may be lost or spoilt, if it may.

    >>> durability_problem(Mount("tmpfs"))
    'it is memory: all is lost when the machine stops'
    """
    if mount.kind in MEMORY_FILE_SYSTEMS:
        return "it is memory: all is lost when the machine stops"
    if mount.kind in NETWORK_FILE_SYSTEMS:
        return "it is on another machine: SQLite needs a local disk"
    if mount.options & NO_BARRIER_OPTIONS:
        return "its write barriers are off: power loss takes what was synced"
    return None


def mount_of(folder: Path, mounts: Path = MOUNTS) -> Mount:
    """The nearest mount around `folder`; where the system does not tell, an unknown one."""
    resolved, depth, nearest = folder.resolve(), -1, Mount("unknown file system")
    lines = mounts.read_text(errors="replace").splitlines() if mounts.is_file() else []
    for line in lines:
        _, at, kind, options, *_ = line.split()
        mount = Path(at.replace("\\040", " "))
        if resolved.is_relative_to(mount) and len(mount.parts) >= depth:
            depth, nearest = len(mount.parts), Mount(kind, frozenset(options.split(",")))
    return nearest


def _timed_write(path: Path) -> float:
    """Write through the door that results take, and give the seconds it took."""
    began = time.perf_counter()
    with atomic_write(path) as temporary:
        temporary.write_bytes(bytes(4096))
    return time.perf_counter() - began
