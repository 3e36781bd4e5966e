"""Settings: file, environment and command line, each clear about what is wrong."""

import re
from dataclasses import fields
from datetime import timedelta
from pathlib import Path

import pytest

from hushwatt.errors import UsageError
from hushwatt.provider.service.config import Config, read_config

ROOT = Path(__file__).parents[3]


@pytest.fixture
def file(tmp_path):
    def write(text):
        (tmp_path / "provider.toml").write_text(text)
        return tmp_path / "provider.toml"

    return write


def test_the_last_word_wins(file):
    """The environment is above the file, and what was given is above both."""
    settings = file('plan = "a.toml"\nport = 1\nhost = "::1"\ngrace = "2h"')

    config = read_config(settings, {"HUSHWATT_PORT": "2", "HUSHWATT_GRACE": "3h"}, grace="4h", host=None)

    assert (config.plan, config.port, config.host, config.grace) == (("a.toml",), 2, "::1", "4h")


def test_the_environment_knows_kinds():
    """Numbers, truths and several plans."""
    given = {"HUSHWATT_PLAN": "a.toml:b.toml", "HUSHWATT_SCRUB": "yes", "HUSHWATT_PROXY": "off", "PATH": "x"}

    config = read_config(None, given)

    assert (config.plan, config.scrub, config.proxy) == (("a.toml", "b.toml"), True, False)


@pytest.mark.parametrize(
    "text, word",
    [
        ("colour = 3", "unknown setting colour"),
        ("port = '80'", "whole number"),
        ("port = true", "whole number"),
        ("scrub = 1", "true or false"),
        ("port = -1", "above zero"),
        ("tolerance = 0", "above zero"),
        ("grace = 'soon'", "no length of time"),
        ("access = 'all'", "choose one of"),
        ("retention = 'long'", "no length of time"),
        ("proxy_addresses = 'proxy'", "no address or network"),
        ("proxy_addresses = '10.0.0.1,0.0.0.0/0'", "everyone"),
        ("host = '0.0.0.0'\naccess = 'open'", "everyone"),
        ("proxy = true\naccess = 'open'", "everyone"),
        ("tls_key = 'a'", "go together"),
        ("port = ", "provider.toml"),
    ],
)
def test_what_is_wrong_is_said(file, text, word):
    """One line names the file and the setting."""

    with pytest.raises(UsageError, match=word) as caught:
        read_config(file(text), {})
    assert "provider.toml" in str(caught.value)


@pytest.mark.parametrize("name, text", [("HUSHWATT_PORT", "x"), ("HUSHWATT_SCRUB", "maybe")])
def test_a_wrong_variable_is_named(name, text):
    """The environment's mistakes, too."""

    with pytest.raises(UsageError, match=name):
        read_config(None, {name: text})


@pytest.mark.parametrize(
    "settings, open_to_all",
    [
        ({}, True),
        ({"host": "::1"}, True),
        ({"host": "0.0.0.0"}, False),
        ({"host": "example.org"}, False),
        ({"proxy": True}, False),
        ({"enrolment": "codes", "access": "token"}, False),
    ],
)
def test_doors_close_by_themselves(settings, open_to_all):
    """Only a service that nobody else can reach needs neither codes nor tokens."""
    config = Config(**settings)

    assert config.needs_code is not open_to_all
    assert config.needs_token is not open_to_all


@pytest.mark.parametrize("seconds, grace", [(60, 900), (3600, 3600), (7 * 86400, 86400)])
def test_grace_follows_the_slot(seconds, grace):
    """A slot's length, but at least a quarter of an hour and at most a day."""

    assert Config().grace_of(seconds) == timedelta(seconds=grace)
    assert Config(grace="90s").grace_of(seconds) == timedelta(seconds=90)


def test_the_docs_name_every_setting():
    """The table of settings and the example file know each of them, and no others."""
    docs = (ROOT / "docs" / "howto" / "run-a-collection.md").read_text()
    table = docs[docs.index("| setting |") : docs.index("## From Python")]
    rows = [line.split("|")[1] for line in table.splitlines()[2:] if line]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}

    assert named == {field.name for field in fields(Config)}
    assert read_config(ROOT / "deploy" / "provider.toml", {}).needs_token


@pytest.mark.parametrize(
    "text, reason",
    [
        ("x = " + "[" * 3000, "beyond all sense"),
        ("port = " + "9" * 5000, "beyond all sense"),
        ("port = 99999", "port is 99999; it must be at most 65,535"),
        ("tolerance = 99999999999", "it must be at most 2,147,483,647"),
        ("plan = 5", "plan is 5, which is not the name of a file, or several"),
        ("plan = [[[]]]", "plan is a list, which is not the name of a file"),
        ("# " + "x" * 70_000, "too large for settings"),
        ("port = '" + "x" * 5000 + "'", "port is 'xxx"),
        ("x" * 5000 + " = 1", "unknown setting xxx"),
    ],
)
def test_settings_beyond_all_sense(tmp_path, text, reason):
    """Whatever stands in the file, it is refused in one short line."""
    file = tmp_path / "provider.toml"
    file.write_text(text)

    with pytest.raises(UsageError, match=reason) as caught:
        read_config(file, {})
    assert len(str(caught.value)) < 300


def test_settings_that_are_no_text(tmp_path):
    """A file of other bytes is refused in one line."""
    (tmp_path / "provider.toml").write_bytes(b"\xff\xfe")

    with pytest.raises(UsageError, match="not a text file"):
        read_config(tmp_path / "provider.toml")
