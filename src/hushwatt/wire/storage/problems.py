"""What a store refuses, in one line; never its own words, which may repeat a key."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hushwatt.errors import StorageError

AWS = re.compile(r"AWS Error (\w+)(?: \(HTTP status (\d+)\))?")
GOOGLE = re.compile(r"google::cloud::Status\((\w+)|\b(UNAVAILABLE|UNAUTHENTICATED|PERMISSION_DENIED|NOT_FOUND)\b")

DENIED = "access is denied; are the keys right, and may they do this?"
NO_BUCKET = "there is no such bucket"
UNKNOWN_KEYS = "the store does not accept these keys"
BUSY = "the store is too busy, also after several attempts; try again later"
SILENT = "the store does not answer; is the endpoint right, and the network there?"
ELSEWHERE = "the bucket is in another region; name it in AWS_REGION, or with ?region= after the address"
NO_HADOOP = "this needs Hadoop's libhdfs and Java: set HADOOP_HOME, JAVA_HOME and CLASSPATH as for its commands"
MISSING = "there is no such file or folder"

PASSING = (BUSY, SILENT)  # what may be over in a moment

WORDS = {
    "ACCESS_DENIED": DENIED,
    "PERMISSION_DENIED": DENIED,
    "403": DENIED,
    "401": UNKNOWN_KEYS,
    "INVALID_ACCESS_KEY_ID": UNKNOWN_KEYS,
    "INVALID_CLIENT_TOKEN_ID": UNKNOWN_KEYS,
    "INVALID_SIGNATURE": UNKNOWN_KEYS,
    "SIGNATURE_DOES_NOT_MATCH": UNKNOWN_KEYS,
    "UNRECOGNIZED_CLIENT": UNKNOWN_KEYS,
    "UNAUTHENTICATED": UNKNOWN_KEYS,
    "REQUEST_EXPIRED": "these keys have expired",
    "REQUEST_TIME_TOO_SKEWED": "this machine's clock is wrong, or the store's",
    "NO_SUCH_BUCKET": NO_BUCKET,
    "NO_SUCH_KEY": MISSING,
    "RESOURCE_NOT_FOUND": MISSING,
    "NOT_FOUND": MISSING,
    "404": MISSING,
    "SLOW_DOWN": BUSY,
    "THROTTLING": BUSY,
    "REQUEST_TIMEOUT": BUSY,
    "SERVICE_UNAVAILABLE": BUSY,
    "INTERNAL_FAILURE": BUSY,
    "429": BUSY,
    "500": BUSY,
    "502": BUSY,
    "503": BUSY,
    "504": BUSY,
    "NETWORK_CONNECTION": SILENT,
    "UNAVAILABLE": SILENT,
    "301": ELSEWHERE,
    "PERMANENT_REDIRECT": ELSEWHERE,
}


@contextmanager
def told_plainly(path: Any) -> Iterator[None]:
    """What pyarrow raises inside becomes a StorageError that names the address."""
    try:
        yield
    except StorageError:
        raise
    except Exception as error:
        if not _is_from_pyarrow(error):
            raise
        raise StorageError(f"{path}: {reason(error)}") from None


def reason(error: BaseException) -> str:
    """What went wrong with a store, in our words.

    >>> reason(OSError("When listing objects: AWS Error SLOW_DOWN during ListObjectsV2: key AKIA1"))
    'the store is too busy, also after several attempts; try again later'
    """
    if isinstance(error, FileNotFoundError):
        return MISSING
    text = str(error)
    if any(word in text for word in ("libjvm", "libhdfs", "HDFS connection failed")):
        return NO_HADOOP
    found = AWS.search(text) or GOOGLE.search(text)
    codes = [code for code in found.groups() if code] if found else []
    for code in codes:
        if code in WORDS:
            return WORDS[code]
    return f"the store answers {' '.join(codes)}" if codes else f"the store gave up ({type(error).__name__})"


def _is_from_pyarrow(error: Exception) -> bool:
    import pyarrow as pa

    return isinstance(error, OSError | pa.ArrowException | ValueError | NotImplementedError)
