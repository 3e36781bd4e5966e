"""The shipped service as a process of its own, which can be killed at any moment.

It is forked from a process that has everything loaded, so a start takes a blink.  What comes
after the fork is what `hushwatt provider serve` runs: a store on disk, a socket, signals.
"""

import os
import select
import signal
import sys
import time
import warnings
from contextlib import AbstractContextManager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import apsw

from hushwatt.audit.harness.expect import Fault
from hushwatt.audit.harness.in_process_client import NO_LIMITS
from hushwatt.audit.harness.raw_connection import RawConnection
from hushwatt.plan.plan import Plan
from hushwatt.provider.serve import serve
from hushwatt.provider.service.config import Config

OPEN: dict[str, Any] = {  # settings that let a crowd on one machine pass
    "port": 0,
    "grace": "1d",
    **NO_LIMITS,
    "log_level": "error",
}
LATE = (  # modules that a service loads while it starts
    "hushwatt.provider.dashboard",
    "hushwatt.provider.store.sqlite",
    "anyio._backends._asyncio",
    "pydantic.v1",
    "uvicorn.lifespan.on",
    "uvicorn.loops.uvloop",
    "encodings.idna",
)
PATIENCE = 60  # seconds for a start or an end on a busy machine


class ServiceProcess(AbstractContextManager["ServiceProcess"]):
    """A service that collects one plan, started and ended at will; its data stay in the folder."""

    def __init__(self, folder: Path, plan: Plan, sync: float = 0, **settings: Any) -> None:
        """`sync` is how many seconds the disk takes to be sure, as real ones do."""
        for name in LATE:
            with suppress(ImportError), warnings.catch_warnings(action="ignore"):
                import_module(name)
        (folder / "plan.toml").write_text(plan.toml())
        self.config = Config(plan=(str(folder / "plan.toml"),), data=str(folder / "data"), **{**OPEN, **settings})
        self.plan, self.log, self.sync = plan, folder / "log", sync
        self.process = self.port = 0
        self._news, self._fresh = -1, 0.0

    @property
    def store(self) -> str:
        return self.config.store_address

    def begin(self) -> None:
        """Start the process without waiting until it listens."""
        ours, theirs = os.pipe()
        with warnings.catch_warnings(action="ignore"):  # threads of others stay behind, and may
            self.process = os.fork()
        if not self.process:
            os.close(ours)
            _live(self.config, theirs, self.log, self.sync)
        os.close(theirs)
        self._news, self.port, self._fresh = ours, 0, self._memory("VmHWM")

    def wait(self, seconds: float = PATIENCE) -> bool:
        """Whether it listens within so many seconds; a service that ends by itself is a fault."""
        until = time.monotonic() + seconds
        while not self.port:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._news], [], [], left)[0]:
                return False
            port = os.read(self._news, 64)
            if not port:
                raise Fault(f"the service did not start: {self.log.read_text()[-500:]}")
            self.port = int(port)
        return True

    def start(self) -> None:
        self.begin()
        if not self.wait():
            raise Fault("the service did not listen in a minute")

    def kill(self) -> None:
        """As if the plug were pulled on the process alone: what the kernel has, it keeps."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ask it to leave, and wait until it has."""
        status = self._end(signal.SIGTERM)
        if status not in (0, -signal.SIGTERM):
            raise Fault(f"the service left with {status}: {self.log.read_text()[-500:]}")

    def line(self) -> RawConnection:
        return RawConnection(self.port)

    def grown(self) -> float:
        """MiB that the process has held at most beyond what it was forked with."""
        return self._memory("VmHWM") - self._fresh

    def _memory(self, what: str) -> float:
        lines = Path(f"/proc/{self.process}/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(what))

    def _end(self, how: signal.Signals) -> int:
        if not self.process:
            return 0
        os.kill(self.process, how)
        _, status = os.waitpid(self.process, 0)
        os.close(self._news)
        self.process = 0
        return os.waitstatus_to_exitcode(status)

    def __exit__(self, *_: object) -> None:
        self.kill()


class SlowFile(apsw.VFSFile):
    """A file whose syncs take a while."""

    def xSync(self, flags: int) -> None:
        time.sleep(SlowDisk.seconds)
        super().xSync(flags)


class SlowDisk(apsw.VFS):
    """What all of a process' databases lie on from then on."""

    seconds = 0.0

    def __init__(self, seconds: float) -> None:
        SlowDisk.seconds = seconds
        self.below = apsw.vfs_names()[0]
        super().__init__("slow", base=self.below, makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> SlowFile:
        return SlowFile(self.below, name, flags)


def _live(config: Config, news: int, log: Path, sync: float) -> None:
    """The life of the child: serve, and tell the port once it listens."""
    try:
        disk = SlowDisk(sync) if sync else None  # noqa: F841  it lasts as long as it has a name
        descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(descriptor, 1)
        os.dup2(descriptor, 2)
        sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)

        def say(line: str) -> None:
            if line.startswith("service"):
                os.write(news, line.rpartition(":")[2].partition("/")[0].encode())

        serve(config, say)
    except BaseException as failure:
        os.write(2, f"{type(failure).__name__}: {failure}\n".encode())
        os._exit(1)
    os._exit(0)
