"""What stores say becomes one line of ours, without theirs."""

import pyarrow as pa
import pytest

from hushwatt.errors import StorageError
from hushwatt.wire.storage.problems import BUSY, DENIED, MISSING, NO_HADOOP, SILENT, UNKNOWN_KEYS, reason, told_plainly

AWS = "When listing objects under key '' in bucket 'meters': AWS Error {} during ListObjectsV2 operation: AKIAKEY"


@pytest.mark.parametrize(
    "error, words",
    [
        (OSError(AWS.format("SLOW_DOWN")), BUSY),
        (OSError(AWS.format("ACCESS_DENIED")), DENIED),
        (OSError(AWS.format("UNKNOWN (HTTP status 403)")), DENIED),
        (OSError(AWS.format("UNKNOWN (HTTP status 503)")), BUSY),
        (OSError(AWS.format("SIGNATURE_DOES_NOT_MATCH")), UNKNOWN_KEYS),
        (OSError(AWS.format("NETWORK_CONNECTION")), SILENT),
        (OSError(AWS.format("MALFORMED (HTTP status 418)")), "the store answers MALFORMED 418"),
        (OSError("google::cloud::Status(UNAVAILABLE: Retry policy exhausted in GetObjectMetadata)"), SILENT),
        (OSError("google::cloud::Status(PERMISSION_DENIED: token ya29.secret)"), DENIED),
        (OSError("Unable to load libjvm: /usr/lib/libjvm.so"), NO_HADOOP),
        (FileNotFoundError("meters/a"), MISSING),
        (pa.ArrowInvalid("AKIAKEY is odd"), "the store gave up (ArrowInvalid)"),
    ],
)
def test_reasons(error, words):
    """Every answer that a person can do something about has words that say what."""
    assert reason(error) == words


def test_only_stores_are_told_plainly():
    """A bug of ours stays loud; a store's refusal names the address."""
    with pytest.raises(ZeroDivisionError), told_plainly("s3://meters/a"):
        raise ZeroDivisionError
    with pytest.raises(StorageError, match=r"^s3://meters/a: access is denied"), told_plainly("s3://meters/a"):
        raise OSError(AWS.format("ACCESS_DENIED"))
