"""Pages apart from any server: every path has its answer, and nothing else has one."""

import pytest

from hushwatt.household.page.act import DEEDS
from hushwatt.household.page.data import OwnerPageData
from hushwatt.household.page.render import PAGES


def test_every_page_is_one(owner, plan_id):
    """A status, headers and a whole document, for whoever serves it."""
    number = {"plan": plan_id, "id": plan_id, "slot": "2"}
    for path in {*PAGES, "limits"} - {"request"}:
        status, headers, body = owner.get(path, **number)

        assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
        assert body.startswith("<!doctype html>")
        assert body.endswith("</html>")


@pytest.mark.parametrize("path", ["../ledger.sqlite", "pause", "favicon.ico", "plan", "history/", "HISTORY"])
def test_nothing_else_is(owner, path):
    """Other paths are empty, and so is a plan that is not named."""

    assert owner.get(path).status == 404


def test_a_form_without_its_key_does_nothing(owner):
    """Whoever serves the pages, each form is checked here."""

    assert {owner.post(path, key="guess").status for path in (*DEEDS, "other")} == {403}
    assert owner.post("other").status == 403


def test_a_host_without_a_folder_shows_and_changes_no_limits(owner, plan_id):
    """The page of a home whose files are elsewhere works, without what needs them."""
    data = OwnerPageData(owner.home.store, owner.home.caps, owner.home.clock.wall, {}, [], "key")
    from hushwatt.household.page.act import act
    from hushwatt.household.page.render import render

    assert render("reports", {}, data).status == 200
    assert render("report", {"plan": plan_id, "slot": "2"}, data).status == 200
    assert act("limits", {"key": "key", "epsilon_per_day": "1"}, data).status == 404
    assert repr(data) == "<what the owner's page shows>"
