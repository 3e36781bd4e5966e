"""The service over HTTP: `make_app` gives an application for any ASGI server.

Uploads are a plain route, as there are many of them; all else is FastAPI's, with an
OpenAPI description.  Whatever is refused is answered with a problem document (RFC 9457).
"""

from hushwatt.provider.api.app import make_app

__all__ = ["make_app"]
