"""The owner's page inside Home Assistant: a panel for administrators, and what answers it.

The page shows true levels to the owner.  It goes to signed-in administrators only, and is kept by nobody.
"""

from http import HTTPStatus
from pathlib import Path
from urllib.parse import parse_qs

from aiohttp import web
from homeassistant.components import frontend
from homeassistant.components.http import StaticPathConfig
from homeassistant.components.http.const import KEY_HASS_USER
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import Unauthorized
from homeassistant.helpers.http import KEY_HASS, HomeAssistantView

from hushwatt.errors import HushwattError
from hushwatt.household.page.data import Rendered

from .const import DOMAIN
from .home import async_get_home

FILES, SCRIPT = "/hushwatt_files", "panel.js"
MAX_FORM = 10_000  # bytes
VIEW_ADDED = f"{DOMAIN}_view"


async def async_show_panel(hass: HomeAssistant) -> None:
    """Put the page into the sidebar, where there is one."""
    if "frontend" not in hass.config.components:
        return
    if not hass.data.get(VIEW_ADDED):
        hass.data[VIEW_ADDED] = True
        folder = Path(__file__).parent / "frontend"
        await hass.http.async_register_static_paths([StaticPathConfig(FILES, str(folder), False)])
        hass.http.register_view(PageView())
    frontend.async_register_built_in_panel(
        hass,
        component_name="custom",
        sidebar_title=DOMAIN,
        sidebar_icon="mdi:shield-home",
        frontend_url_path=DOMAIN,
        config={"_panel_custom": {"name": "hushwatt-panel", "module_url": f"{FILES}/{SCRIPT}", "embed_iframe": False}},
        require_admin=True,
        update=True,
    )


def hide_panel(hass: HomeAssistant) -> None:
    """Take it away with the last entry."""
    if "frontend" in hass.config.components:
        frontend.async_remove_panel(hass, DOMAIN, warn_if_unknown=False)


class PageView(HomeAssistantView):
    """Every path and button of the page, for administrators."""

    url, name = "/api/hushwatt/page/{path:.*}", "api:hushwatt:page"

    async def get(self, request: web.Request, path: str) -> web.Response:
        return await self._async_answer(request, "get", path, dict(request.query))

    async def post(self, request: web.Request, path: str) -> web.Response:
        if (request.content_length or 0) > MAX_FORM:
            return self.json_message("too large", HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        text = (await request.content.read(MAX_FORM)).decode("utf-8", "replace")
        fields = {name: values[0] for name, values in parse_qs(text, keep_blank_values=True).items()}
        return await self._async_answer(request, "post", path, fields)

    async def _async_answer(self, request: web.Request, method: str, path: str, fields: dict[str, str]) -> web.Response:
        if not request[KEY_HASS_USER].is_admin:
            raise Unauthorized
        hass = request.app[KEY_HASS]
        page = async_get_home(hass).page
        if page is None:
            return self.json_message("the home does not run", HTTPStatus.SERVICE_UNAVAILABLE)
        try:
            rendered = await hass.async_add_executor_job(getattr(page, method), path, fields)
        except HushwattError as wrong:
            return self.json_message(str(wrong), HTTPStatus.SERVICE_UNAVAILABLE)
        return self.json(_as_json(rendered), headers={"Cache-Control": "no-store"})


def _as_json(rendered: Rendered) -> dict[str, str | int | None]:
    about = {name.lower(): value for name, value in rendered.headers.items()}
    return {
        "status": rendered.status,
        "type": about.get("content-type", "text/plain"),
        "location": about.get("location"),
        "body": rendered.body,
    }
