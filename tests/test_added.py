"""A method and an oracle, added as the how-to says: bulk, service, agent and audit take them as they are."""

import subprocess
import sys
from dataclasses import dataclass, replace
from datetime import timedelta
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import hushwatt
from hushwatt.audit.exact.run import exact_audit_of, exact_audits
from hushwatt.audit.harness.in_process_client import InProcessClient
from hushwatt.audit.harness.plan_home import home_in_plan
from hushwatt.audit.laws.rounding import audit_rounding, budgets
from hushwatt.audit.miniature import Mechanism, Shape, mechanisms, small_plan
from hushwatt.audit.spending.budget import audit_appliances, audit_strategy
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import levels_of, report
from hushwatt.plan.amounts import MICRO
from hushwatt.privacy.advice import advise
from hushwatt.privacy.entropy import Simulation
from hushwatt.privacy.influence import influence
from hushwatt.privacy.laws import LAWS, RESOLUTION
from hushwatt.privacy.strategies import STRATEGIES
from hushwatt.provider.checks.plausible import amounts_fit, payloads_fit
from hushwatt.wire.payload import Layout
from hushwatt.wire.record import pack, unpack
from tests import added

ROOT = Path(__file__).parents[1]
HOMES, SLOTS, WINDOW = 2_000, 6, 3
PARTS = np.array([[0.5, 0.3, 0.2], [0.2, 0.2, 0.6], [0.6, 0.2, 0.2]])  # of the homes, at each level
SURE = 5.5  # standard errors: one in 10⁷ is further off


@pytest.fixture(autouse=True)
def names():
    """The page's method and oracle, for the time of one test."""
    yield added.add()
    added.remove()


@pytest.fixture(params=[(3, "tue"), (1, "tue"), (3, "grr")], ids=lambda param: f"{param[0]} of 3, {param[1]}")
def plan(request):
    """Three appliances with three levels each, some or all of them in a report."""
    asked, oracle = request.param
    mechanism = Mechanism("lbe", None, oracle, "range", partial=asked < 3)
    return small_plan(mechanism, Shape((3, 3, 3), WINDOW, SLOTS), 10 * MICRO * asked, asked)


@pytest.fixture
def watts():
    """What every home reads of every appliance, in every slot; levels stand for 0, 100 and 200 W."""
    held = (np.cumsum(PARTS, axis=1)[:, :2] * HOMES).round().astype(int)
    rng = np.random.default_rng(3)
    levels = [rng.permutation(np.searchsorted(ends, np.arange(HOMES), "right")) for ends in held]
    return np.stack(levels).T * 100.0


def readings_of(plan, watts):
    """The same as a table of readings."""
    names = [each.name for each in plan.appliances]
    starts = [plan.calendar.start_of(slot) for slot in range(SLOTS)]
    rows = [(home, start, place) for start in starts for home in range(HOMES) for place in range(len(names))]
    return pa.table(
        {
            "household": [f"home {home:04}" for home, _, _ in rows],
            "time": pa.array([start for _, start, _ in rows], pa.timestamp("us", "UTC")),
            "appliance": [names[place] for _, _, place in rows],
            "watts": [watts[home, place] for home, _, place in rows],
        }
    )


def assert_right(plan, told):
    """Reports in every other slot; every level's count within chance of the truth, and chance is small."""
    assert [slot["slot"] for slot in told["slots"]] == list(range(0, SLOTS, 2))
    for slot in told["slots"]:
        assert slot["as_of"] == slot["slot"]
        for place, name in enumerate(each.name for each in plan.appliances):
            found, errors = (np.array(slot["appliances"][name][key]) for key in ("levels", "se"))

            assert (np.abs(found - PARTS[place] * told["homes"]) < SURE * errors).all()
            assert (errors < 0.06 * told["homes"]).all()


def test_bulk(plan, watts):
    """Readings become reports and reports become estimates, which are right."""
    reports = hushwatt.randomise(plan, readings_of(plan, watts), seed=5)

    assert len(reports) == HOMES * SLOTS // 2
    assert_right(plan, hushwatt.estimate(plan, reports, consistency="none").json)


def test_another_law_would_be_wrong(plan, watts):
    """The estimates are right because of the new law: with that of another oracle they are not."""
    if plan.oracle == "tue":
        reports = hushwatt.randomise(plan, readings_of(plan, watts), seed=5)
        bare, other = reports.replace_schema_metadata(None), replace(plan, oracle="oue")
        with pytest.raises(AssertionError):
            assert_right(other, hushwatt.estimate(other, bare, consistency="none").json)


def uploads(plan, devices, watts):
    """What homes upload slot by slot, as one body each."""
    source = Simulation(9, plan.id)
    homes = enrol(plan, len(devices), 0, source)
    for slot in range(SLOTS):
        sent = report(homes, slot, levels_of(plan, slot, watts, source), source)
        rows = zip(sent.homes, sent.spent, sent.drawn, sent.payloads, strict=True)
        yield (
            slot,
            [
                pack(devices[home].tobytes(), slot, int(spent), int(drawn), payload.tobytes())
                for home, spent, drawn, payload in rows
            ],
        )


def test_service(plan, watts, tmp_path):
    """Homes upload over HTTP; the published estimates are right, and reports in a silent slot are refused."""
    with InProcessClient(tmp_path, plan, now=plan.calendar.end_of(0), grace="1m", assigned_turns=False) as client:
        member = client.join(HOMES)
        for slot, records in uploads(plan, member.devices, watts):
            client.at_slot(slot)
            if records:
                late = records[0]
                assert client.send(member, b"".join(records)).json()["rejected"] == []
            else:
                drawn = STRATEGIES["lbe"].start(plan.epsilon, WINDOW).offer()
                payload = unpack(late, Layout.of(plan).size).payloads[0].tobytes()
                forged = pack(member.devices[0].tobytes(), slot, drawn, drawn, payload)
                (refused,) = client.send(member, forged).json()["rejected"]
                assert refused["reason"] == "wrong_amount"
        client.at_slot(SLOTS, late=timedelta(hours=1))

        assert_right(plan, client.get("/estimates?consistency=none").json())


def test_agent(plan):
    """A home draws in every other slot, pays its share, never more than ε in a window, and is believed."""
    with home_in_plan(plan, lambda slot: np.full(3, 100.0)) as home:
        for slot in range(SLOTS):
            home.live_slot(slot)
        records = unpack(b"".join(home.provider.uploads), Layout.of(plan).size)
        kept = home.store.rows("SELECT slot, spent, answer FROM reports ORDER BY slot")
    share = plan.epsilon // 2
    silent = np.zeros(SLOTS, dtype=np.int64)
    silent[records.slot] = records.spent

    assert records.slot.tolist() == [0, 2, 4]
    assert {(row["spent"], row["answer"]) for row in kept} == {(share, "accepted")}
    assert max(silent[first : first + WINDOW].sum() for first in range(SLOTS)) == 2 * share <= plan.epsilon
    slots, spent, drawn = (each.astype(np.int64) for each in (records.slot, records.spent, records.drawn))
    assert amounts_fit(plan, slots, spent, drawn).all()
    assert payloads_fit(Layout.of(plan), drawn, records.payloads).all()


def is_new(mechanism, oracle):
    return (mechanism.method, mechanism.oracle) == ("lbe", oracle)


def test_exact_audit(plan):
    """Every mechanism with the new names is gone through, and none tells more than it promises."""
    coverage, *audits = exact_audits(quick=True)
    chosen = {each.args[0]: each for each in audits if is_new(each.args[0], plan.oracle)}  # type: ignore[attr-defined]

    assert coverage().passed
    assert set(chosen) == {each for each in mechanisms() if is_new(each, plan.oracle)}
    assert all(each().passed for each in chosen.values())
    assert exact_audit_of(plan)().passed


def test_budget_audit(names):
    """No window of any home or appliance is dearer than promised; one that overspends is found."""

    @dataclass(frozen=True)
    class Dear(names["Alternate"]):  # type: ignore[valid-type, misc, name-defined]
        """One share too few."""

        @classmethod
        def start(cls, epsilon, window):
            return cls(epsilon // max(1, window // 2))

    assert audit_strategy("lbe", names["Alternate"].start, 12).passed
    assert audit_appliances("lbe", None, longest=5).passed
    assert not audit_strategy("lbe", Dear.start, 12).passed


def test_law_audit(names):
    """The new law costs no more than its budget at many budgets; one whose q is two steps less does."""

    def cheaper(budget, levels):
        law = names["tue"](budget, levels)
        return replace(law, rise=law.rise - Fraction(2, RESOLUTION))

    assert audit_rounding("tue", LAWS["tue"], budgets(200)).passed
    assert not audit_rounding("tue", cheaper, budgets(200)).passed


def test_planning(plan):
    """Expected tallies, influence and advice know them too."""
    everyone = hushwatt.promise(plan)
    advice = advise(plan, homes=HOMES, slots=SLOTS)

    assert everyone.kept
    assert 0 < influence(plan, 1) < HOMES
    assert advice.paper.plan.method == "lbe"
    assert advice.best.plan.method in STRATEGIES


CHECKS = (
    "tests/privacy/test_strategies.py",
    "tests/privacy/test_laws.py",
    "tests/privacy/test_decide.py",
    "tests/privacy/test_cohorts.py",
    "tests/privacy/test_dearest.py",
    "tests/audit/laws",
    "tests/audit/exact/test_scheduled.py",
    "tests/audit/spending/test_budget.py",
)


def test_every_check_finds_them():
    """Checks that go through all methods or all laws go through these, and they pass."""
    options = ["-q", "-p", "tests.added", "-p", "no:xdist", "-k", "lbe or tue"]
    run = subprocess.run([sys.executable, "-m", "pytest", *options, *CHECKS], cwd=ROOT, capture_output=True, text=True)

    assert run.returncode == 0, run.stdout
    assert int(run.stdout.rsplit("\n", 2)[-2].split(" passed")[0]) > 30
