"""What a person typed is a path or an address, and holds no key."""

import pickle
from pathlib import Path, PurePath

import pytest

from hushwatt.errors import UsageError
from hushwatt.wire.storage import ObjectPath, location
from hushwatt.wire.storage.location import inside, is_address


@pytest.mark.parametrize(
    "text, shown, inner",
    [
        ("s3://meters/a/b.parquet", "s3://meters/a/b.parquet", "meters/a/b.parquet"),
        ("S3A://meters/a//b/", "s3://meters/a/b", "meters/a/b"),
        ("s3://meters", "s3://meters/", "meters"),
        ("s3://meters/a b+c%20.parquet", "s3://meters/a b+c%20.parquet", "meters/a b+c%20.parquet"),
        ("gs://meters/a?retry_limit_seconds=3", "gs://meters/a", "meters/a"),
        ("gcs://anonymous@meters/a", "gs://anonymous@meters/a", "meters/a"),
        ("hdfs://head:8020/a/b", "hdfs://head:8020/a/b", "/a/b"),
        ("hdfs:///a/b", "hdfs:///a/b", "/a/b"),
    ],
)
def test_addresses(text, shown, inner):
    """An address names a store, and pyarrow's name in it; letters are taken as they are typed."""
    place = location(text)

    assert isinstance(place, ObjectPath)
    assert is_address(text)
    assert (str(place), place.inner) == (shown, inner)
    assert pickle.loads(pickle.dumps(place)) == place
    assert location(place) is place


def test_settings_travel():
    """What ? sets holds for what is below, and can be typed again."""
    below = location("s3://meters/a?region=eu-central-1&endpoint_override=http://127.0.0.1:9000") / "b.parquet"

    assert isinstance(below, ObjectPath)
    assert below.uri == "s3://meters/a/b.parquet?endpoint_override=http://127.0.0.1:9000&region=eu-central-1"
    assert location(below.uri) == below


@pytest.mark.parametrize("text", ["reports", "a/b.parquet", "C:/reports", "./s3:", "s3:/meters/a"])
def test_paths(text):
    """Everything else is a path of this machine."""
    assert location(text) == Path(text)
    assert not is_address(text)


def test_file_addresses_are_paths():
    """file:// is this machine, too."""
    assert location("file:///a%20b/c") == Path("/a b/c")


class TestInside:
    """A folder is all files in it, however they lie."""

    def test_folders_are_no_files(self, tmp_path):
        """Neither is one that another program wrote, and that is called like a file."""
        (tmp_path / "march.parquet").mkdir()
        (tmp_path / "march.parquet" / "part 0.parquet").touch()

        assert inside(tmp_path) == [PurePath("march.parquet", "part 0.parquet")]

    def test_links_are_followed(self, tmp_path):
        """To folders elsewhere; one that leads back is not, and one that leads nowhere is a file that is not there."""
        (tmp_path / "elsewhere" / "deep").mkdir(parents=True)
        (tmp_path / "elsewhere" / "deep" / "may.parquet").touch()
        (tmp_path / "elsewhere" / "deep" / "back").symlink_to(tmp_path / "elsewhere")
        (tmp_path / "reports").mkdir()
        (tmp_path / "reports" / "link").symlink_to(tmp_path / "elsewhere")
        (tmp_path / "reports" / "gone.parquet").symlink_to("nowhere")

        assert sorted(inside(tmp_path / "reports")) == [
            PurePath("gone.parquet"),
            PurePath("link", "deep", "may.parquet"),
        ]


@pytest.mark.parametrize(
    "text, words",
    [
        ("http://meters/a", "http:// is not read here; s3://, gs:// and hdfs:// are"),
        ("s3://", "s3:// names no bucket; an address is s3://bucket/name"),
        ("s3:///a", "names no bucket"),
        ("s3://AKIA:secret@meters/a", "s3://meters/a: keys do not belong in an address"),
        ("s3://meters/a?secret_key=secret", "s3://meters/a: keys do not belong in an address"),
        ("gs://me:secret@meters/a", "keys do not belong"),
        ("hdfs://me:secret@head/a", "keys do not belong"),
        ("s3://meters/a?regoin=eu", "after ? there may be endpoint_override, region, scheme"),
        ("s3://meters/../a", "no . or .. may be in an address"),
    ],
)
def test_refusals(text, words):
    """What is no address is refused in a line that repeats no key."""
    with pytest.raises(UsageError) as refused:
        location(text)

    assert words in str(refused.value)
    assert "secret@" not in str(refused.value)
    assert "=secret" not in str(refused.value)
