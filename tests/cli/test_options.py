"""What commands are told of files is a path or an address, alone or several."""

import sys
from pathlib import Path

import pytest
from cyclopts import App

from hushwatt.cli.options import Output, Place
from hushwatt.wire.storage import ObjectPath, location

GIVEN = {}


def several(*files: Place, output: Output | None = None) -> None:
    """Take what is given."""
    GIVEN["files"], GIVEN["output"] = files, output


def one(file: Place, /) -> None:
    """Take one."""
    GIVEN["file"] = file


@pytest.fixture
def given(monkeypatch):
    """Run a function with these words, as a command; as there, nothing has loaded pydantic yet."""
    monkeypatch.delitem(sys.modules, "pydantic", raising=False)

    def run(function, *words):
        GIVEN.clear()
        App(default_command=function, result_action="return_value")(words, exit_on_error=False)
        return dict(GIVEN)

    return run


def test_addresses_keep_their_slashes(given):
    """A path would make one of two slashes; addresses and paths may stand beside each other."""
    found = given(several, "s3://meters/a", "b/c.parquet", "--output", "s3://results/x.csv")

    assert found["files"] == (location("s3://meters/a"), Path("b/c.parquet"))
    assert isinstance(found["output"], ObjectPath)
    assert given(one, "s3://meters/a")["file"] == location("s3://meters/a")
    assert given(one, "a b")["file"] == Path("a b")
    assert given(several) == {"files": (), "output": None}
