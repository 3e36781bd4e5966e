"""`hushwatt household compare`: a table for the owner, JSON for programs, and a switch."""

import json
import random
import time
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from tests.household.living import join
from tests.household.results.sharing import published

from hushwatt.audit.harness.plans import plan_for
from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.results.own_means import FILE, OwnMeans
from hushwatt.household.results.published import keep_results, read_results
from hushwatt.plan import Appliance, SlotLength

TWO = tuple(Appliance.of(name, [20, 60, 200], mapping="dither") for name in ("dishwasher", "[red]oven"))


def plan_now(**fields):
    """A plan of daily slots that began ten days ago."""
    start = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=10)
    usual = {"share_results": True, "mapping": "dither", "appliances": TWO, "appliances_per_report": 2, "name": "Plan"}
    dates = {"slot": SlotLength(1, "d"), "start": start, "expires": start + timedelta(days=400)}
    return plan_for(random.Random(1), "lbu", **{**usual, **dates, "unmeasured": "zero", **fields})


@pytest.fixture
def home(tmp_path):
    """A home that takes part, with results that it fetched."""
    folder = HomeFolder(tmp_path / "home")

    def make(plan, low=24.1, high=28.8):
        with folder.store(make=True) as store:
            join(store, plan)
            answer = {"plan": plan.id, "results": published(plan, 6, low, high)}
            keep_results(store, plan, read_results(plan, answer, time.time_ns()))
        return folder

    return make


def compare(hushwatt, folder, *options):
    return hushwatt("household", "compare", "--folder", str(folder.path), *options)


def lived(folder, plan):
    with folder.store() as store:
        own = OwnMeans(store)
        for slot in range(7):
            own.add(plan, slot, np.array([31.2, 26.0]), [True, True])
        own.keep()


def test_from_off_to_on_and_back(hushwatt, home):
    """Off it says how to turn it on; on it compares; off again nothing of this home is left."""
    plan = plan_now()
    folder = home(plan)
    off = compare(hushwatt, folder)
    turned = compare(hushwatt, folder, "--on")
    lived(folder, plan)
    on = compare(hushwatt, folder)
    gone = compare(hushwatt, folder, "--off")

    assert (off.returncode, turned.returncode, on.returncode, gone.returncode) == (0, 0, 0, 0)
    assert "not kept" in off.stdout
    assert "24 to 29 W" in off.stdout
    assert "`hushwatt household compare --on`" in off.stderr
    rows = [line.split() for line in on.stdout.splitlines() if " W " in line]
    start = plan.start.date()
    when = f"{start} to {start + timedelta(days=6)}"
    assert [" ".join(row) for row in rows] == [
        f"dishwasher 31 W 24 to 29 W above {when}",
        f"[red]oven 26 W 24 to 29 W within {when}",
    ]
    assert "What homes use is the provider's word" in on.stdout
    assert "deleted" in gone.stderr
    assert not (folder.path / FILE).exists()


def test_for_programs(hushwatt, home):
    """Numbers, times and verdicts."""
    plan = plan_now()
    folder = home(plan)
    compare(hushwatt, folder, "--on")
    lived(folder, plan)
    document = json.loads(compare(hushwatt, folder, "--json").stdout)
    (told,) = document["plans"]
    first = told["appliances"][0]

    assert document["on"] is True
    assert (told["plan"], told["shares"]) == (plan.id, True)
    assert first["own_watts"] == pytest.approx(31.2)
    assert (first["low"], first["high"], first["verdict"]) == (24.1, 28.8, "above")
    assert datetime.fromisoformat(first["start"]) == plan.start


def test_a_plan_that_shares_nothing(hushwatt, home):
    """It is said, and nobody is told to turn anything on."""
    said = compare(hushwatt, home(plan_now(share_results=False)))

    assert "does not share its results" in said.stderr
    assert "--on" not in said.stderr


def test_before_anything_is_published(hushwatt, tmp_path):
    """It is said."""
    folder = HomeFolder(tmp_path / "home")
    with folder.store(make=True) as store:
        join(store, plan_now())

    assert "nothing that homes may see is published yet" in compare(hushwatt, folder).stderr


def test_wrong_use(hushwatt, home, tmp_path):
    """One line, and exit code 2."""
    both = compare(hushwatt, home(plan_now()), "--on", "--off")
    nowhere = compare(hushwatt, HomeFolder(tmp_path / "nowhere"), "--on")

    assert (both.returncode, nowhere.returncode) == (2, 2)
    assert both.stderr == "hushwatt: --on and --off cannot both be; choose one\n"
    assert nowhere.stderr.count("\n") == 1
