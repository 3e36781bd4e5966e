"""A home is filed under what its provider showed it before it agreed, or not at all."""

import json
from dataclasses import replace

import pytest
from tests.household.living import NO_CAPS
from tests.household.succeeding import here, home_of, look_now, old_plan, slots, successor

from hushwatt.audit.harness.fake_provider import FakeProvider
from hushwatt.household.join import agree, propose
from hushwatt.household.ledger.store import Store
from hushwatt.household.renew import renew
from hushwatt.household.status import plan_statuses, sent_reports
from hushwatt.household.successor import notes
from hushwatt.household.upload.home_labels import OtherLabels, kept_labels
from hushwatt.household.upload.provider_client import ProviderRefused
from hushwatt.household.words.agreement import agreement
from hushwatt.household.words.consent_text import filed_sentence
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.entropy import OperatingSystem
from hushwatt.wire.labels import NO_LABELS

NORTH = {"tariff": "A", "region": "north"}
CAPS = replace(NO_CAPS, smallest_minimum_homes=1)


@pytest.fixture
def store(folder):
    with Store(folder / "ledger.sqlite") as opened:
        yield opened


@pytest.fixture
def provider():
    """A provider that files every home under the same labels."""
    made = FakeProvider((old_plan(),), labels=NORTH)
    made.enrolment["labels"] = NORTH
    return made


def proposed(store, provider, code="code", caps=CAPS):
    return propose(store, caps, provider.provider_client(), provider.plans[0].id, code=code)


def agreed(store, provider, proposal, code="code"):
    now = nanoseconds(provider.plans[0].start) + 1
    return agree(store, proposal, agreement(proposal), code, now, OperatingSystem())


def asked(provider, what):
    return [json.loads(each.body) for each in provider.requests if each.path.endswith(what)]


def test_labels_are_shown_agreed_to_and_kept(store, provider):
    """In the terms, in the consent word for word, and in what the owner sees of the plan later."""
    proposal = proposed(store, provider)
    agreed(store, provider, proposal)
    (status,) = plan_statuses(store, 0)
    line = next(line for line in agreement(proposal).splitlines() if line.startswith("filed under"))

    assert "tariff A, region north: your provider knows this anyway" in line
    assert line in store.value("SELECT words FROM consents")
    assert status.labels.document() == NORTH
    assert filed_sentence(status.labels) == "The provider files this home under: tariff A, region north."


@pytest.mark.parametrize("told", [{"tariff": "B", "region": "north"}, {"tariff": "A"}, {}, {"tariff": "A" * 61}])
def test_other_labels_than_shown_are_refused(store, provider, told):
    """Nothing stays at home, and the place that was taken is given back."""
    provider.enrolment["labels"] = told

    with pytest.raises(ProviderRefused):
        agreed(store, provider, proposed(store, provider))
    assert store.rows("SELECT * FROM plans") == store.rows("SELECT * FROM consents") == []
    assert store.rows("SELECT * FROM home WHERE name <> 'home'") == []
    erased = [each.path for each in provider.requests if each.method == "DELETE"]
    assert len(erased) == (told != {"tariff": "A" * 61})


def test_labels_that_were_never_shown_are_refused(store, provider):
    """Without a code nothing can be asked, so nothing may hang on the place."""
    with pytest.raises(OtherLabels, match="under tariff A, region north, which is not what it showed before"):
        agreed(store, provider, proposed(store, provider, code=None), code=None)
    assert asked(provider, "/labels") == []


def test_a_code_is_not_told_for_a_plan_that_the_caps_refuse(store, provider):
    """There is nothing to agree to, so nothing is asked but the plan."""
    proposal = proposed(store, provider, caps=replace(CAPS, epsilon_per_window=1))

    assert proposal.objections
    assert {each.method for each in provider.requests} == {"GET"}


def test_an_older_provider_files_homes_under_nothing(store, provider):
    """It does not know the question, and enrols as ever."""
    provider.labels = None
    del provider.enrolment["labels"]
    proposal = proposed(store, provider)
    agreed(store, provider, proposal)

    assert proposal.labels == NO_LABELS == plan_statuses(store, 0)[0].labels
    assert "filed under" not in agreement(proposal)


def test_an_answer_that_was_lost_is_asked_for_again(store, provider):
    """The key that may have used the code goes along, so that the provider knows who asks."""
    proposal = proposed(store, provider)
    provider.enrolment["device"] = "lost"
    with pytest.raises(ProviderRefused):
        agreed(store, provider, proposal)
    store.write_value(f"joining {proposal.plan.id}", bytes(32))
    proposed(store, provider)

    assert [sorted(each) for each in asked(provider, "/labels")] == [["code"], ["code", "public_key"]]


def test_a_place_taken_anew_has_the_labels_of_before_or_new_ones_that_were_shown(store, provider):
    """And never others: then the home stays as it was."""
    agreed(store, provider, proposed(store, provider))
    plan_id, now = provider.plans[0].id, nanoseconds(provider.plans[0].start) + 1
    renew(store, proposed(store, provider, code=None), "again", None, now, OperatingSystem())
    provider.enrolment["labels"] = {"tariff": "C"}
    with pytest.raises(OtherLabels):
        renew(store, proposed(store, provider), "again", "code", now, OperatingSystem())
    assert kept_labels(store, plan_id).document() == NORTH
    provider.labels = {"tariff": "C"}
    renew(store, proposed(store, provider), "again", "code", now, OperatingSystem())

    assert kept_labels(store, plan_id).document() == {"tariff": "C"}
    assert not [each for each in provider.requests if each.method == "DELETE"]


@pytest.mark.parametrize("same", [True, False], ids=["same", "other"])
def test_a_home_moves_on_under_the_labels_it_has(folder, same):
    """It does not go by itself to a plan that would file it under others: the owner is told, the place given back."""
    old = old_plan()
    home, provider = home_of(folder, old, successor(old))
    provider.enrolment["labels"] = NORTH if same else {"tariff": "B"}
    with home:
        home.store.write_value(f"labels {old.id}", json.dumps(NORTH))
        home.live(slots(3), 50)
        for _ in range(3):
            look_now(home, old)
        home.live(slots(3), 50)
        told = notes(home.store, old.id)
        places = sum(each.path.endswith("/devices") for each in provider.requests)
        erased = sum(each.method == "DELETE" for each in provider.requests)
        sent = sent_reports(home.store)

        assert here(home) == ["new" if same else "old"]
        assert (places, erased) == (1, 0 if same else 1)
        if same:
            assert {tuple(each["labels"].items()) for each in sent} == {tuple(NORTH.items())}
            assert "tariff A, region north" in home.store.value("SELECT words FROM consents")
        else:
            assert "not followed: its provider would file this home under other labels" in told[0]
