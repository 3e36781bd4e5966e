"""What the caps say to a plan, as its owner reads it."""

from dataclasses import replace

import pytest
from tests.household.living import fresh_store

from hushwatt.audit.harness.fake_provider import FakeProvider
from hushwatt.household.join import propose
from hushwatt.household.ledger.caps import Caps, caps_with, write_caps
from hushwatt.household.words.cap_terms import cap_terms, needed_settings, refusal_lines, refusal_words
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.presets import preset
from hushwatt.privacy.long_run import long_run_words


@pytest.fixture
def store():
    with fresh_store() as opened:
        yield opened


def proposal_of(store, plan, caps):
    return propose(store, caps, FakeProvider((plan,)).provider_client(), plan.id)


def test_a_refusal_says_all(store, folder):
    """Each cap that is too low, what it would mean, and settings that do allow the plan when they are used."""
    plan = preset("paper")
    proposal = proposal_of(store, plan, Caps())
    text, line = "\n".join(refusal_lines(proposal)), refusal_words(proposal)
    settings = needed_settings(proposal)
    chosen = settings.replace("--cap ", "").split(" ")
    caps = caps_with(folder / "caps.toml", chosen)

    for cap in ("epsilon_per_year", "appliance_epsilon_per_year"):
        assert cap in text
        assert cap in line
    assert "  Someone who watches all your reports for a year would tell " in text
    for words in long_run_words(plan):
        assert f"{words[1:]}.\n" in text
    assert settings in text
    assert settings in line
    assert "It then lasts about 28 days under your epsilon_lifetime and appliance_epsilon_lifetime" in text
    assert "For all of it: --cap epsilon_lifetime=12190 --cap appliance_epsilon_lifetime=812.666667" in text
    assert "\n" not in line
    assert not (folder / "caps.toml").exists()
    assert proposal_of(store, plan, caps).objections == ()
    write_caps(folder / "caps.toml", chosen)
    assert Caps.load(folder / "caps.toml") == caps


def test_what_no_cap_allows(store, plan_of):
    """Then it is said that nothing does."""
    plan = plan_of(3, 3, method="lpa", decision="provider", minimum_homes=100)
    proposal = proposal_of(store, plan, Caps())

    assert needed_settings(proposal) is None
    assert refusal_lines(proposal)[-1] == "No setting of your caps allows it."
    assert refusal_words(proposal).endswith("no setting of your caps allows it")


def test_the_consent_shows_what_was_raised(store):
    """And for how long the lifetime lasts."""
    caps = Caps(epsilon_per_year=2_000 * MICRO, appliance_epsilon_per_year=200 * MICRO)
    told = dict(cap_terms(proposal_of(store, preset("paper"), caps)))

    assert told["your caps"] == (
        "you raised them for this home: epsilon_per_year is 2000, not 20; appliance_epsilon_per_year is 200, not 2"
    )
    assert told["how long"].startswith("lasts about 28 days under your epsilon_lifetime and ")


def test_nothing_raised_nothing_said(store):
    """A plan of a year needs no raised caps."""
    told = dict(cap_terms(proposal_of(store, replace(preset("advised"), window=365), Caps())))

    assert list(told) == ["how long"]
