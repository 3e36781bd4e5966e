"""A provider that would lose what it acknowledged is found out."""

import pytest

from hushwatt.provider.intake.inbox import Inbox, UploadResult
from hushwatt.provider.store.sqlite import Sqlite


@pytest.fixture
def hasty_disk(monkeypatch):
    """A store that does not wait for its disk."""
    connected = Sqlite._connect

    def hurry(self):
        connection = connected(self)
        connection.pragma("synchronous", "normal")
        return connection

    monkeypatch.setattr(Sqlite, "_connect", hurry)


@pytest.fixture
def hasty_answers(monkeypatch):
    """An inbox that answers uploads before it has written them."""
    finish = Inbox._commit

    def answer_first(self, batch):
        for waiting in batch:
            if waiting.upload:
                waiting.result = UploadResult(waiting.size, 0, ())
                waiting.future.get_loop().call_soon_threadsafe(waiting.resolve)
        finish(self, batch)

    monkeypatch.setattr(Inbox, "_commit", answer_first)


@pytest.mark.parametrize("weakness", ["hasty_disk", "hasty_answers"])
def test_a_hasty_provider(weakness, request, found_out):
    """With synchronous = NORMAL, or an answer before the commit, acknowledged reports are lost."""
    request.getfixturevalue(weakness)

    assert "acknowledged reports are lost" in found_out("power-loss-provider")
