"""Where Home Assistant is, and its token: every mistake is one line, and the token in none of them."""

import pytest

from hushwatt.errors import UsageError
from hushwatt.household.sources.home_assistant_login import HomeAssistantLogin

TOKEN = "abc.DEF-1_2"


@pytest.mark.parametrize(
    "url, address",
    [
        ("http://homeassistant.local:8123", "ws://homeassistant.local:8123/api/websocket"),
        (" http://192.168.1.2:8123/ ", "ws://192.168.1.2:8123/api/websocket"),
        ("https://ha.example.org", "wss://ha.example.org/api/websocket"),
        ("http://[fe80::1]:8123", "ws://[fe80::1]:8123/api/websocket"),
        ("http://supervisor/core", "ws://supervisor/core/api/websocket"),
    ],
)
def test_the_websocket_is_found(url, address):
    """From the address that a browser shows."""
    login = HomeAssistantLogin(url, TOKEN)

    assert login.problem is None
    assert login.websocket_url == address


@pytest.mark.parametrize(
    "url, words",
    [
        ("192.168.1.2:8123", "must begin with http://"),
        ("homeassistant.local", "must begin with http://"),
        ("ws://homeassistant.local:8123", "must begin with http://"),
        ("http:/homeassistant.local", "must begin with http://"),
        ("http://homeassistant.local:8123/lovelace/0", "must end after the host and the port"),
        ("http://homeassistant.local:8123/?x=1", "must end after the host and the port"),
        ("http://me:secret@homeassistant.local:8123", "without a name and a password"),
        ("http://homeassistant.local:port", "must be an address such as"),
        ("http://", "must name a host"),
        ("http://a\nb:8123", "must be an address such as"),
        ("", "must begin with http://"),
    ],
)
def test_a_wrong_url_is_one_line(url, words):
    """It says what to write instead."""
    problem = HomeAssistantLogin(url, TOKEN).problem

    assert words in problem
    assert "http://homeassistant.local:8123" in problem
    assert "secret" not in problem


@pytest.mark.parametrize(
    "settings, words",
    [
        ({}, "needs token_file"),
        ({"token": "a", "token_file": "b"}, "keep one"),
        ({"token": "two words"}, "must be a long-lived access token"),
        ({"token": ""}, "must be a long-lived access token"),
    ],
)
def test_a_wrong_token_is_one_line(settings, words):
    """None, two, or what cannot be one."""
    assert words in HomeAssistantLogin("http://ha:8123", **settings).problem


@pytest.mark.parametrize(
    "host, leaves",
    [
        ("127.0.0.1", False),
        ("localhost", False),
        ("10.1.2.3", False),
        ("homeassistant", False),
        ("homeassistant.local", False),
        ("[fd00::1]", False),
        ("[fe80::1%25eth0]", False),
        ("8.8.8.8", True),
        ("ha.example.org", True),
        ("[2a00::1]", True),
    ],
)
def test_what_leaves_the_home(host, leaves):
    """A name or address that is not one of a home's own network."""
    assert HomeAssistantLogin(f"http://{host}:8123").leaves_home is leaves


def test_the_token_has_a_file(folder):
    """It is read every time, so that the owner can change it while the agent runs."""
    login = HomeAssistantLogin("http://ha:8123", token_file="token").in_folder(folder)
    (folder / "token").write_text(f" {TOKEN}\n")
    first = login.secret()
    (folder / "token").write_text("other")

    assert (first, login.secret()) == (TOKEN, "other")
    assert TOKEN not in repr(HomeAssistantLogin("http://ha:8123", token=TOKEN))


@pytest.mark.parametrize("content", [None, b"", b"two words", b"\xff\xfe", b"a" * 20_000])
def test_a_file_without_a_token_is_named(folder, content):
    """By its name; what is in it is not shown."""
    if content is not None:
        (folder / "token").write_bytes(content)

    with pytest.raises(UsageError, match=f"{folder}/token") as wrong:
        HomeAssistantLogin("http://ha:8123", token_file=str(folder / "token")).secret()

    assert "two words" not in str(wrong.value)
