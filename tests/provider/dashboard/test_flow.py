"""From the overview to an appliance, its day and a comparison: every page beside the command line that it names."""

import csv
import html
import io
import json
import re
import shlex
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from tests.provider.collecting import ServiceClient, records, write_reports
from tests.provider.shown import Shown

from hushwatt.audit.harness.local_service import config_for
from hushwatt.cli.main import run as run_command
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import report
from hushwatt.plan import SlotLength
from hushwatt.privacy.entropy import Simulation

HOMES, DAYS, NEED = 60, 3, 20
EVENING = range(17, 21)


@pytest.fixture(scope="module")
def plan(plan_of):
    """Two appliances by the hour, east of Greenwich, where clocks do not change."""
    fields = {"epsilon": 60_000_000, "minimum_homes": NEED, "timezone": "Asia/Tokyo"}
    return replace(
        plan_of(2, 3, method="lbu", slot=SlotLength(1, "h"), **fields),
        start=datetime(2024, 1, 4, 15, tzinfo=UTC),  # a Friday, 0 h in Tokyo
    )


@pytest.fixture(scope="module")
def talk(plan, tmp_path_factory):
    """Three days of reports, in a service and in a file; one appliance runs in the evening, the other always alike."""
    folder = tmp_path_factory.mktemp("flow")
    talk, source = ServiceClient(config_for(folder, plan), plan, plan.start), Simulation(1, "flow")
    with talk.client:
        key, name, devices = talk.gateway(HOMES)
        fleet, chance, sent = enrol(plan, HOMES, 0, source), np.random.default_rng(1), []
        for slot in range(24 * DAYS):
            runs = 0.8 if slot % 24 in EVENING else 0.1
            levels = np.stack([chance.random(HOMES) < runs, np.arange(HOMES) % 3], axis=1)
            sent.append(report(fleet, slot, levels.astype(np.uint16), source))
            talk.at_slot(slot)
            talk.send(key, name, records(devices, sent[-1]))
        talk.at_slot(24 * DAYS)
        (folder / "plan.json").write_bytes(talk.get("").content)
        write_reports(folder / "reports", plan, devices, sent)
        talk.folder = folder  # type: ignore[attr-defined]
        yield talk


def page(talk, path):
    return Shown(talk.client.get(path))


def numbers(talk, path):
    """The page's numbers as a file."""
    link = path + ("&" if "?" in path else "?") + "form=csv"
    response = talk.client.get(link)
    assert response.headers["content-type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(response.text)))


def command(talk, path):
    """The command line that a page names."""
    found = re.search(r"<code>(hushwatt .*?)</code> <button", talk.client.get(path).text)
    return shlex.split(html.unescape(found[1]))


def run(talk, path, *more):
    """What the page's command prints, where the plan and the reports are."""
    words = command(talk, path)
    words += [word for word in more if word not in words]
    out = io.StringIO()
    with chdir(talk.folder), redirect_stdout(out), redirect_stderr(io.StringIO()), pytest.raises(SystemExit) as done:
        run_command(words[1:])
    assert done.value.code == 0
    return json.loads(out.getvalue()) if "--json" in words else out.getvalue()


TIMES = "from=2024-01-05T06:00&to=2024-01-07&hours=8-23&weekdays=fri-sat"


@pytest.mark.parametrize(
    "path",
    ["/top", "/shares", f"/top?{TIMES}", "/", f"/levels?appliance=appliance+1&{TIMES}"],
)
def test_the_period_is_that_of_the_command(talk, path):
    """Means, limits, ranks and shares, or the levels, of any times."""
    told = run(talk, path, "--json")["appliances"]

    for row in numbers(talk, path):
        each = told[row["appliance"]]
        if "level" in row:
            continue
        assert float(row["watts"]) == pytest.approx(each["mean_watts"])
        assert [float(row["low"]), float(row["high"])] == pytest.approx(each["ci95"])
        assert float(row["share"]) == pytest.approx(each["share"])
        assert [int(row["rank_best"]), int(row["rank_worst"])] == each["rank_ci95"]
    if "levels" in path:
        rows = numbers(talk, path)
        each = told[rows[0]["appliance"]]
        assert [float(row["homes"]) for row in rows] == pytest.approx(each["levels"])


@pytest.mark.parametrize(
    "path",
    [
        "/profile",
        "/profile?appliance=appliance+1",
        f"/profile?fold=weekday&{TIMES}",
        "/profile?appliance=appliance+0&fold=hour-of-week",
        "/series?appliance=appliance+0&per=day",
        f"/times?per=day&{TIMES}",
    ],
)
def test_a_course_is_that_of_the_command(talk, path):
    """Every point of a profile, of days, and of a heat map, with its limits."""
    folds = {each["key"]: each["appliances"] for each in run(talk, path)["folds"]}
    rows = numbers(talk, path)

    assert len(rows) >= len(folds) > 1
    for row in rows:
        each = folds[row.get("key") or row["time"]][row["appliance"]]
        assert float(row["watts"]) == pytest.approx(each["mean_watts"])
        assert [float(row["low"]), float(row["high"])] == pytest.approx(each["ci95"])


@pytest.mark.parametrize("path", ["/series?per=slot&appliance=appliance+0", f"/times?per=slot&smooth=1&{TIMES}"])
def test_slots_are_those_of_the_command(talk, path):
    """The raw slots, smoothed or not: each stands in the file that the command writes."""
    run(talk, path)
    written = list(csv.DictReader(io.StringIO((talk.folder / "estimates.csv").read_text())))
    known = {
        (datetime.fromisoformat(row["start"].replace("Z", "+00:00")), row["appliance"]): row["mean_watts"]
        for row in written
    }
    rows = numbers(talk, path)

    assert len(rows) > 20
    for row in rows:
        assert float(row["watts"]) == pytest.approx(
            float(known[datetime.fromisoformat(row["time"]).astimezone(UTC), row["appliance"]])
        )


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?a_hours=17-21&b_hours=0-6,22-24&a_weekdays=fri,sat",
        "?a_from=2024-01-06&b_to=2024-01-05&hours=6-23",
    ],
)
def test_a_comparison_is_that_of_the_command(talk, query):
    """Both means, the difference with its limits, p, per cent, and what could have been seen."""
    path = f"/compare{query}"
    told = run(talk, path, "--json")["appliances"]

    for row in numbers(talk, path):
        each = told[row["appliance"]]
        assert [float(row["a"]), float(row["b"])] == pytest.approx(each["means"])
        assert [float(row["low"]), float(row["high"])] == pytest.approx(each["ci95"])
        for name in ("difference", "p", "p_adjusted", "detectable"):
            assert float(row[name]) == pytest.approx(each[name], abs=1e-12)


@pytest.mark.parametrize("query", ["", f"?customers=90&{TIMES}"])
def test_totals_are_those_of_the_command(talk, query):
    """kWh a day and in all, of the homes taking part or of all customers; and the hour of the peak."""
    told, shown = run(talk, f"/totals{query}"), page(talk, f"/totals{query}")
    whole = told["customers"] if query else told["totals"]

    for row in numbers(talk, f"/totals{query}"):
        own = told["appliances"].get(row["appliance"], {})
        each = whole if row["appliance"] == "together" else own["customers"] if query else own
        assert [float(row[key]) for key in ("kwh_a_day", "kwh")] == pytest.approx([each["kwh_a_day"], each["kwh"]])
        assert [float(row[key]) for key in ("low", "high")] == pytest.approx(each["kwh_a_day_ci95"])
        assert [float(row[key]) for key in ("kwh_low", "kwh_high")] == pytest.approx(each["kwh_ci95"])
    assert f"from {int(told['peak']['key'])} h on" in shown.text
    assert ("All 90 customers" if query else f"The {HOMES} homes taking part") in shown.text


def test_fewer_customers_than_homes_are_refused(talk):
    """The homes taking part are customers too."""
    response = talk.client.get("/totals?customers=7")

    assert response.status_code == 400
    assert f"{HOMES} homes take part" in response.text


def test_sentences_say_what_is_certain_and_what_is_not(talk):
    """An appliance that runs in the evening uses more then, for certain; one that never changes cannot be told."""
    day = page(talk, "/profile?appliance=appliance+0").text
    alike = page(talk, "/profile?appliance=appliance+1").text
    compared = page(talk, "/compare?a_hours=17-21&b_hours=0-6").text

    assert re.search(r"A home's appliance 0 uses [\d.]+ to [\d.]+\u202fW more between 17 and 21 h than between", day)
    assert "; the difference is certain." in day
    assert "with 95 % confidence for all of the 10 pairs of times that could have stood here" in day
    assert re.search(r"A home's appliance 1 cannot be told apart between \d+ and \d+ h and between", alike)
    assert "difference is certain" not in alike
    assert re.search(
        r"A home's appliance 0 uses .* more between 17 and 21 h than between 0 and 6 h; the diff", compared
    )
    assert "Appliance 1 cannot be told apart." in compared


def test_every_page_is_a_permalink_with_its_filters(talk):
    """Links to other views keep all times; what is shown of an appliance leads on to its day and a comparison."""
    source = talk.client.get(f"/series?appliance=appliance+1&{TIMES}").text
    links = [html.unescape(link) for link in re.findall(r'href="(/[^"]*)"', source)]
    leads = {urlsplit(link).path: parse_qs(urlsplit(link).query) for link in links if "appliance" in link}
    times = parse_qs(TIMES)

    for path in ("/profile", "/compare", "/levels"):
        assert leads[path] == {**times, "appliance": ["appliance 1"]}
    assert any(parse_qs(urlsplit(link).query) == times and urlsplit(link).path == "/top" for link in links)
    assert leads["/series"]["form"] == ["csv"] or "per" in leads["/series"]


def test_times_that_are_not_asked_for_are_not_too_few_homes(talk):
    """With hours chosen, the others are left out; no hatching says that homes were missing."""
    shown = page(talk, f"/series?appliance=appliance+0&per=slot&{TIMES}")
    (line,) = [trace for trace in shown.charts["series"]["data"] if "customdata" in trace]
    known = [time for time, value in zip(line["x"], line["y"], strict=True) if value is not None]

    assert {int(time[11:13]) for time in known} == set(range(8, 23))
    assert all(trace.get("name") != "too few homes" for trace in shown.charts["series"]["data"])
    assert None in line["y"]
    assert "from Fri" not in shown.text
    assert "on Fri, Sat between 8 and 23 h" in shown.text


def test_the_files_of_a_page_hold_its_times(talk):
    """What a page offers to download has the slots of its filters, and no others."""
    links = re.findall(r'href="(/v1/[^"]*)" download', talk.client.get(f"/top?{TIMES}").text)
    rows = list(csv.DictReader(io.StringIO(talk.client.get(html.unescape(links[0])).text)))
    starts = {datetime.fromisoformat(row["start"].replace("Z", "+00:00")) for row in rows}
    local = {each.astimezone(ZoneInfo("Asia/Tokyo")) for each in starts}

    assert {each.hour for each in local} == set(range(8, 23))
    assert {each.weekday() for each in local} == {4, 5}


def test_fields_hold_the_times_of_the_address(talk):
    """Dates stand with their times and the plan's zone; what was chosen is chosen again."""
    source = talk.client.get(f"/top?{TIMES}").text

    assert 'type="datetime-local" value="2024-01-05T06:00"' in source
    assert 'type="datetime-local" value="2024-01-07T23:00"' in source
    assert "From (Asia/Tokyo)" in source
    assert 'value="8-23"' in source
    assert '<option value="fri-sat" selected>' in source


def test_views_end_with_the_data(plan, talk):
    """Long after the last report, the last days are those that have reports, and pages show them."""
    talk.clock.forward(days=60)
    links = re.findall(r'<a href="([^"]*)"[^>]*>Last 7 days</a>', talk.client.get("/times").text)
    latest = page(talk, "/times?per=slot").charts["times"]["data"]
    overview = page(talk, "/")
    talk.clock.forward(days=-60)

    assert parse_qs(urlsplit(html.unescape(links[0])).query)["to"] == ["2024-01-07"]
    assert sum(len(trace["x"]) for trace in latest) == 2 * 24 * DAYS
    assert "No report has come after 7 Jan 2024, 23:00" in overview.text


@pytest.mark.parametrize(
    "query, complaint",
    [
        ("/series?per=year", "per is 'year'; choose one of slot, hour, day, week, month"),
        ("/profile?fold=decade", "fold is 'decade'; choose one of hour, weekday, hour-of-week"),
        ("/top?hours=25", "write them as 17-21"),
        ("/top?weekdays=funday", "write them as mon-fri"),
        ("/compare?a_hours=x", "write them as 17-21"),
        ("/compare?b_from=never", "write a date"),
        ("/series?per=month&hours=3-4&weekdays=mon&from=2030-01-01", "in that whole"),
    ],
)
def test_what_cannot_be_understood_is_refused(talk, query, complaint):
    """One clear line, status 400."""
    response = talk.client.get(query)

    assert response.status_code == 400
    assert complaint in html.unescape(response.text)
