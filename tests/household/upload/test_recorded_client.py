"""Whatever asks a provider something for the owner leaves its requests in the home's folder."""

import pytest
from tests.household.upload.test_request_log import Listener

from hushwatt.household.upload.provider_client import WrongProvider
from hushwatt.household.upload.recorded_client import recorded_client
from hushwatt.household.upload.request_log import RequestLog


def test_everything_is_taken_down(folder):
    """What arrived at a real socket is what is kept, with its time."""
    with Listener() as listener, pytest.raises(WrongProvider):
        recorded_client(folder, 42)(listener.address).plans()
    (only,) = RequestLog.of(folder).latest()

    assert (only.time, only.sent) == (42, bytes(listener.received))
