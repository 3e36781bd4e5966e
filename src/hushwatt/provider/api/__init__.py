"""The service over HTTP: a file for each kind of route, and what stands around all of them.

A request passes `connection` (timeouts), `middleware` (`head`, `proof`, `memory_limit`), `signed` or
`access` (`token_bucket`), then its route: `upload`, `devices`, `plans`, `estimates`, `operations`.

Uploads are a plain route, as there are many of them; all else is FastAPI's, with an
OpenAPI description.  Whatever is refused is answered with a problem document (RFC 9457).
"""
