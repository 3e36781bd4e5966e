"""Files that are refused as a whole: the others go on where somebody keeps their names."""

import pytest

from hushwatt.errors import ReportError, StorageError
from hushwatt.wire.reports.refused_files import RefusedFile, without_refused


def opening(name):
    """Opens what is called good."""
    if "good" not in name:
        raise ReportError(f"{name}: it is no good")
    return name.upper()


def test_the_others_go_on():
    """What is refused is named, with why; what is not is opened, in order."""
    refused = []

    assert without_refused(["a good", "bad", "good", "worse"], opening, refused) == ["A GOOD", "GOOD"]
    assert refused == [RefusedFile("bad", "it is no good"), RefusedFile("worse", "it is no good")]


def test_where_nobody_keeps_them():
    """The first one that is refused is raised."""
    with pytest.raises(ReportError, match=r"^bad: it is no good$"):
        without_refused(["good", "bad", "worse"], opening, None)


def test_nothing_is_left():
    """Where all are refused there is nothing to go on with."""
    with pytest.raises(ReportError, match=r"^bad: it is no good$"):
        without_refused(["bad", "worse"], opening, [])


def test_a_store_that_is_busy_is_no_fault_of_the_file():
    """It is raised, not kept."""
    refused = []

    def busy(name):
        raise StorageError(f"{name}: the store is too busy")

    with pytest.raises(StorageError):
        without_refused(["good", "bad"], busy, refused)
    assert refused == []
