"""An object in a real S3 interface answers as a path does."""

import pytest
from tests.object_store import SECRET, FaultyProxy, request

from hushwatt.errors import StorageError
from hushwatt.wire.storage import ObjectPath, location


@pytest.fixture
def folder(bucket, s3):
    """A folder with two objects, and a marker as consoles leave them."""
    place = location(bucket)
    assert isinstance(place, ObjectPath)
    for name, body in (("a.txt", b"alpha"), ("deep/b.txt", "β".encode()), ("deep/", b"")):
        request(int(s3.rpartition(":")[2]), "PUT", f"/{place.inner}/{name}", body)
    return place


def test_words_of_a_path(folder):
    """Names, kinds, sizes and bytes are as those of a folder on disk."""
    file = folder / "a.txt"

    assert (file.name, file.suffix, file.parent) == ("a.txt", ".txt", folder)
    assert (file.is_file(), file.is_dir(), file.exists()) == (True, False, True)
    assert (folder.is_file(), folder.is_dir(), folder.root.is_dir()) == (False, True, True)
    assert not (folder / "none").exists()
    assert file.stat().st_size == 5
    assert file.stat().st_mtime_ns > 0
    with file.open("rb") as opened:
        assert opened.read() == b"alpha"
    with (folder / "deep" / "b.txt").open(encoding="utf-8") as opened:
        assert opened.read() == "β"


def test_lists_what_is_below(folder):
    """A listing has the files and not the folders, each known without another question."""
    found = {str(file.relative_to(folder)): file for file in folder.rglob("*")}

    assert sorted(found) == ["a.txt", "deep/b.txt"]
    assert found["a.txt"].known is not None
    assert found["a.txt"] == folder / "a.txt"


def test_what_is_not_there(folder, bucket):
    """An object that is gone, and a bucket that never was, have words."""
    with pytest.raises(FileNotFoundError):
        (folder / "none").stat()
    with pytest.raises(StorageError, match="there is no such file or folder"):
        (folder / "none").open("rb")
    with pytest.raises(StorageError, match=r"^s3://nobody/a: there is no such bucket$"):
        ObjectPath("s3", "nobody", "a").check_store()
    (folder / "a.txt").unlink()

    assert not (folder / "a.txt").exists()


@pytest.mark.parametrize("kind, words", [("503", "too busy"), ("403", "access is denied")])
def test_refusals_of_a_store(folder, s3, monkeypatch, kind, words):
    """A store that is busy or forbids it is told in one line, without a key."""
    with FaultyProxy(int(s3.rpartition(":")[2]), lambda method, path: kind) as proxy:
        monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.endpoint)
        monkeypatch.setattr("hushwatt.wire.storage.filesystems.ATTEMPTS", 2)
        with pytest.raises(StorageError) as refused:
            (folder / "a.txt").stat()

    assert words in str(refused.value)
    assert SECRET not in str(refused.value)
    assert "AKIA" not in str(refused.value)


@pytest.mark.parametrize("kind", ["503", "cut", "gone", "slow"])
def test_passing_faults_are_survived(folder, s3, monkeypatch, kind):
    """One bad answer, a connection cut or a slow one changes nothing of what is read."""
    faults = iter([None, kind])  # the head is asked for first
    with FaultyProxy(int(s3.rpartition(":")[2]), lambda method, path: next(faults, None)) as proxy:
        monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.endpoint)
        with (folder / "a.txt").open("rb") as file:
            data = file.read()

    assert data == b"alpha"


def test_hadoop_is_missing(monkeypatch):
    """Where Hadoop's library is not, that is what is said."""
    monkeypatch.delenv("HADOOP_HOME", raising=False)
    monkeypatch.setenv("JAVA_HOME", "/nowhere")

    with pytest.raises(StorageError, match=r"^hdfs://head:8020/a: this needs Hadoop's libhdfs"):
        location("hdfs://head:8020/a").is_file()


def test_google_does_not_answer():
    """A store of Google's that is not there is told as one."""
    with pytest.raises(StorageError, match="the store does not answer"):
        location("gs://anonymous@meters/a?endpoint_override=127.0.0.1:9&scheme=http&retry_limit_seconds=1").is_file()
