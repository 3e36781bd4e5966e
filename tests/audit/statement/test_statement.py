"""A statement follows its plan and its audits, figure by figure."""

import re
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.audit.statement.conftest import finding

from hushwatt.audit.claims import CLAIMS
from hushwatt.audit.statement.evidence import Evidence, read_audit
from hushwatt.audit.statement.fact import FORMULAS, TracedFigure
from hushwatt.audit.statement.long_term import long_term
from hushwatt.audit.statement.page import headlines
from hushwatt.audit.statement.proof import shown_by
from hushwatt.audit.statement.registry import registry_entry
from hushwatt.audit.statement.risks import RISKS
from hushwatt.audit.statement.statement import audit_verdict, statement
from hushwatt.chaos.scenarios import SCENARIOS
from hushwatt.household.ledger.caps import AMOUNTS
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset, presets
from hushwatt.plan.slot import SlotLength
from hushwatt.privacy.long_run import long_run
from hushwatt.privacy.promise import promise

PLAN = replace(preset("advised"), expires=datetime(2026, 1, 1, tzinfo=UTC))
NORMS = ("SP 800-226", "2014/724/EU", "Article 35(7)", "15/15", "15 %")  # figures that are names of rules
CHANGES: dict[str, dict[str, Any]] = {
    "name": {"name": "Another name"},
    "description": {"description": "Another purpose."},
    "contact": {"contact": "somebody else"},
    "start": {"start": datetime(2024, 2, 1, tzinfo=UTC)},
    "expires": {"expires": datetime(2027, 1, 1, tzinfo=UTC)},
    "timezone": {"timezone": "Europe/Berlin"},
    "slot": {"slot": SlotLength(2, "d")},
    "epsilon": {"epsilon": 9_000_000},
    "window": {"window": 30},
    "method": {"method": "lbu"},
    "decision": {"method": "lba", "decision": "household", "epsilon": 100_000, "appliance_epsilon": None},
    "oracle": {"oracle": "oue"},
    "appliances": {"appliances": PLAN.appliances[:-1], "appliances_per_report": 14},
    "appliances_per_report": {"appliances_per_report": 1, "appliance_epsilon": None},
    "mapping": {"mapping": "range", "appliances": tuple(Appliance.of(each, [10, 20]) for each in PLAN.names)},
    "minimum_homes": {"minimum_homes": 77},
    "appliance_epsilon": {"appliance_epsilon": 700_000},
    "unmeasured": {"unmeasured": "answer"},
    "replaces": {"replaces": "a" * 64},
    "publish": {"publish": 7},
    "share_results": {"share_results": True},
}
APPLIANCE_CHANGES: dict[str, Any] = {
    "name": "another name",
    "values": (0.0, 11.0, 99.0),
    "typical_mean": 3.0,
    "typical_high": 31.0,
}
OWN_WORDS = ("name", "description", "contact", "replaces")


def without_parameters(stated):
    """All that is stated, but for the id, the time and the list of all keys."""
    told = stated.as_json()
    del told["plan"], told["when"], told["sections"]["parameters"]
    return told


def figures(tree):
    """Every figure of a statement for programs."""
    if isinstance(tree, dict):
        if "source" in tree and "shown" in tree:
            yield TracedFigure(tree["shown"], tree["source"], tree["value"])
        for value in tree.values():
            yield from figures(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from figures(value)


def hashless(text, plan):
    return str(text).replace(plan.id, "")


@pytest.mark.parametrize("key", [each.name for each in fields(Plan)])
def test_every_key_changes_what_is_stated(key):
    """Another value of any key: other sentences, not only another id, and the value itself in the list of keys."""
    changed = replace(PLAN, **CHANGES[key])
    before, after = (statement(plan) for plan in (PLAN, changed))

    assert hashless(without_parameters(before), PLAN) != hashless(without_parameters(after), changed)
    assert before.as_json()["sections"]["parameters"] != after.as_json()["sections"]["parameters"]


@pytest.mark.parametrize("key", [each for each in CHANGES if each in {field.name for field in fields(Plan)}])
def test_figures_name_the_key_that_moves_them(key):
    """What the plan says of a key stands in a figure with that key as its source."""
    changed = replace(PLAN, **CHANGES[key])
    named = {"appliances": "appliance"}.get(key, key)
    told = [
        each
        for each in figures(without_parameters(statement(changed)))
        if f"plan: {named}" in each.source or f", {named}" in each.source
    ]
    value = getattr(changed, key)

    assert told
    if key in OWN_WORDS:
        assert any(value in each.shown for each in told)
    if key in ("epsilon", "minimum_homes", "window", "appliance_epsilon", "publish"):
        assert {(each.value if key not in ("epsilon",) else round(each.value * 1e6)) for each in told} == {value}


@pytest.mark.parametrize("key", APPLIANCE_CHANGES)
def test_every_key_of_an_appliance_changes_what_is_stated(key):
    """Its name, its levels, and what is typical of it."""
    other = replace(PLAN.appliances[0], **{key: APPLIANCE_CHANGES[key]})
    changed = replace(PLAN, appliances=(other, *PLAN.appliances[1:]))
    before, after = (statement(plan).as_json()["sections"] for plan in (PLAN, changed))

    assert before["parameters"] != after["parameters"]
    if key != "typical_high":  # of which nothing follows for privacy
        assert hashless(before["over_time"] | before["description"], PLAN) != hashless(
            after["over_time"] | after["description"], changed
        )


@pytest.mark.parametrize("name", presets())
def test_no_figure_is_typed_by_hand(name):
    """The words between figures hold no digit, but for the names of rules; every source is known."""
    plan = preset(name)
    stated = statement(plan)

    for section in stated.sections:
        for fact in section.facts:
            words = "".join(part for part in fact.parts() if isinstance(part, str))
            for norm in NORMS:
                words = words.replace(norm, "")
            assert not re.search(r"\d", words), words
        for norm in NORMS:
            section = replace(section, introduction=section.introduction.replace(norm, ""))
        assert not re.search(r"\d", section.introduction)
    keys = {"appliance", "window, slot", "edges, values"} | set(CHANGES)
    for figure in figures(stated.as_json()["sections"]):
        kind, _, which = figure.source.partition(": ")
        assert kind.startswith("no audit") or (kind == "computed" and which in FORMULAS) or kind == "plan", figure
        assert kind != "plan" or which in keys or which.startswith(("appliance[", "version")), figure


@pytest.mark.parametrize("name", presets())
def test_figures_are_those_of_the_plan(name):
    """ε, the appliance's ε and the odds are what `plan check` works out."""
    plan = preset(name)
    told, promised = statement(plan).as_json()["sections"]["guarantee"], promise(plan)

    assert told["epsilon"]["figures"]["epsilon"]["value"] == plan.epsilon / 1e6
    assert told["epsilon"]["figures"]["dearest"]["value"] == promised.dearest / 1e6
    assert told["epsilon"]["figures"]["odds"]["shown"] == promised.odds
    assert told["appliance_epsilon"]["figures"]["odds"]["shown"] == promised.appliance_odds
    assert told["delta"]["figures"]["delta"]["value"] == 0
    assert told["minimum"]["figures"]["homes"]["value"] == plan.minimum_homes


def test_a_window_as_long_as_the_plan():
    """Then the unit is the home for as long as the plan runs, and no habit is beyond it."""
    whole = replace(PLAN, window=PLAN.calendar.slots)
    told = statement(whole).as_json()["sections"]

    assert "the unit is the home itself" in told["guarantee"]["unit_of_privacy"]["text"]
    assert told["cannot_be_claimed"]["habits"]["label"] == "Beyond the plan"
    assert "slots in all" in statement(PLAN).as_json()["sections"]["guarantee"]["unit_of_privacy"]["text"]


def test_who_measures_it_is_stated():
    """Where homes say what they do not measure, the larger of both risks is stated, and both stand in the table."""
    asked = replace(PLAN, unmeasured="answer")
    told, sections = long_run(asked).told, statement(asked).as_json()["sections"]
    most = max(each.ownership for each in told.values())

    assert sections["risks"]["habits"]["figures"]["owned"]["value"] == most > max(each.owned for each in told.values())
    (table,) = [each for each in long_term(asked, Evidence(asked)).tables if each.key == "appliances"]
    assert [row[2].value for row in table.rows] == [each.measured for each in told.values()]
    assert table.head[2].startswith("measured or not")
    assert all(len(row) == len(table.head) for row in table.rows)
    assert "owns and measures the appliance" in headlines(statement(asked))[2][1]
    assert "owns the appliance" in headlines(statement(PLAN))[2][1]


def test_bounds_are_called_so():
    """Where homes decide when to publish, the chances of the best attacker are bounds, and are said to be."""
    decided = replace(PLAN, **CHANGES["decision"])

    assert "at most" in statement(decided).as_json()["sections"]["risks"]["habits"]["figures"]["owned"]["shown"]
    assert "at most" not in statement(PLAN).as_json()["sections"]["risks"]["habits"]["figures"]["owned"]["shown"]


@pytest.mark.parametrize(
    "changes, told",
    [
        ({}, "refuses this plan. To join, the owner has to allow: epsilon_per_year="),
        ({"window": PLAN.calendar.slots}, "joins this plan when asked: no cap stands against it"),
    ],
)
def test_joining_is_judged_by_the_default_caps(changes, told):
    """What an owner would have to raise is named, by the caps that homes come with."""
    over_time = statement(replace(PLAN, **changes)).as_json()["sections"]["over_time"]

    assert told in over_time["joining"]["text"]
    assert [row["owner's cap"] for row in over_time["caps"]] == list(AMOUNTS)


class TestAudits:
    """What is said of the audits, and of none."""

    def test_none(self):
        """A statement without its audit says so, in its verdict and at every place that an audit could fill."""
        told = statement(PLAN).as_json()

        assert told["audits"]["verdict"] == "open"
        assert told["audits"]["says"].startswith("No audit was given")
        assert "Not audited here." in told["sections"]["risks"]["habits"]["text"]
        assert told["sections"]["audited"]["none"]["mark"] == "open"

    def test_of_this_plan(self, audit_file):
        """What was found stands beside the claim, with the audit as its source."""
        file = read_audit(audit_file([finding("C17", "twins")], {PLAN.id: [finding("C7 C8", figure="home 0.99 ε")]}))
        stated = statement(PLAN, [file])
        told = stated.as_json()

        assert stated.verdict.mark == "yes"
        assert stated.verdict.says == "All 2 checks given passed, 1 of them of this very plan"
        seen = told["sections"]["guarantee"]["timing"]["figures"]["seen"]
        assert (seen["source"], seen["shown"]) == (
            "audit: C17 exact",
            "1 of 1 check passed, in general and not of this plan.",
        )
        row = told["sections"]["audited"]["claims"][0]
        assert (row["claim"], row["the figure that says most"]["shown"]) == ("C7", "lpu grr: home 0.99 ε")
        assert row["checks"]["source"] == "audit: C7 exact"

    def test_of_another_plan(self, audit_file):
        """It does not count, and that is said."""
        stated = statement(PLAN, [read_audit(audit_file(plans={"another": [finding()]}))])

        assert stated.verdict.mark == "open"
        assert "No audit of this very plan" in stated.verdict.says
        assert stated.verdict.notes == (
            "audit.json looks at another plan; what it says of that one does not count here.",
        )
        assert stated.as_json()["audits"]["files"][0]["of_this_plan"] is False

    def test_of_another_version_or_quick(self, audit_file):
        """Both are said beside the verdict."""
        file = read_audit(audit_file(plans={PLAN.id: [finding()]}, version="0.0.1", quick=True))
        notes = statement(PLAN, [file]).verdict.notes

        assert "made with hushwatt 0.0.1" in notes[0]
        assert "quick" in notes[-1]

    def test_what_was_not_looked_at(self, audit_file):
        """Claims that no file speaks of are named, so that a good verdict is not taken for more than it is."""
        some = read_audit(audit_file(plans={PLAN.id: [finding("C1 C2")]}))
        every = read_audit(audit_file(plans={PLAN.id: [finding(" ".join(CLAIMS))]}))

        assert statement(PLAN, [some]).verdict.notes[0].startswith("No audit given here looked at C3, C4,")
        assert statement(PLAN, [every]).verdict.notes == ()

    def test_failed(self, audit_file):
        """One failure is the verdict, and marks the risk that it is about."""
        rows = {PLAN.id: [finding("C7"), finding("C8", figure="home 1.5 ε", passed=False)]}
        stated = statement(PLAN, [read_audit(audit_file(plans=rows))])
        told = stated.as_json()["sections"]

        assert (stated.verdict.mark, stated.verdict.says) == ("no", "1 of 2 checks failed")
        assert told["risks"]["reading_a_window"]["mark"] == "no"
        assert "1 of 1 FAILED" in str(told["audited"])

    def test_several(self, audit_file):
        """Files add up, and each is named."""
        files = [
            read_audit(audit_file(plans={PLAN.id: [finding("C7")]}, name="a.json")),
            read_audit(audit_file(plans={PLAN.id: [finding("C2")]}, name="b.json", audit="budget")),
        ]
        evidence = Evidence(PLAN, tuple(files))

        assert audit_verdict(evidence).says == "All 2 checks given passed, 2 of them of this very plan"
        assert shown_by(evidence, "C7", "C2", "C5").source == "audit: C7 C2 exact + budget"
        assert shown_by(evidence, "C7").shown == "1 of 1 check passed, of this very plan."


def test_risks_are_about_known_claims():
    """Each risk names claims of docs/claims.md or promises of docs/howto/chaos.md."""
    promises = {f"P{each.promise}" for each in SCENARIOS.values()}

    assert {claim for risk in RISKS for claim in risk.claims} <= set(CLAIMS) | promises


class TestRegistry:
    """An entry in the manner of the OpenDP deployments registry."""

    def test_fields(self):
        """The sections and fields of the registry's own template, filled or left to people."""
        entry = registry_entry(PLAN, Evidence(PLAN))["entry"]["deployment"]

        assert list(entry) == [
            "basic",
            "dp_variant",
            "privacy_loss",
            "deployment_model",
            "implementation",
            "administrative",
        ]
        assert entry["privacy_loss"]["privacy_parameters"] == {"epsilon": 10.0}
        assert entry["dp_variant"]["variant_name"] == "Pure DP"
        assert entry["deployment_model"]["model_name"] == "Local"
        assert entry["basic"]["publication_date"] == "2024-01-01"

    def test_sources_and_gaps(self):
        """Every figure has its source, and every gap is listed."""
        found = registry_entry(PLAN, Evidence(PLAN))

        assert found["sources"]["/deployment/privacy_loss/privacy_parameters/epsilon"] == ["plan: epsilon"]
        assert "computed: long run" in found["sources"]["/deployment/implementation/composition"]
        assert "/deployment/basic/data_product_region" in found["to_be_filled_in"]
        assert "/deployment/basic/name" not in found["to_be_filled_in"]
