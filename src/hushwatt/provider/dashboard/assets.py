"""The style sheet, the scripts and plotly: served from what is installed, and kept by browsers.

An address holds the content's hash or plotly's version, so it never means anything else.
"""

import gzip
import hashlib
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from hushwatt.errors import UsageError

FOLDER = Path(__file__).parent / "static"
MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
CACHE_CONTROL = "public, max-age=31536000, immutable"
GZIP_LEVEL = 6  # gzip's level


@dataclass(frozen=True)
class Asset:
    """A file that pages need."""

    file: Path
    address: str

    @property
    def media_type(self) -> str:
        return f"{MEDIA_TYPES[self.file.suffix]}; charset=utf-8"

    @cached_property
    def content(self) -> bytes:
        """Read once, so that many who take it slowly hold it once."""
        return self.file.read_bytes()

    @cached_property
    def gzipped(self) -> bytes:
        """The content as gzip, made once."""
        return gzip.compress(self.file.read_bytes(), GZIP_LEVEL, mtime=0)

    def response(self, accepts: str) -> Response:
        headers = {"Cache-Control": CACHE_CONTROL, "Vary": "Accept-Encoding"}
        if "gzip" in accepts:
            headers["Content-Encoding"] = "gzip"
            return Response(self.gzipped, media_type=self.media_type, headers=headers)
        return Response(self.content, media_type=self.media_type, headers=headers)


class Assets:
    """All such files, by name for pages and by address for browsers."""

    def __init__(self) -> None:
        own = {file.name: Asset(file, _address(file)) for file in sorted(FOLDER.iterdir())}
        self._by_name = own | {"plotly": plotly()}
        self._by_address = {asset.address: asset for asset in self._by_name.values()}

    def address(self, name: str) -> str:
        return self._by_name[name].address

    def serve(self, request: Request) -> Response:
        asset = self._by_address.get(request.url.path)
        if asset is None:
            return Response("There is nothing here.\n", 404, media_type="text/plain")
        return asset.response(request.headers.get("accept-encoding", ""))


def plotly() -> Asset:
    """plotly's script from its installed package, which need not be imported."""
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise UsageError("the dashboard's charts need plotly: pip install 'hushwatt[provider]'")
    file = Path(spec.origin).parent / "package_data" / "plotly.min.js"
    return Asset(file, f"/static/plotly-{version('plotly')}.js")


def _address(file: Path) -> str:
    mark = hashlib.sha256(file.read_bytes()).hexdigest()[:12]
    return f"/static/{file.stem}-{mark}{file.suffix}"
