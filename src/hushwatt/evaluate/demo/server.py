"""A service on loopback in this process, under a clock that is moved by hand."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from hushwatt.audit.harness.local_service import LocalService
from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.provider.service.config import Config
from hushwatt.provider.service.folder import make_folder
from hushwatt.provider.service.logs import start_logs

TRIES = 20  # ports, when the first is taken
PATIENCE = 120.0  # seconds, for machines that have much else to do


class LocalServer(LocalService):
    """A service that listens, and where it does."""

    port: int

    @property
    def host(self) -> str:
        return self.config.host

    @property
    def address(self) -> str:
        return f"http://{self.host}:{self.port}"

    def wait_until_published(self, plan: Plan, slot: int) -> None:
        """Let the service publish everything up to `slot`, which must be over."""
        wait(lambda: self.service.read.state(plan).published >= slot, "publish what was collected")


@contextmanager
def local_server(plan_file: Path, folder: Path, port: int) -> Iterator[LocalServer]:
    """Serve a plan from `folder` until the block ends."""
    plan = Plan.load(plan_file)
    config = Config(plan=(str(plan_file),), data=str(folder), port=port, strangers_per_second=10**6, log_level="error")
    start_logs(config.log_level)
    make_folder(config.folder)
    local = LocalServer(config, plan, plan.calendar.start_of(0))
    door = free_door(config.host, port)
    server = uvicorn.Server(uvicorn.Config(local.app, log_level="critical", access_log=False))
    thread = threading.Thread(target=server.run, args=([door],), name="service", daemon=True)
    thread.start()
    try:
        wait(lambda: server.started or not thread.is_alive(), "start")
        local.port = door.getsockname()[1]
        yield local
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        door.close()


def free_door(host: str, port: int) -> socket.socket:
    """A socket on `port`, or on the next that is free; 0 is any."""
    for number in range(port, port + TRIES):
        door = socket.socket()
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind((host, number))
            door.listen()
            return door
        except (OSError, OverflowError) as wrong:
            door.close()
            reason = getattr(wrong, "strerror", None) or "there is no such port"
    raise UsageError(f"cannot listen on {host} from port {port} on: {reason.lower()}; choose another --port")


def wait(done: Callable[[], bool], what: str) -> None:
    """Wait until it is done, with patience that ends."""
    until = time.monotonic() + PATIENCE
    while not done():
        if time.monotonic() > until:
            raise UsageError(f"the service did not {what} within {PATIENCE:.0f} seconds")
        time.sleep(0.02)
