"""Run the service: open the store, listen, and leave in order."""

import ctypes
import gc
import os
import re
import resource
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from socket import socket

import uvicorn

from hushwatt.errors import UsageError
from hushwatt.provider.api.connection import ConnectionTimeouts, connection_class
from hushwatt.provider.app import make_app
from hushwatt.provider.service.collection_reader import CollectionReader
from hushwatt.provider.service.config import Config
from hushwatt.provider.service.folder import make_folder
from hushwatt.provider.service.logs import start_logs
from hushwatt.provider.store import open_store
from hushwatt.provider.telemetry import telemetry_from

SHUTDOWN_SECONDS = 20  # seconds that open requests have to end
KEEP_ALIVE_SECONDS = 30  # seconds that a connection stays open between two requests
RESERVED_FILES = 128  # open files that are no connections
MMAP_THRESHOLD, ARENA_MAX, LARGE_BYTES = -3, -8, 1 << 17  # numbers of glibc's mallopt, and bytes
SWITCH_SECONDS = 0.0005  # seconds after which the writer gets its turn beside the requests; Python's 5 ms add up
Say = Callable[[str], object]


class AnnouncingServer(uvicorn.Server):
    """A server that says where it is once it listens."""

    def __init__(self, config: uvicorn.Config, lines: Callable[[int], list[str]], say: Say) -> None:
        super().__init__(config)
        self._lines, self._say = lines, say

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            for line in self._lines(self.servers[0].sockets[0].getsockname()[1]):
                self._say(line)


def serve(config: Config, say: Say) -> None:
    """Serve until a signal says stop; what was being written is finished first."""
    start_logs(config.log_level)
    make_folder(config.folder)
    app = make_app(
        config, open_store(config.store_address, config.migrates_by_hand), telemetry=telemetry_from(os.environ)
    )
    if not app.state.service.schedules:
        raise UsageError("there is no plan to collect: give one with --plan")
    timeouts = timeouts_of(config)
    settings = uvicorn.Config(
        app,
        http=connection_class(timeouts),
        ws="none",
        host=config.host,
        port=config.port,
        ssl_certfile=_file(config.tls_certificate),
        ssl_keyfile=_file(config.tls_key),
        proxy_headers=config.proxy,
        forwarded_allow_ips=config.proxy_addresses.replace(" ", ""),
        limit_concurrency=timeouts.connections + 1,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        backlog=2048,
        access_log=False,  # it would name the addresses of homes
        log_level="critical",
        server_header=False,
        date_header=False,
    )
    sys.setswitchinterval(SWITCH_SECONDS)
    return_freed_memory()
    gc.freeze()  # what is loaded stays loaded; do not look through it again and again
    try:
        AnnouncingServer(settings, lambda port: welcome(config, port, app.state.service.read), say).run()
    except SystemExit:
        raise UsageError(
            f"cannot listen on {config.host} port {config.port}: it is taken, or not this machine's"
        ) from None


def timeouts_of(config: Config) -> ConnectionTimeouts:
    """What each client is given; no more connections than this process may hold open."""
    wanted = config.connections + RESERVED_FILES
    files, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files < wanted:
        files = wanted if hard_limit == resource.RLIM_INFINITY else min(wanted, hard_limit)
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard_limit))
    return ConnectionTimeouts(
        head=config.head_seconds,
        body=config.upload_seconds,
        answer=config.answer_seconds,
        keep_alive=KEEP_ALIVE_SECONDS,
        discarded=4 * config.largest_upload,
        connections=max(1, min(config.connections, files - RESERVED_FILES)),
    )


def return_freed_memory() -> None:
    """Let the system have large pieces of memory again as soon as they are free.

    glibc would keep more and larger ones the larger they come, for each thread apart; elsewhere
    there is nothing to set.
    """
    with suppress(AttributeError, OSError):
        library = ctypes.CDLL(None)
        library.mallopt(MMAP_THRESHOLD, LARGE_BYTES)
        library.mallopt(ARENA_MAX, 2)


def welcome(config: Config, port: int, read: CollectionReader) -> list[str]:
    """What whoever starts a service wants to know."""
    here = address(config, port)
    lines = [f"collecting {each.plan.name}, plan {each.plan.id}" for each in read.collections.values()]
    lines += [f"service    {here}/v1", f"dashboard  {here}/"]
    options = f" --data {config.data}" + (f" --store {without_password(config.store)}" if config.store else "")
    if config.needs_code:
        lines.append(f"homes      join with a one-time code: hushwatt provider keys code{options}")
    else:
        lines.append(f"homes      anyone may join: hushwatt household join {here}")
    if config.needs_token:
        lines.append(f"analysts   need a token: hushwatt provider keys token NAME{options}")
    return [*lines, "stop with Ctrl-C"]


def without_password(address: str) -> str:
    """An address without its password.

    >>> without_password("postgresql://hush:secret@db/hush")
    'postgresql://hush:…@db/hush'
    """
    return re.sub(r"(://[^:/@]*):[^@]*@", r"\1:…@", address)


def address(config: Config, port: int) -> str:
    """Where the service can be reached."""
    host = f"[{config.host}]" if ":" in config.host else config.host
    return f"{'https' if config.tls_certificate else 'http'}://{host}:{port}"


def _file(name: str) -> str | None:
    if name and not Path(name).is_file():
        raise UsageError(f"{name}: there is no such file")
    return name or None
