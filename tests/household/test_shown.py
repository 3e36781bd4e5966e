"""Every number that a home shows is what its ledger says: page, status, entities, terms.

What is expected is worked out here from the rows of the ledger and the laws as they are written
down, by no function of the home.
"""

import json
import os
import re
import tempfile
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from html import unescape
from math import ceil, exp, log10
from pathlib import Path

import numpy as np
import pytest
from tests.household.living import HomeUnderTest, join

from hushwatt.audit.harness.home_under_test import SeededSource
from hushwatt.cli.household import household as commands
from hushwatt.household.leave import leave
from hushwatt.household.ledger.caps import Caps
from hushwatt.household.mqtt_entities.entities import entity_messages
from hushwatt.household.page.data import OwnerPageData
from hushwatt.household.page.last_report import sent_words
from hushwatt.household.page.render import render
from hushwatt.household.words.consent_text import consent_terms, plan_changes
from hushwatt.household.words.plan_words import watts_words
from hushwatt.household.words.sentences import clock_time
from hushwatt.plan import SlotLength
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.entropy import OperatingSystem
from hushwatt.privacy.long_run import long_run_sentences, long_run_words
from hushwatt.privacy.promise import promise

MICRO, DAY = 10**6, 86_400 * 10**9
ZONES = ("UTC", "Pacific/Auckland", "America/St_Johns")
TABLE = {
    "epsilon_per_window": 90,
    "epsilon_per_day": 100,
    "epsilon_per_year": 7_000,
    "epsilon_lifetime": 9_000,
    "appliance_epsilon": 60,
    "appliance_epsilon_per_year": 800,
    "appliance_epsilon_lifetime": 900,
    "smallest_minimum_homes": 1,
}
CAPS = Caps.of(TABLE)
WATTS = {"first": (150.0, 350.0, 50.0), "second": (250.0, 0.0), "third": (0.0,)}
HEARD = 1_704_067_384 * 10**9  # 2024-01-01 00:03:04 UTC
STATES = ("accepted", "too_late")


class Readings:
    """Other watts for every plan."""

    def open(self, plan, slot):
        pass

    def means(self, plan, slot):
        return np.array(WATTS[plan.name])


@pytest.fixture(params=ZONES)
def machine(request, monkeypatch):
    """A machine whose own clock is in some zone; nothing that is shown depends on it."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(scope="module")
def plans(plan_of):
    """Two plans with nothing in common, and a third that the home has left."""
    first = {"method": "lbu", "oracle": "grr", "window": 3, "epsilon": 3 * MICRO}
    return [
        plan_of(2, 5, 3, name="first", slot=SlotLength(1, "h"), appliances_per_report=2, **first),
        plan_of(4, 2, name="second", slot=SlotLength(2, "h"), method="lba", window=4, epsilon=8 * MICRO),
        plan_of(2, name="third", slot=SlotLength(3, "h"), method="lpu", window=1, epsilon=MICRO),
    ]


@pytest.fixture(scope="module")
def home(plans):
    """A home after two days, three hours of which nobody ran, with reports in every state."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        made = lived(Path(folder), plans)
        yield made
        made.switch_off()


def lived(folder, plans, source=None):
    source = source or OperatingSystem()
    made = HomeUnderTest(folder / "ledger.sqlite", readings=Readings(), source=source)
    for plan in plans:
        join(made.store, plan, source=source)
    made.live(40 * 3600, 3600)
    made.clock.advance(3 * 3600)
    made.restart()
    made.live(12 * 3600 + 1800, 1800)
    for place in (1, 2, 3):
        slots = [row["slot"] for row in made.store.rows("SELECT slot FROM reports WHERE place = ?", (place,))]
        for number, slot in enumerate(slots[: -place - 1]):
            made.store.disk.execute(
                "UPDATE reports SET due = NULL, answer = ? WHERE place = ? AND slot = ?",
                (STATES[number % 7 == 3], place, slot),
            )
    leave(made.store, plans[2].id, made.clock.wall, forget=True)
    (folder / "caps.toml").write_text("".join(f"{name} = {value}\n" for name, value in TABLE.items()))
    return made


def amount(millionths):
    return format((Decimal(millionths) / MICRO).normalize(), "f")


def of(home, place):
    """The spends and the reports of one plan."""
    spends = home.store.rows("SELECT * FROM spends WHERE place = ?", (place,))
    return spends, home.store.rows("SELECT * FROM reports WHERE place = ? ORDER BY slot", (place,))


def in_window(home, plans, place):
    plan, now = plans[place - 1], home.clock.wall
    current = (now - int(plan.start.timestamp()) * 10**9) // (plan.slot.seconds * 10**9)
    spends, _ = of(home, place)
    return sum(row["amount"] for row in spends if current - plan.window < row["slot"] <= current)


def since(home, length):
    rows = home.store.rows("SELECT amount, end FROM spends")
    return sum(row["amount"] for row in rows if row["end"] > home.clock.wall - length)


def dearest_appliance(home, plans, length=DAY, skip=()):
    """What counts for the dearest appliance, in whole windows where the home decides and in a lifetime."""
    found = dict.fromkeys(range(len(plans[1].names)), Fraction(windows(home, plans), 2)) if skip else {}
    for row in home.store.rows("SELECT * FROM spends"):
        plan, asked = plans[row["place"] - 1], plans[row["place"] - 1].appliances_per_report
        names = range(len(plan.names)) if row["members"] is None else np.frombuffer(row["members"], "<u2")
        for name in names if row["end"] > home.clock.wall - length and row["place"] not in skip else ():
            found[name] = found.get(name, 0) + Fraction(row["amount"], asked)
    return ceil(max(found.values()))


def windows(home, plans):
    """The second plan's home decides: each of its windows of four slots counts as all of its ε.

    So does one more, which the slot that passed unseen may have belonged to by another clock.
    """
    spends, _ = of(home, 2)
    return (len({row["slot"] // plans[1].window for row in spends}) + 1) * plans[1].epsilon


def lifetime(home, plans):
    rows = [row for place in (1, 3) for row in of(home, place)[0]]
    return sum(row["amount"] for row in rows) + windows(home, plans)


def shares(plan):
    """What one slot, one window, one appliance of a window, and a year can cost, and a report's largest."""
    if plan.method == "lbu":  # two of three appliances: each is in two reports of three
        share = plan.epsilon // plan.window
        return share * plan.window, share, share * plan.calendar.slots, share
    share = plan.epsilon // (2 * plan.window)
    whole = 2 * share * plan.window
    return whole, Fraction(whole, len(plan.appliances)), 2 * share * plan.calendar.slots, share * plan.window


def truths(plan):
    """How likely each appliance is told plainly, in the report drawn with the most."""
    x = shares(plan)[3] / MICRO / plan.appliances_per_report
    if plan.oracle == "grr":
        return [exp(x) / (exp(x) + width - 1) for width in plan.widths]
    return [0.5 * (1 - 1 / (1 + exp(x))) ** (width - 1) for width in plan.widths]


def odds(words):
    """e^ε of the odds in a sentence, and by how much rounding may have moved it."""
    number = re.search(r"odds ([\d.,^]+) : 1", words)[1].replace(",", "")
    return float(number.partition("^")[2]) if "^" in number else log10(float(number))


def are_odds(words, epsilon):
    return odds(words) == pytest.approx(epsilon / MICRO * log10(exp(1)), abs=0.51 if "^" in words else 0.02)


def shown(home, path="", **query):
    """A page, and every table of it as rows of texts."""
    health = [{"name": "plug", "appliance": "kettle", "heard": HEARD, "fresh": True, "trouble": None}]
    sight = OwnerPageData(home.store, CAPS, home.clock.wall, dict(home.agent.latest), health, "key", zone=UTC)
    page = render(path, query, sight).body
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", page)]
    return page, [[unescape(cell) for cell in row] for row in rows if row]


def section(page, plan, title="The plan"):
    return unescape(page.partition(f"{title} “{plan.name}”")[2].partition("</section>")[0])


def test_the_budgets_on_the_page(machine, home, plans):
    """Each meter shows its own sum, its own cap, and how much of it that is."""
    _, rows = shown(home, "numbers")
    found = {row[0].partition(" (")[0]: row[1:] for row in rows if len(row) == 4}
    lived = lifetime(home, plans)
    expected = {
        "“first”: this window": (in_window(home, plans, 1), plans[0].epsilon),
        "“second”: this window": (in_window(home, plans, 2), plans[1].epsilon),
        "all plans: last 24 hours": (since(home, DAY), CAPS.epsilon_per_day),
        "last year": (since(home, 366 * DAY), CAPS.epsilon_per_year),
        "all plans, on any one appliance in any day": (
            dearest_appliance(home, plans),
            CAPS.appliance_epsilon,
        ),
        "all plans, on any one appliance in any year": (
            dearest_appliance(home, plans, 366 * DAY),
            CAPS.appliance_epsilon_per_year,
        ),
        "all plans, on any one appliance in the lifetime": (
            dearest_appliance(home, plans, 10**20, skip=[2]),
            CAPS.appliance_epsilon_lifetime,
        ),
    }

    for label, (spent, cap) in expected.items():
        bar, *numbers = found[label]
        assert numbers == [f"ε {amount(spent)}", f"ε {amount(cap)}"], label
        assert re.search(r"(\d+) percent", bar)[1] == str(100 * spent // cap)
    assert len({spent for spent, _ in expected.values()} | {lived}) >= 5  # no two could be mistaken
    assert found["lifetime"][1:] == [f"ε {amount(lived)}", "ε 9000"]


@pytest.mark.parametrize("place", [1, 2])
def test_what_can_be_concluded(home, plans, place):
    """Counts and chances of a plan are those of its reports, of its law and of its long run."""
    page, _ = shown(home, "numbers")
    plan, (_, reports) = plans[place - 1], of(home, place)
    words = section(page, plan, "What can be concluded under")
    waiting = sum(row["due"] is not None for row in reports)
    one, everything = re.search(r"From one report: (.*?)</p>.*From all (.*?)</p>", words, re.DOTALL).groups()
    days = ceil((home.clock.wall - nanoseconds(plan.start)) / DAY)

    waits = f"{waiting} report{' waits' if waiting == 1 else 's wait'} to be sent."
    assert (waits in section(shown(home)[0], plan)) is bool(waiting)
    assert f"with probability {max(truths(plan)):.3g} at most" in one
    assert everything == f"{len(reports)} so far: {long_run_words(plan, days)[0]}."
    assert f"watches all your reports for {days} day" in everything
    for _, text in long_run_sentences(plan):
        assert f"<p>{text[0].upper()}{text[1:]}.</p>" in words
    assert "ε" not in shown(home)[0]  # that is one click deeper


@pytest.mark.parametrize("place", [1, 2])
def test_what_was_agreed_to(home, plans, place):
    """The terms say what a window, an appliance and a year cost, and what the long run tells."""
    plan = plans[place - 1]
    page, _ = shown(home, "plan", id=plan.id)
    told = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", unescape(page)))
    whole, single, year, _ = shares(plan)
    low, high = (f"{chance:.3g}" for chance in (min(truths(plan)), max(truths(plan))))

    for label, cost in (("your home", whole), ("one appliance", single)):
        assert told[label].startswith(f"ε {amount(ceil(cost))} ")
        assert are_odds(told[label], cost), label
    assert told["in a year"] == f"ε {amount(ceil(year))} at most for the home"
    assert dict(long_run_sentences(plan)).items() <= told.items()
    assert told["plain truth"].endswith(f"probability {low} to {high}")
    assert told["plan"] == plan.id


@pytest.mark.parametrize("place", [1, 2])
def test_true_against_sent(home, plans, place):
    """The grid shows this plan's own report of that slot, and the levels that hold this plan's watts."""
    page, _ = shown(home)
    plan, (_, reports) = plans[place - 1], of(home, place)
    slot, payload = reports[-1]["slot"], int.from_bytes(reports[-1]["payload"], "little")
    if place == 1:  # two of three appliances: its number in 2 bits, and a level in 3
        entries = [payload >> 5 * entry & 31 for entry in range(2)]
        said = {entry & 3: [entry >> 2] for entry in entries}
    else:
        said = {0: [bit for bit in range(4) if payload >> bit & 1]}
        said[1] = [bit for bit in range(2) if payload >> 4 + bit & 1]
    words = section(page, plan)
    grid = re.findall(r'<tr>(<td data-name="Appliance">.*?)</tr>', words)

    assert f"<caption>About {clock_time(plan, slot, UTC)}</caption>" in words
    for number, (row, watts) in enumerate(zip(grid, WATTS[plan.name], strict=True)):
        _, true, sent = re.findall(r"<td[^>]*>(.*?)</td>", row)
        level = ceil(watts / 100) - 1 if watts else 0
        assert marked(true, "true") == [level]
        assert watts_words(plan, plan.appliances[number], level) in true
        shows = "not asked" if "not asked" in sent else marked(sent, "sent")
        assert shows == said.get(number, "not asked")
        if number in said:
            assert sent_words(plan, plan.appliances[number], said[number]) in sent


def marked(cells, kind):
    squares = re.findall(r"<b(?: class=\"(\w+)\")?></b>", cells)
    return [level for level, each in enumerate(squares) if each == kind]


def test_times_are_in_the_zone_they_say(machine, home):
    """When a source was last heard is told in the home's own time, and the page says which that is."""
    page, rows = shown(home)
    state = next(row for row in rows if row[0] == "kettle")[2]

    assert "last heard Monday 1 January 2024, 00:03" in state
    assert "(UTC)" in page


def test_all_that_left(home, plans):
    """Every row of the list is a row of the ledger, with its own plan, time, answer and bytes."""
    _, rows = shown(home, "reports", all="1")
    kept = home.store.rows("SELECT * FROM reports")
    words = {None: "waiting to be sent", "withheld": "never sent: you left before", "accepted": "accepted"}
    listed = sorted((re.sub("<.*?>", "", row[0]), *row[1:]) for row in rows if len(row) == 4)

    assert len(kept) == len(listed) > 10
    assert listed == sorted(
        (
            clock_time(plans[row["place"] - 1], row["slot"], UTC),
            f"“{plans[row['place'] - 1].name}”",
            words.get(row["answer"], f"refused by the provider: {row['answer']}"),
            f"<code>{row['payload'].hex()}</code>",
        )
        for row in kept
    )


def test_what_one_report_cost(home, plans):
    """One click deeper, a report has its cost beside its bytes."""
    row = home.store.rows("SELECT * FROM reports WHERE place = 1")[-1]
    page, _ = shown(home, "report", plan=plans[0].id, slot=str(row["slot"]))

    assert f"It cost ε {amount(row['spent'])}, and was drawn with ε {amount(row['drawn'])}." in page
    assert row["payload"].hex(" ") in page


def test_the_entities(machine, home, plans):
    """What Home Assistant shows: what is left, what the provider has had, the last report and the next."""
    kept = home.store.rows("SELECT * FROM reports")
    sent = [row for row in kept if row["due"] is None and row["answer"] != "withheld"]
    states = entity_messages(home.store, CAPS, [], home.clock.wall).states
    told, first, second = states.values()

    assert 0 < len(sent) < len(kept)
    assert any(row["answer"] == "withheld" for row in kept)
    assert told["budget_left_today"] == amount(CAPS.epsilon_per_day - since(home, DAY))
    assert told["budget_left_year"] == amount(CAPS.epsilon_per_year - since(home, 366 * DAY))
    assert told["budget_left_lifetime"] == amount(CAPS.epsilon_lifetime - lifetime(home, plans))
    assert (told["taking_part"], first["taking_part"], second["taking_part"]) == ("yes", "yes", "yes")
    assert told["reports_sent"] == len(sent)
    assert first["reports_sent"] == sum(row["place"] == 1 for row in sent)
    assert told["last_report"] == max(ended(plans, row) for row in kept)
    assert second["last_report"] == max(ended(plans, row) for row in kept if row["place"] == 2)
    assert told["next_report"] == min(first["next_report"], second["next_report"])
    assert second["budget_left_window"] == amount(max(0, plans[1].epsilon - in_window(home, plans, 2)))
    assert told["paused"] == first["paused"] == "OFF"


def ended(plans, row):
    plan = plans[row["place"] - 1]
    return f"{plan.start + (row['slot'] + 1) * timedelta(seconds=plan.slot.seconds):%Y-%m-%dT%H:%M:%SZ}"


@pytest.fixture
def command(home, monkeypatch, capsys):
    """A command of the owner at the home's own time, and what it printed."""
    umask = os.umask(0o077)
    monkeypatch.setattr(time, "time_ns", lambda: home.clock.wall)

    def run(what, **options):
        what(folder=home.path.parent, **options)
        return capsys.readouterr().out

    yield run
    os.umask(umask)


def test_the_status(machine, home, plans, command):
    """`household status` has the same numbers, as lines and as JSON."""
    table, lines = json.loads(command(commands.status, as_json=True)), command(commands.status)
    budget = {
        "day": (since(home, DAY), CAPS.epsilon_per_day),
        "year": (since(home, 366 * DAY), CAPS.epsilon_per_year),
        "lifetime": (lifetime(home, plans), CAPS.epsilon_lifetime),
        "appliance": (dearest_appliance(home, plans), CAPS.appliance_epsilon),
        "appliance_year": (dearest_appliance(home, plans, 366 * DAY), CAPS.appliance_epsilon_per_year),
        "appliance_lifetime": (dearest_appliance(home, plans, 10**20, skip=[2]), CAPS.appliance_epsilon_lifetime),
    }

    assert table["budget"] == {name: {"spent": a, "cap": b} for name, (a, b) in budget.items()}
    assert f"  day: ε {amount(budget['day'][0])} of at most 100\n" in lines
    assert f"  year: ε {amount(budget['year'][0])} of at most 7000\n" in lines
    assert f"  lifetime: ε {amount(budget['lifetime'][0])} of at most 9000\n" in lines
    assert f"  any one appliance, in any day: ε {amount(budget['appliance'][0])} of at most 60\n" in lines
    for place, told in enumerate(table["plans"], 1):
        spends, reports = of(home, place)
        plan, spent = plans[place - 1], sum(row["amount"] for row in spends)
        counted = min(in_window(home, plans, place), plan.epsilon)
        waiting = sum(row["due"] is not None for row in reports)
        assert told["window_spent"] == counted
        assert (told["epsilon"], told["spent"]) == (plan.epsilon, spent)
        assert (told["reports"], told["waiting"]) == (len(reports), waiting)
        assert told["last_report"] == reports[-1]["slot"]
        window = f"  ε {amount(counted)} of {amount(plan.epsilon)} in this window, ε {amount(spent)} so far\n"
        assert window in lines
        ended = plan.start + (reports[-1]["slot"] + 1) * timedelta(seconds=plan.slot.seconds)
        assert told["last_report_at"] == f"{ended:%Y-%m-%dT%H:%M:%SZ}"
        assert f"  {len(reports)} reports, {waiting} waiting, last at {ended:%Y-%m-%d %H:%M} UTC\n" in lines
        later = datetime.fromtimestamp(home.clock.wall // 10**9, UTC)
        steps = -((plan.start - later) // timedelta(seconds=plan.slot.seconds))
        following = plan.start + steps * timedelta(seconds=plan.slot.seconds)  # no plan here has turns
        expected = f"{following:%Y-%m-%dT%H:%M:%SZ}" if place < 3 else None
        assert told["next_report_at"] == expected
        assert (f"  next report at {following:%Y-%m-%d %H:%M} UTC\n" in lines) is (place < 3)


def test_what_was_sent(home, command):
    """`household sent` lists every report with its cost, its answer and its bytes."""
    kept = home.store.rows("SELECT plans.plan, reports.* FROM reports JOIN plans USING (place)")
    found = json.loads(command(commands.sent, as_json=True))
    lines = command(commands.sent).splitlines()

    assert sorted((row["slot"], row["spent"], row["drawn"], row["payload"]) for row in found) == sorted(
        (row["slot"], row["spent"], row["drawn"], row["payload"].hex()) for row in kept
    )
    when = {(row["plan"], row["slot"]): row["at"].replace("T", " ")[:16] for row in found}
    assert {
        f"{when[row['plan'], row['slot']]} UTC  slot {row['slot']}  spent ε {amount(row['spent'])}, "
        f"drawn with ε {amount(row['drawn'])}  {row['answer'] or 'waiting'}  {row['payload'].hex()}"
        for row in kept
    } == {line[14:] for line in lines}


@pytest.mark.parametrize("last", [0, 1, 7, 20, 10_000])
def test_the_last_that_were_sent(home, plans, command, last):
    """Over plans whose slots are of different length, the latest are those whose slots ended last."""
    calendars = {plan.id: plan.calendar for plan in plans}
    every = [(row["plan"], row["slot"]) for row in json.loads(command(commands.sent, as_json=True))]
    shown = [(row["plan"], row["slot"]) for row in json.loads(command(commands.sent, as_json=True, last=last))]
    ends = [calendars[plan].end_of(slot) for plan, slot in every]

    assert ends == sorted(ends)
    assert shown == every[max(0, len(every) - last) :]


def test_the_window_moves_on(folder, plans):
    """Slot after slot, what is shown of a window is what its last w slots cost; draws that make it change."""
    home, seen = lived(folder, plans, SeededSource(1)), set()
    for _ in range(6):
        home.live(3600, 1800)
        _, rows = shown(home, "numbers")
        found = {row[0].partition(" (")[0]: row[2] for row in rows if len(row) == 4}
        for place in (1, 2):
            counted = in_window(home, plans, place)
            assert found[f"“{plans[place - 1].name}”: this window"] == f"ε {amount(counted)}"
            seen.add(counted)
    home.switch_off()

    assert len(seen) > 2


def test_the_caps_are_those_of_the_file(home):
    """What the commands read is what the page was given."""

    assert Caps.load(home.path.with_name("caps.toml")) == CAPS


def test_how_often_results_are_published(plans):
    """A home reads it before it agrees, and on its page; nothing is said where every slot is published."""
    weekly = replace(plans[0], slot=SlotLength(1, "d"), publish=7)
    terms, usual = (dict(consent_terms(plan, promise(plan), "here", bytes(32))) for plan in (weekly, plans[0]))

    assert terms["results"] == "are published once every 7 days; nothing is shown of a shorter time"
    assert "results" not in usual
    assert "results: nothing → are published once every 7 days" in " ".join(plan_changes(plans[0], weekly))
