"""A connection to Home Assistant: whatever is there, it ends in one line, and the token is in none."""

import asyncio
import json

import pytest
from tests.household.sources.home_assistant.acting import NOTHING, TOKEN, ActingHomeAssistant

from hushwatt.errors import UsageError
from hushwatt.household.sources.home_assistant import session as sessions
from hushwatt.household.sources.home_assistant.session import HomeAssistantError, TokenRefused, open_session
from hushwatt.household.sources.home_assistant_login import HomeAssistantLogin


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(sessions, "OPEN_SECONDS", 1.0)


def ask(acting, kind="question", token=TOKEN, **fields):
    """What a session gets for one question."""

    async def live():
        async with acting.serving(), open_session(HomeAssistantLogin(acting.url, token)) as session:
            return await session.result(kind, **fields), session.date

    return asyncio.run(live())


def test_a_question_is_answered():
    """With its fields, and the time of the server."""
    acting = ActingHomeAssistant(question={"deep": [1]})
    answer, date = ask(acting, period="5minute")

    assert answer == {"deep": [1]}
    assert date is not None
    assert acting.asked == [{"id": 1, "type": "question", "period": "5minute"}]


def test_an_error_is_no_answer():
    """A command that it does not know is None."""
    assert ask(ActingHomeAssistant(question=ValueError("unknown_command")))[0] is None


def test_a_refused_token_is_told_apart():
    """And is not shown."""
    with pytest.raises(TokenRefused) as wrong:
        ask(ActingHomeAssistant(), token="other-token")

    assert "other-token" not in str(wrong.value)


@pytest.mark.parametrize(
    "greeting, words",
    [
        ({"type": "hello"}, "it is no Home Assistant"),
        ([1, 2], "it is no Home Assistant"),
        ("not json", "cannot be read"),
        ("[" * 100_000, "cannot be read"),
        (b"\xff\xfe", "cannot be read"),
        ("9" * 500_000, "cannot be read"),
    ],
)
def test_another_server_is_one_line(greeting, words):
    """Whatever it says."""
    acting = ActingHomeAssistant()
    acting.greeting = greeting
    with pytest.raises(HomeAssistantError, match=words):
        ask(acting)


def test_an_answer_that_is_too_large_ends_it(monkeypatch):
    """It is not read."""
    monkeypatch.setattr(sessions, "MAX_MESSAGE", 1 << 16)
    with pytest.raises(HomeAssistantError, match="the connection ended"):
        ask(ActingHomeAssistant(question="x" * (1 << 17)))


def test_silence_ends_it():
    """An answer that never comes is waited for no longer than a second here."""
    with pytest.raises(HomeAssistantError, match="does not answer in time"):
        ask(ActingHomeAssistant(question=NOTHING))


def test_nobody_there_is_one_line():
    """As the system says it."""

    async def live():
        async with open_session(HomeAssistantLogin("http://127.0.0.1:9", TOKEN)):
            raise AssertionError

    with pytest.raises(HomeAssistantError, match=r"refused|connect"):
        asyncio.run(live())


@pytest.mark.parametrize(
    "answer, words",
    [
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "no Home Assistant: HTTP 404"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "no Home Assistant: HTTP 200"),
        (b"SSH-2.0-OpenSSH\r\n", "no Home Assistant"),
        (b"", "no Home Assistant"),
    ],
)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_no_websocket_is_one_line(answer, words, scheme):
    """A web server of another kind, or none at all; asked for TLS, it is said to have none."""

    async def other(reader, writer):
        await reader.read(10_000)
        writer.write(answer)
        writer.close()

    async def live():
        async with await asyncio.start_server(other, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            async with open_session(HomeAssistantLogin(f"{scheme}://127.0.0.1:{port}", TOKEN)):
                raise AssertionError

    with pytest.raises(HomeAssistantError, match=words if scheme == "http" else "TLS|no connection|no Home Assistant"):
        asyncio.run(live())


@pytest.mark.parametrize("scripted", [{"id": True}, {"id": 99, "type": "result"}, [], 7, None, {"type": "event"}])
def test_what_nobody_asked_for_is_passed_over(scripted):
    """Strange messages before the answer change nothing."""

    class Talkative(ActingHomeAssistant):
        async def _answer(self, socket, message):
            await self._send(socket, json.dumps(scripted))
            await self._send(socket, json.dumps([scripted, {"id": 1, "type": "result", "success": True, "result": 3}]))

    assert ask(Talkative())[0] == 3


def test_a_certificate_of_ones_own_is_believed_when_named(folder):
    """TLS with a certificate that no authority signed: refused, unless ca_file names it."""
    from tests.household.sources.home_assistant.certificates import self_signed

    context, file = self_signed(folder)

    async def live(**settings):
        acting = ActingHomeAssistant(question=3)
        async with acting.serving(ssl=context):
            login = HomeAssistantLogin(
                acting.url.replace("http", "https").replace("127.0.0.1", "localhost"), **settings
            )
            async with open_session(login) as session:
                return await session.result("question")

    assert asyncio.run(live(token=TOKEN, ca_file=str(file))) == 3
    with pytest.raises(HomeAssistantError, match="certificate is not to be trusted"):
        asyncio.run(live(token=TOKEN))
    with pytest.raises(UsageError, match="ca_file"):
        asyncio.run(live(token=TOKEN, ca_file=str(folder / "none")))
