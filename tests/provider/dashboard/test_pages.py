"""The pages as a browser without JavaScript gets them."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.provider.collecting import ServiceClient, histories, records

from hushwatt.audit.harness.local_service import config_for
from hushwatt.errors import UsageError
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import report
from hushwatt.plan import SlotLength
from hushwatt.plan.presets import preset
from hushwatt.privacy.entropy import Simulation
from hushwatt.provider.dashboard import assets
from hushwatt.provider.dashboard.query import choose_plan
from hushwatt.provider.dashboard.renderer import CONTENT_SECURITY_POLICY
from hushwatt.provider.dashboard.views import VIEWS, series, times
from hushwatt.provider.store.access_tokens import add_token
from hushwatt.provider.store.plans import add_plan
from hushwatt.provider.store.session import StoreUnavailable

PATHS = [view.path for view in VIEWS]
ANSWERS = [view.path for view in VIEWS if view.shows_estimates]
HOMES, SLOTS = 120, 6
FEW = 3  # the slot in which too few homes report
VOID = {"meta", "link", "img", "input", "br", "hr"}


@pytest.fixture(scope="module")
def plan(plan_of):
    return plan_of(3, 4, 2, method="lbu", epsilon=60_000_000, minimum_homes=100)


@pytest.fixture(scope="module")
def collected(plan, tmp_path_factory):
    """A service with six slots, one of them with too few homes; for all tests that only look."""
    folder = tmp_path_factory.mktemp("collected")
    talk = ServiceClient(config_for(folder, plan), plan, plan.start)
    with talk.client:
        fill(talk)
        yield talk


def fill(talk):
    """Six slots of reports; the slots are published."""
    key, name, devices = talk.gateway(HOMES)
    for sent in histories(talk.plan, HOMES, SLOTS):
        talk.at_slot(sent.slot)
        body = records(devices, sent)
        size = len(body) // HOMES
        talk.send(key, name, body[: size * 63] if sent.slot == FEW else body)
    talk.at_slot(SLOTS)


class Page(HTMLParser):
    """A page taken apart: its text, its elements, its charts."""

    def __init__(self, response):
        super().__init__()
        self.elements, self.open, self.text, self.charts, self.mistakes = [], [], "", [], []
        self.feed(response.text)
        self.text = re.sub(r"\s+", " ", self.text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.text += " "
        if tag not in VOID:
            self.open.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        last, _ = self.open.pop() if self.open else ("", {})
        if last != tag:
            self.mistakes.append((last, tag))

    def handle_data(self, data):
        if self.open and self.open[-1][0] == "script":
            self.charts.append(json.loads(data))
        else:
            self.text += data

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


def page_of(talk, path, **more):
    response = talk.client.get(path, **more)
    return response, Page(response)


@pytest.mark.parametrize("path", PATHS)
def test_every_view_answers(collected, path):
    """Every view is a whole page, with a heading, landmarks and a way to skip to the content."""
    response, page = page_of(collected, path)
    headings = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]

    assert response.status_code == 200
    assert page.mistakes == []
    assert page.open == []
    assert page.all("html")[0]["lang"] == "en"
    assert headings[0] == 1
    assert headings.count(1) == 1
    assert [tag for tag, _ in page.elements if tag in ("header", "nav", "main", "footer")] == [
        "header",
        "nav",
        "main",
        "footer",
    ]
    assert {"class": "skip", "href": "#content"} in page.all("a")
    assert [link["href"] for link in page.all("a") if link.get("aria-current") == "page"] == [path]


@pytest.mark.parametrize("path", PATHS)
def test_nothing_is_inline_and_nothing_comes_from_elsewhere(collected, path):
    """No script, style or handler stands in a page, every address is this site's, and the policy says so."""
    response, page = page_of(collected, path)
    handlers = [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    addresses = [
        attributes[name]
        for tag, attributes in page.elements
        for name in ("src", "href", "action")
        if name in attributes
    ]

    assert response.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    assert response.headers["cache-control"] == "no-store"
    assert page.all("style") == []
    assert handlers == []
    assert not any("style" in attributes for _, attributes in page.elements)
    assert all("src" in each or each["type"] == "application/json" for each in page.all("script"))
    assert all(address.startswith(("/", "#")) and not address.startswith("//") for address in addresses)


@pytest.mark.parametrize("path", PATHS)
def test_charts_have_names_and_tables(collected, path):
    """Every chart is named for those who cannot see it, and a table beside it has its numbers."""
    _, page = page_of(collected, path)
    plots = [each for each in page.all("div") if each.get("role") == "img"]

    assert len(plots) == len(page.charts)
    assert all(plot["aria-label"] for plot in plots)
    assert len(page.all("table")) >= len(plots)
    assert len(page.all("caption")) == len(page.all("table"))
    assert all(cell["scope"] in ("row", "col") for cell in page.all("th"))


@pytest.mark.parametrize("path", PATHS)
def test_files_are_everywhere(collected, path):
    """Every view links to the numbers as CSV, Parquet and JSON, and the links work."""
    _, page = page_of(collected, f"{path}?from=2024-01-02&to=2024-01-03")
    links = [link["href"] for link in page.all("a") if "/export." in link["href"]]

    assert [re.search(r"export\.(\w+)", link)[1] for link in links] == ["csv", "parquet", "json"]
    assert all("from=2024-01-02&to=2024-01-03" in link for link in links)
    assert [collected.client.get(link).status_code for link in links] == [200, 200, 200]


def test_fields_have_labels(collected):
    """Every field of every form has a label or is hidden."""
    for path in PATHS:
        _, page = page_of(collected, path)
        named = {label.get("for") for label in page.all("label")}
        fields = [each for each in page.all("input") + page.all("select") if each.get("type") != "hidden"]

        assert all(each.get("id") in named or each["name"] == "appliance" for each in fields)


def test_overview_tells_how_complete_the_slot_is(collected):
    """The overview shows homes, the slot that is open with its life, the plan and ε."""
    _, page = page_of(collected, "/")

    assert "Homes 120 enrolled now" in page.text
    assert "Current slot 8 Jan 2024" in page.text
    assert [each["class"] for each in page.all("li") if each.get("class")] == ["here", *["ahead"] * 3]
    assert "0 of 120 reports, 0 %" in page.text
    assert "ε 60" in page.text


def test_ranks_that_overlap_are_ties(collected):
    """The top shows the ranks that the estimates leave open, and the same watts as the service answers."""
    told = collected.get("/top").json()["appliances"]
    _, page = page_of(collected, "/top")
    ranks = [each["rank_ci95"] for each in told.values()]
    shown = [str(best) if best == worst else f"{best}–{worst}" for best, worst in ranks]

    assert page.charts[0]["data"][0]["x"] == [each["mean_watts"] for each in told.values()]
    assert [label.split("  ")[1] for label in page.charts[0]["layout"]["yaxis"]["ticktext"]] == shown


def test_ties_are_said(collecting, plan_of):
    """Appliances that nothing tells apart share their ranks, and the page says that they are tied."""
    plan = plan_of(2, 2, epsilon=200_000, minimum_homes=10)
    talk = collecting(plan)
    key, name, devices = talk.gateway(40)
    for sent in histories(plan, 40, 1, seed=2):
        talk.at_slot(0)
        talk.send(key, name, records(devices, sent))
    talk.at_slot(3)
    _, page = page_of(talk, "/top")

    assert "are tied for first place" in page.text
    assert "1–2" in page.text


def test_k_limits_the_top(collected):
    """As many appliances are shown as the address asks for."""
    _, page = page_of(collected, "/top?k=2")

    assert len(page.charts[0]["data"][0]["x"]) == 2


def test_too_few_homes_are_marked_never_zero(collected):
    """A slot with too few homes is hatched and said so, in the heat map and over time."""
    _, heat = page_of(collected, "/times")
    _, series = page_of(collected, "/series")
    *_, holes = heat.charts[0]["data"]
    line = next(trace["y"] for trace in series.charts[0]["data"] if "customdata" in trace)

    assert set(holes["x"]) == {FEW}
    assert len(holes["x"]) == 3
    assert holes["marker"]["pattern"]["shape"] == "/"
    assert "too few homes: 63 reported, 100 needed" in holes["hovertext"][0]
    assert [place for place, value in enumerate(line) if value is None] == [FEW]
    assert heat.text.count("too few homes") >= 3
    assert "few" in [cell.get("class") for cell in heat.all("td")]


def test_a_slot_without_reports_is_a_hole_too(collecting, plan):
    """A slot in which nobody reported stands between the others as too few homes."""
    talk = collecting(plan)
    key, name, devices = talk.gateway(HOMES)
    for sent in histories(plan, HOMES, 3):
        talk.at_slot(sent.slot)
        if sent.slot != 1:
            talk.send(key, name, records(devices, sent))
    talk.at_slot(3)
    _, page = page_of(talk, "/times")

    assert set(page.charts[0]["data"][-1]["x"]) == {1}
    assert "0 reported, 100 needed" in page.charts[0]["data"][-1]["hovertext"][0]


def test_the_range_lives_in_the_address(collected):
    """A range in the address is what is shown, stays in the fields, and goes along to other views."""
    _, page = page_of(collected, "/series?from=2024-01-02&to=2024-01-03&smooth=1")
    fields = {each["id"]: each for each in page.all("input") if "id" in each}
    links = [link["href"] for link in page.all("a") if link["href"].startswith("/top")]

    assert "2 Jan 2024 to 3 Jan 2024" in page.text
    assert (fields["from"]["value"], fields["to"]["value"]) == ("2024-01-02", "2024-01-03")
    assert "checked" in fields["smooth"]
    assert links == ["/top?from=2024-01-02&to=2024-01-03&smooth=1"]


def test_smoothing_is_what_the_service_answers(collected):
    """With the switch on, the line is the smoothed one of the service."""
    told = collected.get("/estimates?smooth=true").json()["slots"]
    _, page = page_of(collected, "/series?smooth=1&appliance=appliance%201")
    line = next(trace for trace in page.charts[0]["data"] if "customdata" in trace)
    expected = [slot["appliances"]["appliance 1"]["mean_watts"] if "appliances" in slot else None for slot in told]

    assert line["y"] == pytest.approx(expected, nan_ok=True)


def test_slots_that_are_not_smoothed_are_marked(collected):
    """The first slot has no past to learn from; the table and the chart say so, and only when smoothing."""
    _, smooth = page_of(collected, "/series?smooth=1&appliance=appliance%201")
    _, plain = page_of(collected, "/series?appliance=appliance%201")
    line = next(trace for trace in smooth.charts[0]["data"] if "customdata" in trace)

    assert line["customdata"][0][2] == ", not smoothed"
    assert "not smoothed" in smooth.text
    assert "not smoothed" not in plain.text


def test_what_hardly_any_home_measures_is_said(plan, tmp_path):
    """Homes were asked, and nearly all answered that they do not measure it: no levels, no mean, and why."""
    asks = replace(plan, unmeasured="answer")
    talk = ServiceClient(config_for(tmp_path, asks), asks, asks.start)
    source = Simulation(1, "homes")
    with talk.client:
        (key, name, devices), fleet = talk.gateway(HOMES), enrol(asks, HOMES, 0, source)
        levels = np.stack([np.full(HOMES, asks.widths[0] - 1), *np.zeros((2, HOMES))], axis=1).astype(np.uint16)
        for slot in range(2):
            talk.at_slot(slot)
            talk.send(key, name, records(devices, report(fleet, slot, levels, source)))
        talk.at_slot(2)
        _, about = page_of(talk, "/levels?appliance=appliance%200")
        _, top = page_of(talk, "/top")

    assert "Too few homes measure their appliance 0 for levels and a mean: " in about.text
    assert "Hardly any home measures appliance 0: no mean and no rank." in top.text


def test_levels_have_intervals(collected):
    """The levels of an appliance add up to all homes, each within its interval."""
    _, page = page_of(collected, "/levels?appliance=appliance%201")
    (bars,) = page.charts[0]["data"]

    assert len(bars["y"]) == 4
    assert sum(bars["y"]) == pytest.approx(HOMES)
    assert all(error > 0 for error in bars["error_y"]["array"])


def test_collection_tells_what_was_refused(collecting, plan):
    """Late reports, refusals with their reasons, and clocks are shown."""
    talk = collecting(plan)
    fill(talk)
    key, name, devices = talk.gateway(2)
    (sent,) = histories(plan, 2, 1)
    talk.send(key, name, records(devices, sent))
    talk.client.get("/v1/plans/unknown")
    _, page = page_of(talk, "/collection")

    assert "too late the slot was closed already 2" in page.text
    assert "unknown plan the plan is not collected here 1" in page.text
    assert "Late 2" in page.text
    assert "within 1 s 7" in page.text
    assert len(page.charts) == 2


def test_plan_in_plain_words(collected):
    """The plan page tells both protections, the influence of a report, and what accuracy to expect."""
    _, page = page_of(collected, "/plan?homes=5000&slots=10")

    for words in (
        "The whole home",
        "One appliance",
        "counts in a mean as at most",
        "With 5,000 homes over 10 slots",
    ):
        assert words in page.text
    assert collected.plan.id in page.text


@pytest.mark.parametrize("path", PATHS)
def test_not_yet_is_an_answer(collecting, plan, path):
    """Before there are enough homes every view works, and says how many there are and when to look again."""
    talk = collecting(plan, days=0.5, grace="14h")
    key, name, devices = talk.gateway(63)
    (sent,) = histories(plan, 63, 1)
    talk.send(key, name, records(devices, sent))
    response, page = page_of(talk, path)

    assert response.status_code == 200
    if path in ANSWERS or path == "/":
        assert "Not yet: 63 of 100 homes" in page.text
        assert "Next look at 14:00 on 2 Jan 2024 (UTC)." in page.text


@pytest.mark.parametrize("path", PATHS)
def test_an_empty_store_has_pages(collecting, plan, path):
    """Before the plan has begun and without a single home every view works."""
    response, _ = page_of(collecting(plan, days=-3), path)

    assert response.status_code == 200


def test_a_service_without_a_plan_says_so():
    """There is nothing to show yet, whatever is asked for."""
    nothing: Any = SimpleNamespace(collections={})
    for word in ("", "ffff"):
        with pytest.raises(UsageError, match="no plan is collected here yet"):
            choose_plan(nothing, word)


def test_a_plan_that_is_over_says_so(collecting, plan):
    """When no slot will follow, there is no next look."""
    _, page = page_of(collecting(plan, days=800), "/top")

    assert "The plan is over: no more slots will be published." in page.text


@pytest.mark.parametrize(
    "query, complaint",
    [
        ("from=yesterday", "from is 'yesterday'; write a date"),
        ("to=2024-13-01", "to is '2024-13-01'"),
        ("from=2024-02-01&to=2024-01-01", "from 2024-02-01 is after to 2024-01-01"),
        ("from=9999-12-31T23:59-14:00", "outside the calendar"),
        ("smooth=perhaps", "smooth is 'perhaps'; write 1 or 0"),
        ("k=0", "k is '0'; write a whole number from 1 to 1,000"),
        ("k=¹", "k is '¹'"),
        ("homes=many", "homes is 'many'"),
        ("slots=4000", "slots is '4000'"),
        ("plan=ffff", "no plan here has an id like 'ffff'"),
        ("appliance=kettel", "this plan has no appliance 'kettel'"),
        ("appliance=appliance+7", "did you mean"),
        ("from=" + "2" * 101, "from is 101 characters long"),
    ],
)
@pytest.mark.parametrize("path", ["/", "/series"])
def test_bad_addresses_are_refused_in_a_line(collected, path, query, complaint):
    """What cannot be understood is a page that says what to change, status 400."""
    response, page = page_of(collected, f"{path}?{query}")

    assert response.status_code == 400
    assert complaint in page.text
    assert response.headers["content-security-policy"] == CONTENT_SECURITY_POLICY


def test_too_many_appliances_are_refused(collecting, plan_of):
    """Five lines cannot be told apart."""
    talk = collecting(plan_of(2, 2, 2, 2, 2))
    names = "&".join(f"appliance=appliance+{place}" for place in range(5))
    response, page = page_of(talk, f"/series?{names}")

    assert response.status_code == 400
    assert "at most 4 can be compared" in page.text


def test_markup_in_an_address_or_plan_stays_text(collecting, plan_of):
    """Nothing that others wrote becomes markup."""
    talk = collecting(plan_of(2, name="</script><b>Kettles</b>", description="<i>all</i>"))
    _, page = page_of(talk, "/")
    refused = talk.client.get("/?smooth=<b>")

    assert "</script><b>Kettles</b>" in page.text
    assert page.all("b") == page.all("i") == []
    assert "<b>" not in refused.text


def test_several_plans_have_a_chooser(collecting, plan):
    """With two plans the newest is shown first, the other can be chosen, and links keep the choice."""
    other = preset("advised")
    talk = collecting(plan)
    address = talk.config.store_address
    with talk.service.database.writing() as session:
        add_plan(session, other)
    talk.stop()
    again = collecting(plan, address=address)
    _, first = page_of(again, "/")
    _, second = page_of(again, f"/top?plan={plan.id[:12]}")
    options = [option["value"] for option in first.all("option")]

    assert options == [plan.id[:12], other.id[:12]]
    assert "Other plans Kettles of Leeds" in first.text
    assert f"/shares?plan={plan.id[:12]}" in [link["href"] for link in second.all("a")]


class TestAccess:
    """Access: an analyst's login or token, off only on loopback."""

    @pytest.fixture
    def closed(self, collecting, plan):
        return collecting(plan, access="token")

    @pytest.fixture
    def token(self, closed):
        with closed.service.database.writing() as session:
            return add_token(session, "ann", closed.now, closed.now + 3600)

    @pytest.mark.parametrize("path", PATHS)
    def test_strangers_see_the_login(self, closed, path):
        """Without a token every view is the login, which leads back to the view."""
        response, page = page_of(closed, f"{path}?k=3")

        assert response.status_code == 401
        assert "Sign in" in page.text
        assert {"type": "hidden", "name": "then", "value": f"{path}?k=3"} in page.all("input")

    def test_a_token_opens(self, closed, token):
        """The right token sets a cookie that scripts cannot read, and leads on; signing out forgets it."""
        answer = closed.client.post("/login", data={"token": token, "then": "/top"}, follow_redirects=False)
        inside = closed.client.get("/top")
        closed.client.post("/logout", follow_redirects=False)

        assert (answer.status_code, answer.headers["location"]) == (303, "/top")
        assert "HttpOnly" in answer.headers["set-cookie"]
        assert "SameSite=lax" in answer.headers["set-cookie"]
        assert inside.status_code == 200
        assert "Sign out" in inside.text
        assert closed.client.get("/top").status_code == 401

    def test_a_bearer_opens(self, closed, token):
        """Programs send the token as a bearer."""
        response = closed.client.get("/", headers={"Authorization": f"Bearer {token}"})

        assert response.status_code == 200

    @pytest.mark.parametrize("form", [{}, {"token": ""}, {"token": "hushwatt_wrong"}])
    def test_a_wrong_token_does_not(self, closed, form):
        """A wrong token is told so, without a cookie."""
        answer = closed.client.post("/login", data=form)

        assert answer.status_code == 401
        assert "unknown or has expired" in answer.text
        assert "set-cookie" not in answer.headers

    def test_an_expired_token_does_not(self, closed, token):
        """A token stops working when it expires."""
        closed.client.post("/login", data={"token": token}, follow_redirects=False)
        closed.clock.forward(hours=2)

        assert closed.client.get("/").status_code == 401

    @pytest.mark.parametrize("then", ["//evil.example", "https://evil.example", "/\\evil.example", "x"])
    def test_nobody_is_led_elsewhere(self, closed, token, then):
        """After the login one stays on this site."""
        answer = closed.client.post("/login", data={"token": token, "then": then}, follow_redirects=False)

        assert answer.headers["location"] == "/"

    def test_forms_of_other_sites_are_refused(self, closed, token):
        """Another site cannot sign somebody in."""
        answer = closed.client.post(
            "/login", data={"token": token}, headers={"Sec-Fetch-Site": "cross-site"}, follow_redirects=False
        )

        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers

    def test_a_large_form_is_refused(self, closed):
        """A form that is no login is not read to its end."""
        answer = closed.client.post("/login", data={"token": "x" * 5000})

        assert answer.status_code == 400
        assert "larger than 4,096 bytes" in answer.text

    def test_guessing_is_slowed_down(self, collecting, plan):
        """Whoever tries many tokens from afar has to wait."""
        talk = collecting(plan, access="token", strangers_per_second=1)
        tries = [
            talk.client.post("/login", data={"token": "guess"}, headers={"X-Forwarded-For": "192.0.2.1"})
            for _ in range(12)
        ]

        assert tries[0].status_code == 401
        assert tries[-1].status_code == 429
        assert tries[-1].headers["retry-after"] == "1"


class TestAssets:
    """Charts by plotly served from its installed package."""

    def test_all_that_a_page_names_is_there_and_stays(self, collected):
        """Every script and sheet of a page is served, and may be kept for ever."""
        _, page = page_of(collected, "/")
        names = [each["src"] for each in page.all("script") if "src" in each]
        names += [each["href"] for each in page.all("link")]
        answers = [collected.client.get(name) for name in names]

        assert len(names) == 6
        assert {answer.status_code for answer in answers} == {200}
        assert all("immutable" in answer.headers["cache-control"] for answer in answers)

    def test_plotly_is_squeezed_for_those_who_can(self, collected):
        """plotly's script comes as gzip, or plain when the browser cannot; the content is the same."""
        _, page = page_of(collected, "/")
        (name,) = [each["src"] for each in page.all("script") if "plotly" in each.get("src", "")]
        squeezed = collected.client.get(name, headers={"Accept-Encoding": "gzip"})
        plain = collected.client.get(name, headers={"Accept-Encoding": "identity"})

        assert squeezed.headers["content-encoding"] == "gzip"
        assert int(squeezed.headers["content-length"]) < len(plain.content) / 2
        assert "content-encoding" not in plain.headers
        assert squeezed.content == plain.content

    @pytest.mark.parametrize("name", ["nothing.css", "style.css", "..%2Fpaper.py"])
    def test_nothing_else_is_served(self, collected, name):
        """Only the files of the pages are served, under their own addresses."""

        assert collected.client.get(f"/static/{name}").status_code == 404


def test_a_store_that_cannot_be_read_is_a_page(collected, monkeypatch):
    """When the disk fails the page says so, status 503, and when to try again."""

    async def fail():
        raise StoreUnavailable("the disk is full")

    monkeypatch.setattr(collected.service, "publish_due", fail)
    response, page = page_of(collected, "/")

    assert response.status_code == 503
    assert response.headers["retry-after"] == "5"
    assert "the disk is full" in page.text


def test_without_plotly_the_service_says_what_to_install(monkeypatch):
    """A missing package is named before anything is served."""
    monkeypatch.setattr(assets, "find_spec", lambda name: None)

    with pytest.raises(UsageError, match=r"hushwatt\[provider\]"):
        assets.plotly()


def test_a_plan_whose_homes_decide_has_a_page(collecting, plan_of):
    """Where the accuracy takes too long to work out beforehand, the page says so instead."""
    talk = collecting(plan_of(2, 2, method="lba", window=9, epsilon=9_000_000))
    _, page = page_of(talk, "/plan")

    assert "the accuracy is not worked out beforehand" in page.text


def test_slots_of_hours_are_named_by_their_time(collecting, plan_of):
    """Shorter slots than days are told with their time, in the plan's own zone."""
    plan = plan_of(2, minimum_homes=10, slot=SlotLength(6, "h"), timezone="Asia/Tokyo")
    talk = collecting(plan)
    key, name, devices = talk.gateway(20)
    for sent in histories(plan, 20, 2):
        talk.at_slot(sent.slot)
        talk.send(key, name, records(devices, sent))
    talk.at_slot(4)
    _, page = page_of(talk, "/times?from=2024-01-01T09:00&to=2024-01-01T15:00")
    fields = {each["id"]: each["type"] for each in page.all("input") if "id" in each}

    assert "1 Jan 2024, 09:00 to 1 Jan 2024, 15:00 (Asia/Tokyo): 2 slots" in page.text
    assert fields["from"] == "datetime-local"


@pytest.mark.parametrize("path, view", [("/times", times), ("/series", series)])
def test_what_does_not_fit_is_said(collected, monkeypatch, path, view):
    """When there are more slots than can be drawn, the last ones are, and the page says so."""
    monkeypatch.setattr(view, "MAX_SLOTS", 2)
    _, page = page_of(collected, path)
    _, whole = page_of(collected, f"{path}?from=2024-01-05")

    assert "Only the last 2 slots of the range are shown" in page.text
    assert "Only the last" not in whole.text
