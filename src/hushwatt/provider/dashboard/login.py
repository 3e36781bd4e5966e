"""The way in: an analyst types a token once, and a cookie stands for it until it is over or revoked."""

from urllib.parse import parse_qs, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hushwatt.errors import UsageError
from hushwatt.provider.api.access import COOKIE, Access
from hushwatt.provider.dashboard.renderer import Renderer
from hushwatt.provider.store.logins import LOGIN_SECONDS

MAX_FORM_BYTES = 4096  # bytes of a form


class Login:
    """Asks for a token, and remembers in the browser that it was given."""

    def __init__(self, access: Access, renderer: Renderer) -> None:
        self._access, self._renderer = access, renderer

    def form(self, request: Request, status: int = 401, wrong: bool = False, then: str = "") -> Response:
        """The page with the form; whoever signs in is led on to where they wanted to go."""
        if not then:
            then = str(request.url.replace(scheme="", netloc="")) if request.url.path != "/login" else "/"
        return self._renderer.page("login.html", status, title="Sign in", wrong=wrong, then=safe_redirect(then))

    async def page(self, request: Request) -> Response:
        return self.form(request, status=200)

    async def log_in(self, request: Request) -> Response:
        """Take a token from the form."""
        form = await _form(request)
        then = safe_redirect(form.get("then", "/"))
        token = form.get("token", "").strip()
        secret = await self._access.log_in(token) if token else None
        if secret is None:
            self._access.count_stranger(request)
            return self.form(request, wrong=True, then=then)
        response = RedirectResponse(then, 303)
        response.set_cookie(
            COOKIE,
            secret,
            max_age=LOGIN_SECONDS,
            path="/",
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="lax",
        )
        return response

    async def log_out(self, request: Request) -> Response:
        await self._access.log_out(request)
        response = RedirectResponse("/login", 303)
        response.delete_cookie(COOKIE, path="/")
        return response


def safe_redirect(address: str) -> str:
    """An address within this site, or the first page: no open redirect.

    >>> safe_redirect("/top?k=3"), safe_redirect("//evil.example/"), safe_redirect("https://evil.example/")
    ('/top?k=3', '/', '/')
    """
    parts = urlsplit(address.replace("\\", "/"))
    within = not parts.scheme and not parts.netloc and address.startswith("/") and address.isprintable()
    return address if within and not address.startswith(("//", "/\\")) else "/"


async def _form(request: Request) -> dict[str, str]:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_FORM_BYTES:
            raise UsageError(f"the form is larger than {MAX_FORM_BYTES:,} bytes")
    fields = parse_qs(body.decode("utf-8", "replace"))
    return {name: values[0] for name, values in fields.items()}
