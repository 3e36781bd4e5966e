"""`hushwatt provider` as an operator types it."""

import json

import pytest

from hushwatt.provider.store import open_store
from hushwatt.provider.store.access import token_holds
from hushwatt.provider.store.plans import add_plan


@pytest.fixture
def stored(tmp_path, plan_of):
    """A folder with a store that collects one plan."""
    (tmp_path / "hushwatt-data").mkdir()
    plan = plan_of(3, 4, 2)
    database = open_store(tmp_path / "hushwatt-data" / "store.sqlite")
    with database.writing() as session:
        add_plan(session, plan)
    database.close()
    return plan


def test_codes_and_tokens_are_made(hushwatt, stored, tmp_path):
    """Codes come one on a line; a token is shown once, replaced by name, and revoked."""
    codes = hushwatt("provider", "keys", "code", "-n", 3).stdout.split()
    first, second = (hushwatt("provider", "keys", "token", "ada").stdout.strip() for _ in range(2))
    shown = json.loads(hushwatt("provider", "keys", "show", "--json").stdout)
    database = open_store(tmp_path / "hushwatt-data" / "store.sqlite")
    with database.reading() as session:
        good = [token_holds(session, token, now=0) for token in (first, second)]
        ((kept,),) = session.all("SELECT count(*) FROM codes")
    database.close()

    assert len(set(codes)) == kept == 3
    assert good == [False, True]
    assert shown["tokens"] == ["ada"]
    assert hushwatt("provider", "keys", "token", "ada", "--revoke").returncode == 0
    assert hushwatt("provider", "keys", "token", "ada", "--revoke").returncode == 2


def test_keys_rotate(hushwatt, stored):
    """The new public key is printed, and the old one vouches for it."""
    before = json.loads(hushwatt("provider", "keys", "show", "--json").stdout)["key"]

    new = hushwatt("provider", "keys", "rotate").stdout.strip()

    after = json.loads(hushwatt("provider", "keys", "show", "--json").stdout)
    assert after["key"] == new != before
    assert [step["key"] for step in after["history"]] == [before]


def test_backup_restore_and_export(hushwatt, stored, tmp_path):
    """A backup is put into another folder, and exported from there."""
    made = hushwatt("provider", "backup", "copy.sqlite")
    put = hushwatt("provider", "restore", "copy.sqlite", "--data", "other")
    written = hushwatt("provider", "export", "all.json", "--data", "other", "--plan", stored.id[:8])

    assert [made.returncode, put.returncode, written.returncode] == [0, 0, 0]
    assert json.loads((tmp_path / "all.json").read_text())["plan"] == stored.id


@pytest.mark.parametrize(
    "words, line",
    [
        (("serve", "--plan", "missing.toml"), "no such file"),
        (("serve",), "there is no plan to collect"),
        (("serve", "--host", "0.0.0.0", "--access", "open"), "everyone"),
        (("serve", "--grace", "soon"), "no length of time"),
        (("keys", "code"), "there is no store"),
        (("backup", "x"), "there is no store"),
        (("restore", "x"), "no such file"),
        (
            ("export", "x.csv", "--store", "postgresql://nobody@127.0.0.1:1/x?connect_timeout=1"),
            "cannot reach",
        ),
    ],
)
def test_wrong_use_is_one_line(hushwatt, words, line):
    """What stands in the way, in one line, with exit code 2."""
    answer = hushwatt("provider", *words)

    assert answer.returncode == 2
    assert answer.stdout == ""
    assert answer.stderr.count("\n") == 1
    assert answer.stderr.startswith("hushwatt: ")
    assert line in answer.stderr


def test_a_plan_must_be_named_among_several(hushwatt, stored, plan_of, tmp_path):
    """With two plans, the commands that need one say how to name it."""
    database = open_store(tmp_path / "hushwatt-data" / "store.sqlite")
    with database.writing() as session:
        add_plan(session, plan_of(2, 2))
    database.close()

    assert "2 plans fit" in hushwatt("provider", "keys", "code").stderr
    assert "no such plan" in hushwatt("provider", "keys", "code", "--plan", "zz").stderr
    assert hushwatt("provider", "keys", "code", "--plan", stored.id).returncode == 0
