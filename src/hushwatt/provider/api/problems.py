"""Problem documents (RFC 9457): what was asked, what stands in the way, never what was sent."""

from typing import Any

from starlette.responses import JSONResponse

PREFIX = "urn:hushwatt:problem:"
MEDIA_TYPE = "application/problem+json"

# name: status, title
PROBLEMS = {
    "unknown-plan": (404, "This plan is not collected here"),
    "plan-over": (410, "This plan has ended"),
    "results-not-shared": (403, "This plan does not share its results with homes"),
    "not-found": (404, "There is nothing here"),
    "wrong-method": (405, "This address does not do that"),
    "wrong-request": (422, "The request cannot be understood"),
    "not-http": (400, "This is no request"),
    "head-too-large": (431, "The head of the request is too large"),
    "wrong-size": (400, "The body is not whole records"),
    "nothing-accepted": (422, "No report was accepted"),
    "too-large": (413, "The body is too large"),
    "compressed": (415, "Bodies must not be compressed"),
    "too-slow": (408, "The request took too long"),
    "signature-missing": (401, "The request is not signed"),
    "signature-refused": (401, "No enrolled device signed this request"),
    "clock-off": (401, "The signer's clock is too far off"),
    "code-refused": (403, "The code is unknown, used or expired"),
    "token-needed": (401, "An analyst's token is needed"),
    "operator-needed": (403, "An operator's token is needed"),
    "wrong-host": (400, "The request must name one host"),
    "wrong-origin": (403, "The request comes from a page of another site"),
    "too-many": (429, "Too many requests"),
    "unavailable": (503, "The store cannot take anything now"),
    "failed": (500, "The service failed"),
}


class Problem(Exception):
    """A request that is refused, and why."""

    def __init__(self, name: str, detail: str = "", retry: int | None = None, **more: Any) -> None:
        self.name, self.detail, self.retry, self.more = name, detail, retry, more
        super().__init__(name)

    @property
    def status(self) -> int:
        return PROBLEMS[self.name][0]

    def response(self) -> JSONResponse:
        status, title = PROBLEMS[self.name]
        fields = {"type": PREFIX + self.name, "title": title, "status": status}
        if self.detail:
            fields["detail"] = self.detail
        headers = {"Retry-After": str(self.retry)} if self.retry is not None else {}
        if status == 401:
            headers["WWW-Authenticate"] = "Bearer" if self.name == "token-needed" else "Hushwatt-Signature"
        return JSONResponse(fields | self.more, status, headers, MEDIA_TYPE)
