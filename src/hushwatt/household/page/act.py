"""What the forms of the owner's pages do, apart from any server; each needs the key that only such a page carries."""

import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress

from hushwatt.errors import HushwattError
from hushwatt.household.compare import set_comparison
from hushwatt.household.join import pause, resume
from hushwatt.household.ledger.caps import write_caps
from hushwatt.household.page.data import OwnerPageData, Rendered
from hushwatt.household.page.leaving import left_page
from hushwatt.household.page.limits import changes_in, confirm_page, limits_page
from hushwatt.household.page.render import HTML, PLAIN, nothing_here

Form = Mapping[str, str]
BACK = Rendered(303, PLAIN | {"Location": "./"}, "")
NOT_OURS = Rendered(403, PLAIN, "This button is not from this page; load it again.")


def act(path: str, form: Form, data: OwnerPageData) -> Rendered:
    """Do what a form says; nothing, when it was not ours."""
    ours = secrets.compare_digest(form.get("key", "").encode(), data.csrf_token.encode())
    if not ours or path not in DEEDS:
        return NOT_OURS
    return DEEDS[path](form, data)


def _pause(form: Form, data: OwnerPageData) -> Rendered:
    with suppress(HushwattError):  # there may be nothing to pause
        pause(data.store, form.get("plan") or None, data.now)
    return BACK


def _resume(form: Form, data: OwnerPageData) -> Rendered:
    with suppress(HushwattError):
        resume(data.store, form.get("plan") or None)
    return BACK


def _compare(form: Form, data: OwnerPageData) -> Rendered:
    set_comparison(data.store, form.get("on") == "1")
    return BACK


def _limits(form: Form, data: OwnerPageData) -> Rendered:
    """Write what was changed; what lets more be told is asked about first."""
    if data.folder is None:
        return nothing_here()
    changes, wrong = changes_in(data, form)
    if wrong:
        found = limits_page(data, {name: value for name, value in form.items() if name != "key"}, wrong)
        return Rendered(found.status, HTML, found.body)
    if any(each.raised for each in changes) and form.get("sure") != "yes":
        return Rendered(200, HTML, confirm_page(data, changes))
    if changes:
        write_caps(data.folder.caps_path, [each.setting for each in changes])
    return Rendered(303, PLAIN | {"Location": "limits"}, "")


def _leave(form: Form, data: OwnerPageData) -> Rendered:
    page = left_page(data, form.get("plan", ""), forget=False)
    return nothing_here() if page is None else Rendered(200, HTML, page)


def _forget(form: Form, data: OwnerPageData) -> Rendered:
    page = left_page(data, form.get("plan", ""), forget=True)
    return nothing_here() if page is None else Rendered(200, HTML, page)


DEEDS: dict[str, Callable[[Form, OwnerPageData], Rendered]] = {
    "pause": _pause,
    "resume": _resume,
    "compare": _compare,
    "limits": _limits,
    "leave": _leave,
    "forget": _forget,
}
