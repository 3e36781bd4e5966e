"""Every number that a page, a file or a table shows is the estimate: value, unit, confidence and time.

The measure is the JSON of `/estimates`; times are worked out here, in the zone of the plan.
"""

import csv
import io
import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import ceil
from statistics import NormalDist, median
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
import pytest
from tests.provider.collecting import ServiceClient, histories, records
from tests.provider.estimate.test_measuring_mean import measuring_plan, simulated
from tests.provider.shown import Shown, says

from hushwatt.audit.harness.local_service import config_for
from hushwatt.cli.estimate_tables import headline, levels_table, period_table, top_table
from hushwatt.plan import Appliance, SlotLength
from hushwatt.privacy.laws import law_for
from hushwatt.privacy.long_run import ANALYST, long_run_sentences
from hushwatt.privacy.promise import promise
from hushwatt.provider.dashboard.plan_promise import expected_accuracy
from hushwatt.provider.dashboard.views.top import above_top, further, further_headings, lead, measured
from hushwatt.provider.estimate.document import document
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.export import export
from hushwatt.wire.payload import Layout

ZONE = ZoneInfo("Asia/Kolkata")
HOMES, MORE, SLOTS, NEED = 120, 30, 6, 45
SOME, FEW = (
    2,
    3,
)  # the slots in which 63 homes report, of which fewer speak of an appliance, and in which 20 do
Z95 = NormalDist().inv_cdf(0.975)
NAMES = ("kettle", "oven", "washing_machine")


@pytest.fixture(scope="module")
def plan(plan_of):
    """Two of three appliances an hour, on clocks half an hour off UTC's."""
    appliances = (
        Appliance.of("kettle", [100, 700]),
        Appliance.of("oven", [50, 900, 2000]),
        Appliance.of("washing_machine", [400]),
    )
    start = datetime(2024, 1, 1, 18, 30, tzinfo=UTC)
    return replace(
        plan_of(3, 4, 2, epsilon=30_000_000, oracle="grr", minimum_homes=NEED, slot=SlotLength(1, "h")),
        appliances=appliances,
        appliances_per_report=2,
        timezone="Asia/Kolkata",
        start=start,
    )


def talk_of(plan, folder):
    """A service for the plan that has not been started yet."""
    return ServiceClient(config_for(folder, plan, grace="15m"), plan, plan.start)


@pytest.fixture(scope="module")
def noisy(plan, tmp_path_factory):
    """Two slots of the same homes with a twentieth of the budget."""
    plan = replace(plan, epsilon=plan.epsilon // 20, oracle="oue")
    talk = talk_of(plan, tmp_path_factory.mktemp("noisy"))
    with talk.client:
        key, name, devices = talk.gateway(HOMES)
        for sent in histories(plan, HOMES, 2):
            talk.at_slot(sent.slot)
            talk.send(key, name, records(devices, sent))
        talk.at_slot(1, late=timedelta(minutes=20))
        yield talk


@pytest.fixture(scope="module")
def talk(plan, tmp_path_factory):
    """Six slots, with few homes in one and fewer in another; after four of them more homes enrol."""
    talk = talk_of(plan, tmp_path_factory.mktemp("shown"))
    counts = {SOME: 63, FEW: 20}
    with talk.client:
        key, name, devices = talk.gateway(HOMES)
        for sent in histories(plan, HOMES, SLOTS):
            talk.at_slot(sent.slot)
            body = records(devices, sent)
            size = len(body) // HOMES
            talk.send(key, name, body[: size * counts.get(sent.slot, HOMES)])
            if sent.slot == 4:
                talk.get("/slots")
                talk.gateway(MORE)
            if sent.slot == SOME:
                late = body[size * 63 : size * 66]
        talk.at_slot(SLOTS - 1, late=timedelta(minutes=20))
        talk.send(key, name, late)
        yield talk


@pytest.fixture(scope="module")
def told(talk):
    return talk.get("/estimates").json()


@pytest.fixture(scope="module")
def ranked(told):
    return [(name, told["appliances"][name]) for name in told["top"]]


def page(talk, path):
    return Shown(talk.client.get(path))


def title(name):
    return name.replace("_", " ").capitalize()


def begins(plan, slot):
    return (plan.start + timedelta(hours=slot)).astimezone(ZONE)


def slot_name(plan, slot):
    return f"{begins(plan, slot).day} {begins(plan, slot):%b %Y, %H:%M}"


def slot_mark(plan, slot):
    return f"{begins(plan, slot).day} {begins(plan, slot):%b %H:%M}"


def cells(told, name):
    """One appliance by slot: mean watts and the limits of the 95 % interval, or None."""
    found = {slot["slot"]: slot.get("appliances", {}).get(name) for slot in told["slots"]}
    return {slot: (here["mean_watts"], *limits(here)) if here else None for slot, here in found.items()}


def limits(here):
    """The 95 % interval of the watts in a slot, which smoothing makes uneven."""
    reach = Z95 * here["mean_watts_se"]
    return here.get("mean_watts_ci95", (here["mean_watts"] - reach, here["mean_watts"] + reach))


def forgers(each):
    """How many forging homes, whole ones, put the next appliance before it; the last has no next one."""
    return f"{max(ceil(each['swap_homes']), 1):,}" if "swap_homes" in each else "–"


def says_within(text, mean, low, high):
    """Whether a text tells a mean, and its limits or half of an even interval."""
    return says(text, mean, (high - low) / 2) if "±" in text else says(text, mean, low, high)


def test_the_collection_has_something_to_show(told):
    """All kinds of answers are there: told, withheld for an appliance, for a slot, and on two scales."""
    few = told["slots"][SOME]["too_few_homes_for"]

    assert few
    assert all(each == {"have": each["have"], "need": NEED} and 0 < each["have"] < NEED for each in few.values())
    assert told["slots"][FEW]["too_few_homes"] == {"have": 20, "need": NEED}
    assert [slot.get("homes", told["homes"]) for slot in told["slots"]] == [HOMES] * 4 + [HOMES + MORE] * 2
    assert told["homes"] == HOMES + MORE
    assert sorted(told["top"]) == sorted(NAMES)


def test_overview(talk, plan, told, ranked):
    """Homes, the current slot with its reports and times, ε, the first ranks, and the reports by slot."""
    shown = page(talk, "/")
    names, *rows = shown.tables["The latest slots"]
    odds = re.search(r"by at most ([\d.,]+)\u202f:\u202f1", shown.text)
    late = [3 if slot == SOME else 0 for slot in range(SLOTS)]
    states = [
        (slot_name(plan, slot), "published", str(told["slots"][slot]["reports"]), homes, str(late[slot]))
        for slot, homes in enumerate(["120"] * 4 + ["150"] * 2)
    ]

    assert f"Homes {HOMES + MORE} enrolled now; answers need {NEED} in a slot" in shown.text
    assert f"Current slot {slot_name(plan, SLOTS)}" in shown.text
    assert "0 of 150 reports, 0 %" in shown.text
    assert "It ends at 07:00, and is closed and published at 07:15." in shown.text
    assert "ε 30 for a whole home over any 3 slots in a row (3 hours); ε 10 for one appliance" in shown.text
    assert odds[1] == promise(plan).appliance_odds.partition(" ")[0]
    assert names == ["Slot", "State", "Reports", "Expected", "Late"]
    assert list(map(tuple, reversed(rows)))[:SLOTS] == states
    (bars,) = shown.charts["slots"]["data"]
    assert bars["y"] == [slot["reports"] for slot in told["slots"]] + [0]
    assert bars["customdata"] == [slot_mark(plan, slot) for slot in range(SLOTS + 1)]
    assert shown.charts["slots"]["layout"]["shapes"][0]["y0"] == NEED
    check_top(shown, ranked)


def check_top(shown, ranked):
    (dots,) = shown.charts["top"]["data"]
    names, *rows = shown.tables["Appliances by mean watts"]

    assert dots["x"] == [each["mean_watts"] for _, each in ranked]
    for place, (name, each) in enumerate(ranked):
        low, high = each["ci95"]
        best, worst = each["rank_ci95"]
        rank = str(best) if best == worst else f"{best}–{worst}"
        assert dots["error_x"]["array"][place] == pytest.approx(high - each["mean_watts"])
        assert dots["error_x"]["arrayminus"][place] == pytest.approx(each["mean_watts"] - low)
        value, limits = dots["customdata"][place].split("<br>95 %: ")
        assert value.endswith(" W")
        assert says(value, each["mean_watts"])
        assert says(limits, low, high)
        label = shown.charts["top"]["layout"]["yaxis"]["ticktext"][place]
        assert label == f"{title(name)}  {rank}"
        called, places, watts, between, share, shares, swap = rows[place]
        assert (called, places) == (title(name), rank)
        assert swap == forgers(each)
        assert says(watts, each["mean_watts"])
        assert says(between, low, high)
        assert watts.endswith("\u202fW")
        assert says(share, 100 * each["share"])
        assert says(shares, *(100 * limit for limit in each["share_ci95"]))
        assert share.endswith("\u202f%")
        assert swap == (f"{max(ceil(each['swap_homes']), 1):,}" if "swap_homes" in each else "–")
    headings = ["Appliance", "Rank", "Mean of a home", "95 % interval", "Share", "95 % interval"]
    assert names == [*headings, "Forgers to swap"]
    assert shown.charts["top"]["layout"]["xaxis"]["ticksuffix"] == " W"


def test_top(talk, told, ranked):
    """Means, intervals, shares and ranks, in the chart, in the table and in the sentence above."""
    shown = page(talk, "/top")
    name, first = ranked[0]
    lead = re.search(rf"{title(name)} uses the most: (.*?) on average in a home, with 95 % confidence", shown.text)

    check_top(shown, ranked)
    assert says(lead[1], *widened(first, len(ranked)))
    assert "swap_homes" not in ranked[-1][1]
    counts_as = re.search(r"forges its reports counts here as at most ([\d.,]+) homes", shown.text)
    assert says(counts_as[1].rstrip("."), told["influence"])


def widened(each, count):
    """Limits for so many appliances at once: the numbers choose which one stands in the sentence."""
    times = NormalDist().inv_cdf(1 - 0.025 / count) / NormalDist().inv_cdf(0.975)
    return [each["mean_watts"] + times * (end - each["mean_watts"]) for end in each["ci95"]]


def test_shares(talk, ranked):
    """Shares in per cent, with their intervals and the watts beside them."""
    shown = page(talk, "/shares")
    (bars,) = shown.charts["shares"]["data"]
    names, *rows = shown.tables["Shares of all watts"]

    assert names == ["Appliance", "Share", "95 % interval", "Mean of a home", "95 % interval"]
    assert bars["x"] == [100 * each["share"] for _, each in ranked]
    assert shown.charts["shares"]["layout"]["xaxis"]["ticksuffix"] == " %"
    for place, (name, each) in enumerate(ranked):
        low, high = (100 * limit for limit in each["share_ci95"])
        assert bars["error_x"]["array"][place] == pytest.approx(high - 100 * each["share"])
        assert bars["error_x"]["arrayminus"][place] == pytest.approx(100 * each["share"] - low)
        assert says(bars["customdata"][place].replace("95 %", ""), 100 * each["share"], low, high)
        called, share, between, watts, limits = rows[place]
        assert called == title(name)
        assert says(share, 100 * each["share"])
        assert says(between, low, high)
        assert says(watts, each["mean_watts"])
        assert says(limits, *each["ci95"])


@pytest.mark.parametrize("smooth", ["", "smooth=true"])
def test_times(talk, plan, smooth):
    """Every cell of the heat map and of its table, the marks of its axis, and the typical ± of each row."""
    told, shown = talk.get(f"/estimates?{smooth}").json(), page(talk, f"/times?{smooth}")
    figure = shown.charts["times"]
    names, *rows = shown.tables["Mean watts of a home, with 95 % intervals"]
    texts = [text for trace in figure["data"] for text in trace["hovertext"]]

    assert names == ["Slot", *map(title, told["top"])]
    assert [row[0] for row in rows] == [slot_name(plan, slot) for slot in range(SLOTS)]
    assert figure["layout"]["xaxis"]["ticktext"] == [slot_mark(plan, slot) for slot in range(SLOTS)]
    assert len(texts) == SLOTS * len(NAMES)
    for place, name in enumerate(told["top"]):
        known = {slot: cell for slot, cell in cells(told, name).items() if cell}
        label, typical = figure["layout"]["yaxis"]["ticktext"][place].split("  ±")
        assert label == title(name)
        assert says(typical, median((high - low) / 2 for _, low, high in known.values()))
        for slot in range(SLOTS):
            (text,) = [text for text in texts if text.startswith(f"{title(name)}, {slot_name(plan, slot)}<br>")]
            said = text.split("<br>")[1]
            if slot in known:
                alone = bool(smooth) and not told["slots"][slot]["appliances"][name]["smoothed"]
                assert says_within(said, *known[slot])
                assert "\u202fW" in said
                assert said.endswith(", not smoothed") == alone
                assert says_within(rows[slot][1 + place], *known[slot])
            else:
                have = told["slots"][slot].get("too_few_homes_for", {}).get(name, {"have": 20})["have"]
                assert said.startswith("too few homes: ")
                assert says(said, have, NEED)
                assert rows[slot][1 + place] == "too few homes"


@pytest.mark.parametrize("smooth", ["", "&smooth=true"])
def test_series(talk, plan, smooth):
    """The line, its 95 % band, its times on the plan's clocks, the holes, and the table."""
    told = talk.get(f"/estimates?{smooth}").json()
    shown = page(talk, f"/series?appliance=oven&appliance=kettle{smooth}")
    traces = shown.charts["series"]["data"]
    names, *rows = shown.tables["Mean watts of a home, with 95 % intervals"]
    times = [f"{begins(plan, slot):%Y-%m-%d %H:%M:%S}" for slot in range(SLOTS)]

    assert names == ["Slot", "Reports", "Oven", "Kettle"]
    for column, name in enumerate(["oven", "kettle"]):
        found = cells(told, name)
        at = next(place for place, trace in enumerate(traces) if trace.get("name") == title(name))
        line, bands = traces[at], []
        while at and traces[at - 1].get("fill"):
            at -= 1
            bands.insert(0, traces[at])
        assert line["x"] == times
        assert line["y"] == [cell and cell[0] for cell in found.values()]
        told_limits = [number for low, high, _ in line["customdata"] if low for number in (low, high)]
        assert told_limits == pytest.approx([limit for cell in found.values() if cell for limit in cell[1:]])
        assert line["hovertemplate"].startswith("%{y:,.1f} W (%{customdata[0]:,.1f} to %{customdata[1]:,.1f})")
        drawn = {(time, value) for band in bands for time, value in zip(band["x"], band["y"], strict=True)}
        expected = {(times[slot], round(limit, 6)) for slot, cell in found.items() if cell for limit in cell[1:]}
        assert {(time, round(value, 6)) for time, value in drawn} == expected
        for slot, cell in found.items():
            assert rows[slot][0] == slot_name(plan, slot)
            assert rows[slot][1] == f"{told['slots'][slot]['reports']:,}"
            if cell:
                assert says_within(rows[slot][2 + column], *cell)
            else:
                assert rows[slot][2 + column] == "too few homes"
    (holes,) = [trace for trace in traces if trace.get("name") == "too few homes"]
    assert times[FEW] in holes["x"]
    assert "with 95 % bands" in shown.text


@pytest.mark.parametrize("name", NAMES)
def test_levels(talk, plan, name):
    """Homes at every level as adjusted, within 1.96 standard errors of the plain estimate; the mean above."""
    check_levels(talk, plan, name)


@pytest.mark.parametrize("name", NAMES)
def test_noisy_levels(noisy, name):
    """The same where what is shown and what was estimated are far apart."""
    told, plain = (noisy.get(f"/estimates?consistency={way}").json() for way in ("norm-sub", "none"))

    assert told["appliances"][name]["levels"] != pytest.approx(plain["appliances"][name]["levels"], abs=1)
    check_levels(noisy, noisy.plan, name)


def check_levels(talk, plan, name):
    told = talk.get("/estimates").json()
    plain = talk.get("/estimates?consistency=none").json()["appliances"][name]
    shown = page(talk, f"/levels?appliance={name}")
    (bars,) = shown.charts["levels"]["data"]
    names, *rows = shown.tables[f"Homes at each level of {name.replace('_', ' ')}"]
    each, homes = told["appliances"][name], told["homes"]
    first = sum(plan.widths[: plan.names.index(name)])
    headings, printed_rows = printed(levels_table(talk.service.read.estimates(plan)))

    assert names == ["Level", "Homes", "95 % interval", "Of all homes", "95 % interval"]
    assert headings == ["appliance", "level", "homes", "95 %", "of all homes"]
    assert bars["y"] == each["levels"]
    assert f"Homes at each level, of {homes:,}, with 95 % intervals" in shown.text
    for level, value in enumerate(each["levels"]):
        reach = Z95 * plain["se"][level]
        low = min(max(plain["levels"][level] - reach, 0), value)
        high = max(min(plain["levels"][level] + reach, homes), value)
        assert bars["error_y"]["array"][level] == pytest.approx(high - value)
        assert bars["error_y"]["arrayminus"][level] == pytest.approx(value - low)
        assert says(bars["customdata"][level].replace("95 %", ""), value, low, high)
        _, count, between, part, parts = rows[level]
        assert says(count, value)
        assert says(between, low, high)
        assert says(part, 100 * value / homes)
        assert says(parts, 100 * low / homes, 100 * high / homes)
        called, watts, count, between, part = printed_rows[first + level]
        assert called == ("" if level else name)
        assert says(watts, plan.appliances[plan.names.index(name)].values[level])
        assert says(count, value, each["se"][level])
        assert says(between, low, high)
        assert says(part, 100 * value / homes)
    lead = re.search(rf"a home's {name.replace('_', ' ')} uses ([^(]*) \(95 %: ([^)]*)\)", shown.text)
    assert says(lead[1], each["mean_watts"])
    assert says(lead[2], *each["ci95"])
    edges = plan.appliances[plan.names.index(name)].edges
    assert says(rows[0][0], 0, -float(edges[0])) or says(rows[0][0].replace("–", " to "), 0, float(edges[0]))
    assert says(rows[-1][0], float(edges[-1]))


STRETCHES = [("1", None), (None, "4"), ("1", "4"), ("4", "4")]  # from and to the beginnings of these slots


@pytest.mark.parametrize(("first", "last"), STRETCHES)
def test_a_stretch_is_the_same_at_every_door(talk, plan, first, last):
    """From, to, or both: programs, files and pages tell of the same slots, and of no other."""
    ends = {name: slot and begins(plan, int(slot)).isoformat() for name, slot in (("from", first), ("to", last))}
    here = "?" + "&".join(f"{name}={end}" for name, end in ends.items() if end).replace("+", "%2B")
    told = talk.get(f"/estimates{here}").json()
    asked = list(range(int(first or 0), int(last or SLOTS - 1) + 1))
    ranked = [(name, told["appliances"][name]) for name in told["top"]]
    found = talk.service.read.estimates(plan, asked[0], asked[-1])

    assert [slot["slot"] for slot in told["slots"]] == asked
    assert told != talk.get("/estimates").json()
    assert document(found) == told
    assert talk.get(f"/export.json{here}").json() == told
    assert (
        pl.read_parquet(io.BytesIO(talk.get(f"/export.parquet{here}").content))["slot"]
        .unique(maintain_order=True)
        .to_list()
        == asked
    )
    best = talk.get(f"/top{here}").json()
    kept = {name: value for name, value in told.items() if name != "slots"}
    assert best == kept | {"appliances": dict(ranked)}
    assert [slot["slot"] for slot in talk.get(f"/slots{here}").json()["slots"]][: len(asked)] == asked
    check_top(page(talk, f"/top{here}"), ranked)
    (bars,) = page(talk, f"/shares{here}").charts["shares"]["data"]
    assert bars["x"] == [100 * each["share"] for _, each in ranked]
    for name, each in ranked:
        (bars,) = page(talk, f"/levels{here}&appliance={name}").charts["levels"]["data"]
        assert bars["y"] == each["levels"]
    for path in ("/times", "/series"):
        _, *rows = page(talk, path + here).tables["Mean watts of a home, with 95 % intervals"]
        assert [row[0] for row in rows] == [slot_name(plan, slot) for slot in asked]


def test_the_range_under_every_answer(talk, plan, told):
    """From when to when in the plan's zone, how many slots and homes, and what is left out."""
    few = sum("too_few_homes" in slot for slot in told["slots"])

    for path in ("/top", "/shares", "/times", "/series", "/levels"):
        text = page(talk, path).text
        assert (
            f"{slot_name(plan, 0)} to {slot_name(plan, SLOTS - 1)} (Asia/Kolkata): {SLOTS} slots, "
            f"{few} of them left out: too few homes. {HOMES + MORE} homes take part." in text
        )
        assert "Times are Asia/Kolkata." in text


def test_an_answer_that_is_withheld(talk, plan):
    """Asked for the one slot alone, appliances with too few homes are named, not ranked, and not drawn."""
    here = f"?from={begins(plan, SOME).isoformat()}&to={begins(plan, SOME).isoformat()}".replace("+", "%2B")
    told = talk.get(f"/estimates{here}").json()
    few = list(told["too_few_homes_for"])

    assert few
    for path in ("/top", "/shares", "/times"):
        shown = page(talk, path + here)
        assert f"Too few homes spoke of {', '.join(few)}: no answer and no rank".replace("_", " ") in shown.text
        (chart,) = shown.charts.values()
        labels = chart["layout"]["yaxis"]["ticktext"]
        assert [label.partition("  ")[0] for label in labels] == list(map(title, told["top"]))
        assert not set(map(title, few)) & {label.partition("  ")[0] for label in labels}
    levels = page(talk, f"/levels{here}&appliance={few[0]}")
    assert f"Too few homes were asked about {few[0].replace('_', ' ')} in this range." in levels.text
    assert levels.charts == {}


@pytest.mark.parametrize("by_hand", [False, True])
def test_not_yet(plan, tmp_path, by_hand):
    """Before an answer it is told how many homes spoke of one appliance, now and in the slots before."""
    waiting = replace(plan, minimum_homes=HOMES)
    talk = talk_of(waiting, tmp_path)
    with talk.client:
        key, name, devices = talk.gateway(HOMES)
        sent = list(histories(waiting, HOMES, 2))
        spoke = [int(np.bincount(Layout.of(waiting).members(each.payloads).ravel()).max()) for each in sent]
        talk.at_slot(0)
        talk.send(key, name, records(devices, sent[0]))
        first = talk.get("/estimates").json(), talk.get("/top").json(), page(talk, "/top").text
        talk.at_slot(0, late=timedelta(minutes=5 if by_hand else 20))
        if by_hand:
            talk.client.post(f"{talk.path}/publish", json={"until": 0}).raise_for_status()
        talk.send(key, name, records(devices, sent[1]))
        later = talk.get("/estimates").json(), talk.get("/top").json(), page(talk, "/top").text

    assert all(0 < count < HOMES for count in spoke)
    for slot, (told, top, text) in enumerate([first, later]):
        closes = plan.start + timedelta(hours=slot + 1, minutes=15)
        expected = {"have": spoke[slot], "need": HOMES, "next_look": f"{closes:%Y-%m-%dT%H:%M:%SZ}"}
        assert told["not_yet"] == top["not_yet"] == expected
        assert f"Not yet: {spoke[slot]} of {HOMES} homes" in text
        assert f"Next look at {closes.astimezone(ZONE):%H:%M} (Asia/Kolkata)." in text
    assert f"at most {spoke[0]} homes spoke of one appliance" in later[2]
    assert later[0]["too_few_homes"] == {"have": spoke[0], "need": HOMES}


def test_collection(talk, plan):
    """What was accepted, refused and late, in cards and tables, as the health of the service tells it."""
    shown, health = page(talk, "/collection"), talk.get("/health").json()
    (late,) = shown.charts["late-slots"]["data"]
    refused = sum(health["rejected"].values())

    assert f"Homes {health['homes']} enrolled now" in shown.text
    assert f"Counted {health['counted']}" in shown.text
    assert f"Accepted {health['accepted']}" in shown.text
    assert f"Repeated {health['repeated']}" in shown.text
    assert f"Refused {refused}" in shown.text
    assert "Late 3" in shown.text
    assert health["late"] == {str(SOME): 3}
    assert shown.tables["Reports refused"][1][2] == f"{health['rejected']['too_late']}"
    assert shown.tables["Late reports by slot"][1] == [slot_name(plan, SOME), "3"]
    assert (late["y"], late["customdata"]) == ([3], [slot_mark(plan, SOME)])
    (clocks,) = shown.charts["skew"]["data"]
    assert clocks["y"] == list(health["skew"].values())
    assert [row[1] for row in shown.tables["Signers' clocks"][1:]] == [f"{n:,}" for n in health["skew"].values()]


def test_plan(talk, plan):
    """What accuracy to expect: noise and what levels hide, in watts and in parts of the typical."""
    shown = page(talk, "/plan?homes=5000&slots=24")
    found = expected_accuracy(plan, 5000, 24)
    names, *rows = shown.tables["What accuracy to expect"]

    assert names[:5] == ["Appliance", "Thought to use", "Expected error, 95 %", "Of that", "Above the top level"]
    assert names[5:] == ["Reached: mean of a home", "95 % interval"]
    for row, prior, half, above in zip(rows, found.priors, found.half_widths, found.losses, strict=True):
        assert float(row[1].split()[1].removesuffix("\u202fW").replace(",", "")) == pytest.approx(prior.mean, rel=5e-3)
        assert says(row[2], half * prior.mean)
        assert says(row[3], 100 * half)
        assert says(row[4], 100 * above)
    assert "With 5,000 homes over 24 slots" in shown.text
    chance = re.search(r"with a chance of ([\d.]+)", shown.text)
    assert says(chance[1], 100 * found.right_order)
    for share in (20, 10, 5):
        needed = found.homes_needed(share / 100)
        told = "not with these levels" if needed is None else f"from {needed:,} homes on"
        assert f"±{share} % {told}" in shown.text
    assert f"{begins(plan, 0):%Y-%m-%d %H:%M}" in shown.text


def test_the_long_run(talk, plan):
    """The plan's page says what years of a home's reports tell, first of all."""
    shown = page(talk, "/plan")
    for _, text in long_run_sentences(plan, ANALYST):
        assert f"{text[0].upper()}{text[1:]}." in shown.text


@pytest.mark.parametrize("query", ["", "?consistency=none", "?smooth=true"])
def test_files(talk, plan, query):
    """CSV and Parquet have every number of the JSON, and the times at which the slots begin."""
    told = talk.get(f"/estimates{query}").json()
    table = pl.read_parquet(io.BytesIO(talk.get(f"/export.parquet{query}").content))
    rows = list(csv.DictReader(io.StringIO(talk.get(f"/export.csv{query}").text)))

    assert talk.get(f"/export.json{query}").json() == told
    assert len(rows) == len(table) == SLOTS * plan.width
    for text, row in zip(rows, table.iter_rows(named=True), strict=True):
        slot, level = told["slots"][row["slot"]], row["level"]
        here = slot.get("appliances", {}).get(row["appliance"])
        appliance = plan.appliances[plan.names.index(row["appliance"])]
        numbers = [
            row[name] for name in ("homes", "homes_se", "homes_low", "homes_high", "mean_watts", "mean_watts_se")
        ]
        means = (here["mean_watts"], here["mean_watts_se"]) if here else ()
        cell = [here["levels"][level], here["se"][level], *here["ci95"][level], *means] if here else [None] * 6
        assert numbers == cell
        assert row["watts"] == appliance.values[level]
        assert row["start"] == begins(plan, row["slot"])
        assert (row["reports"], row["as_of"]) == (slot["reports"], slot["as_of"])
        assert [text[name] for name in table.columns if name != "start"] == [
            "" if row[name] is None else str(row[name]) if isinstance(row[name], str) else text[name]
            for name in table.columns
            if name != "start"
        ]
        assert [float(text[name]) for name in table.columns if isinstance(row[name], float)] == [
            row[name] for name in table.columns if isinstance(row[name], float)
        ]
        assert datetime.fromisoformat(text["start"]) == row["start"]


def printed(table):
    """The rows of a table for the terminal, by its headings."""
    columns = [list(column.cells) for column in table.columns]
    return [column.header for column in table.columns], list(zip(*columns, strict=True))


def test_command(talk, plan, told, tmp_path):
    """What the commands print: the table of all appliances, the top, and from when to when."""
    found = talk.service.read.estimates(plan)
    headings, rows = printed(period_table(found))

    assert headings == ["appliance", "watts ± se", "95 %", "share", "95 %", "rank", "over time"]
    for name, watts, between, share, shares, rank, _ in rows:
        each = told["appliances"][name]
        best, worst = each["rank_ci95"]
        assert says(watts, each["mean_watts"], each["mean_watts_se"])
        assert says(between, *each["ci95"])
        assert says(share, 100 * each["share"])
        assert says(shares, *(100 * limit for limit in each["share_ci95"]))
        assert rank == (str(best) if best == worst else f"{best}–{worst}")
    headings, rows = printed(top_table(found, 2))
    assert headings == ["rank", "appliance", "watts", "95 %", "share", "in top 2", "forgers", ""]
    assert [row[1] for row in rows] == told["top"][:2]
    for _, name, watts, between, share, _, swap, _ in rows:
        each = told["appliances"][name]
        assert swap == forgers(each)
        assert says(watts, each["mean_watts"])
        assert says(between, *each["ci95"])
        assert says(share, 100 * each["share"])
        assert swap == f"{max(ceil(each['swap_homes']), 1):,}"
    assert headline(found) == (
        "Kettles of Leeds: 150 homes, 6 slots, 2024-01-02 00:00 to 2024-01-02 05:00 Asia/Kolkata"
    )
    export(found, tmp_path / "all.json")
    assert json.loads((tmp_path / "all.json").read_text()) == told


@pytest.mark.parametrize("name", NAMES)
def test_standard_errors_are_those_of_homes_that_spoke_of_it(talk, plan, name):
    """Where homes speak of some appliances, m in the variance is the reports about this one.

    Var(f̂) = [q(1−q)/(p−q)² + f(1−p−q)/(p−q)]/m + (1−m/K)·f(1−f)/m, here with f as it is estimated.
    """
    found = talk.service.read.estimates(plan, consistency="none")
    place = plan.names.index(name)
    law = law_for(plan.oracle, plan.epsilon // plan.window, 2, plan.widths[place])
    hold, rise = float(law.hold), float(law.rise)
    numbers = found.by_slot[name]

    assert numbers.known.sum() >= 4
    for at in np.flatnonzero(numbers.known):
        homes, reports = found.slots[at].homes, numbers.speakers[at]
        share = numbers.levels[at] / homes
        noise = rise * (1 - rise) / (hold - rise) ** 2 + share * (1 - hold - rise) / (hold - rise)
        sampling = (1 - reports / homes) * share * (1 - share)
        se = homes * np.sqrt(np.maximum(noise + sampling, 0) / reports)
        values, chances = np.array(plan.appliances[place].values), np.full((len(share),) * 2, rise)
        np.fill_diagonal(chances, hold)
        loud = (chances @ values**2 - (chances @ values) ** 2) / (hold - rise) ** 2  # of a home at each level
        spread = share @ values**2 - (share @ values) ** 2
        watts = np.sqrt((share @ loud + (1 - reports / homes) * spread) / reports)
        assert reports < found.slots[at].reports
        assert numbers.watts_se[at] == pytest.approx(watts, rel=0.02)
        assert numbers.levels_se[at] == pytest.approx(se, rel=0.02, abs=0.05 * se.max())


def test_who_measures_and_what_may_lie_above_the_top_stand_beside_the_numbers():
    """In words: the part of homes that measure, and the watts above the top level at most."""
    agreed = measuring_plan(1)
    tallies = simulated(agreed, [np.array([0.3, 0.2, 0.1, 0.4])], 4000, 3, np.random.default_rng(1))
    ranked = [(name, period) for name, period in estimate(agreed, tallies).by_period.items() if period]
    period = ranked[0][1]
    clipped = replace(period, clipped=True, measured=None)

    assert re.fullmatch(r"6\d\.\d ± \d\.\d\u202f%", measured(period))
    assert re.fullmatch(r"[\d.]+\u202fW at most", above_top(period))
    assert further_headings(ranked) == ["Above the top", "Homes that measure it"]
    assert further(ranked, period) == [above_top(period), measured(period)]
    assert "a home that measures it" in lead(ranked)
    assert (above_top(clipped), measured(clipped)) == ("clipped", "")
    assert further_headings([("kettle", clipped)]) == []
