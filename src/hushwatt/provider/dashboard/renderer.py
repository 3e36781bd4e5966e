"""Pages rendered from templates, with headers that let nothing in from elsewhere."""

import json
from collections.abc import Mapping
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from hushwatt.provider.dashboard.assets import Assets
from hushwatt.provider.dashboard.charts.figure import Figure

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Renderer:
    """Renders pages from Jinja templates."""

    def __init__(self, assets: Assets) -> None:
        self._templates = Environment(
            loader=PackageLoader("hushwatt.provider.dashboard"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.globals |= {"asset": assets.address}
        self._templates.filters |= {"json_for_script": json_for_script}

    def page(self, template: str, status: int = 200, headers: Mapping[str, str] | None = None, **more: Any) -> Response:
        text = self._templates.get_template(template).render(more)
        return HTMLResponse(text, status, {**HEADERS, **(headers or {})})


def json_for_script(figure: Figure) -> Markup:
    """A chart as JSON that cannot end the element it stands in.

    >>> json_for_script({"label": "</script>"})
    Markup('{"label":"\\\\u003c/script\\\\u003e"}')
    """
    text = json.dumps(figure, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)
