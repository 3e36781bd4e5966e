"""pyarrow's own file systems, each opened once, with keys by its library's usual ways.

S3 takes keys from the environment, a profile, or the machine's role, and another endpoint from AWS_ENDPOINT_URL.
Google's store takes them from its application default credentials, Hadoop's from libhdfs.
"""

import os
from functools import cache
from typing import Any

ATTEMPTS = 4  # of a request to S3, with growing pauses
CONNECT_SECONDS, REQUEST_SECONDS = 10, 60
RETRY_SECONDS = 20  # for which Google's store is asked again

Settings = tuple[tuple[str, str], ...]


def FILE() -> Any:
    """pyarrow's word for a file; imported late, as commands start without it."""
    from pyarrow.fs import FileType

    return FileType.File


def FOLDER() -> Any:
    """pyarrow's word for a folder."""
    from pyarrow.fs import FileType

    return FileType.Directory


def filesystem(scheme: str, store: str, settings: Settings) -> Any:
    """The file system of a store; the same one for the same environment, as connections are kept."""
    return _opened(scheme, store, settings, endpoint(), region(), os.getpid())


def endpoint() -> str | None:
    """Where S3 is, when it is not at Amazon's."""
    return os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or None


def region() -> str | None:
    """The region that the environment names."""
    return os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or None


@cache
def _opened(scheme: str, store: str, settings: Settings, endpoint: str | None, region: str | None, process: int) -> Any:
    """A process has its own: connections do not survive a fork."""
    told = dict(settings)
    if scheme == "s3":
        return _s3(store, told, told.get("endpoint_override") or endpoint, told.get("region") or region)
    from pyarrow.fs import FileSystem

    if scheme == "gs":
        told = {"retry_limit_seconds": str(RETRY_SECONDS)} | told
    query = "&".join(f"{name}={value}" for name, value in told.items())
    return FileSystem.from_uri(f"{scheme}://{store}/{'?' if query else ''}{query}")[0]


def _s3(bucket: str, told: dict[str, str], endpoint: str | None, region: str | None) -> Any:
    from pyarrow.fs import AwsStandardS3RetryStrategy, S3FileSystem, resolve_s3_region

    if region is None and endpoint is None:
        region = resolve_s3_region(bucket)
    return S3FileSystem(
        endpoint_override=endpoint,
        region=region,
        scheme=told.get("scheme", "https"),
        connect_timeout=CONNECT_SECONDS,
        request_timeout=REQUEST_SECONDS,
        retry_strategy=AwsStandardS3RetryStrategy(max_attempts=ATTEMPTS),
        allow_delayed_open=True,  # what is small goes in one request
    )
