"""What is written to a store is there whole or not at all."""

import gc
import io
from pathlib import Path

import pytest
from pyarrow.fs import LocalFileSystem, SubTreeFileSystem
from tests.object_store import FaultyProxy

from hushwatt.errors import StorageError, UsageError
from hushwatt.wire.storage import ObjectPath, atomic_write_to, location, upload
from hushwatt.wire.storage.object_path import ObjectStat

LARGE = bytes(20 << 20)  # more than one part


def contents(place):
    with place.open("rb") as file:
        return file.read()


def test_takes_the_place(any_bucket, tmp_path):
    """An object appears when the block ends, and replaces what was there; a path is written as before."""
    place = location(any_bucket) / "a.csv"
    for data in (b"one", b"another"):
        with atomic_write_to(place) as temporary:
            temporary.write_bytes(data)
            assert temporary.suffix == ".csv"
        assert contents(place) == data
    with atomic_write_to(tmp_path / "a") as temporary:
        temporary.write_bytes(b"here")

    assert not temporary.exists()
    assert (tmp_path / "a").read_bytes() == b"here"


def test_large_objects_are_whole(any_bucket):
    """What goes in several parts arrives byte for byte."""
    place, data = location(any_bucket) / "large", bytes(range(256)) * (1 << 17)
    with atomic_write_to(place) as temporary:
        temporary.write_bytes(data)

    assert contents(place) == data


def test_a_failing_block_leaves_what_was_there(any_bucket):
    """An error inside leaves the older object, and nothing under another name."""
    place = location(any_bucket) / "a"
    with atomic_write_to(place) as temporary:
        temporary.write_bytes(b"older")
    with pytest.raises(KeyboardInterrupt), atomic_write_to(place) as temporary:
        temporary.write_bytes(b"half")
        raise KeyboardInterrupt

    assert contents(place) == b"older"
    assert [file.name for file in location(any_bucket).rglob("*")] == ["a"]


@pytest.mark.parametrize(
    "kind, failing", [("503", "partNumber=2"), ("gone", "partNumber=2"), ("403", "uploads"), ("503", "uploadId")]
)
def test_a_failing_part_leaves_what_was_there(bucket, s3, monkeypatch, kind, failing):
    """A part that never arrives leaves the older object whole: no half of the new one is ever seen."""
    place = location(bucket) / "a"
    with atomic_write_to(place) as temporary:
        temporary.write_bytes(b"older")
    monkeypatch.setattr("hushwatt.wire.storage.filesystems.ATTEMPTS", 2)
    methods = {"uploadId": ("POST",)}.get(failing, ("PUT", "POST"))

    def fault(method, path):
        return kind if method in methods and failing in path else None

    with FaultyProxy(int(s3.rpartition(":")[2]), fault) as proxy, monkeypatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", proxy.endpoint)
        with pytest.raises(StorageError), atomic_write_to(place) as temporary:
            temporary.write_bytes(LARGE)

    assert any(failing in path for _, path in proxy.seen)
    assert contents(place) == b"older"


def test_refused_before_any_work(bucket):
    """A bucket that is not there, and a bucket itself, are refused before anything is worked out."""
    with pytest.raises(StorageError, match="there is no such bucket"), atomic_write_to("s3://nobody/a"):
        pytest.fail("it began")
    with pytest.raises(UsageError, match="it is a bucket, not a name in it"), atomic_write_to("s3://meters"):
        pytest.fail("it began")


def test_an_interrupt_on_the_way_completes_nothing(bucket, tmp_path, monkeypatch):
    """Ctrl-C between two parts leaves the older object, also when Python has let go of everything."""
    place = location(bucket) / "a"
    with atomic_write_to(place) as temporary:
        temporary.write_bytes(b"older")

    class Interrupted(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell():
                raise KeyboardInterrupt
            return super().read(size)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Path, "open", lambda path, mode: Interrupted(LARGE))
        assert isinstance(place, ObjectPath)
        upload._send(tmp_path / "large", place)
    gc.collect()

    assert contents(place) == b"older"


def test_a_short_object_is_noticed(bucket, tmp_path, monkeypatch):
    """A store that keeps less than was sent is told."""
    (tmp_path / "a").write_bytes(b"whole")
    place = location(bucket) / "a"
    assert isinstance(place, ObjectPath)
    monkeypatch.setattr(ObjectPath, "stat", lambda place: ObjectStat(3, 0))

    with pytest.raises(StorageError, match="the store keeps 3 of 5 bytes"):
        upload.upload(tmp_path / "a", place)


@pytest.fixture
def renaming(tmp_path, monkeypatch):
    """The address of a file system that shows what is being written, as Hadoop's does: that of this machine."""
    system = SubTreeFileSystem(str(tmp_path), LocalFileSystem())
    monkeypatch.setattr("hushwatt.wire.storage.object_path.filesystem", lambda *words: system)
    return ObjectPath("hdfs", "head:8020", "out/a.parquet")


def test_where_writing_shows_it_is_renamed(renaming, tmp_path, monkeypatch):
    """Where others see a file grow it has a hidden name until it is whole; what fails takes it away again."""
    (tmp_path / "out").mkdir()
    for data in (b"older", b"newer"):
        with atomic_write_to(renaming) as temporary:
            temporary.write_bytes(data)
        assert (tmp_path / "out" / "a.parquet").read_bytes() == data
    seen = []
    monkeypatch.setattr(upload, "_rename", lambda temporary, destination: seen.append(temporary.name) or 1 / 0)
    with pytest.raises(ZeroDivisionError), atomic_write_to(renaming) as temporary:
        temporary.write_bytes(b"never")

    assert seen[0].startswith(".")
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["a.parquet"]
    assert (tmp_path / "out" / "a.parquet").read_bytes() == b"newer"
