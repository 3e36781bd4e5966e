"""A provider's client whose every request is taken down in the home's folder, for commands and the owner's page."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from hushwatt.household.upload.http import connect
from hushwatt.household.upload.provider_client import ProviderClient
from hushwatt.household.upload.request_log import RequestLog


def recorded_client(folder: Path, now: int) -> Callable[[str], ProviderClient]:
    """Clients, by address, for what is asked at `now`."""
    return lambda address: ProviderClient(address, partial(connect, record=RequestLog.of(folder, lambda: now).add))
