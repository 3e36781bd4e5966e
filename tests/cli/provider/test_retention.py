"""`hushwatt provider retention`: what is kept too long is said, and removed when asked; published numbers stay."""

import json
from datetime import timedelta

import pytest
from tests.provider.collecting import collecting, histories, records, store_address  # noqa: F401  fixtures


@pytest.fixture
def over(collecting, plan_of, tmp_path):  # noqa: F811
    """A store whose plan was over long ago, with reports of two slots; one that runs has more to come."""
    talk = collecting(plan_of(3, 4))
    key, name, devices = talk.gateway(20)
    for slot, sent in enumerate(histories(talk.plan, 20, 2)):
        talk.at_slot(slot)
        talk.send(key, name, records(devices, sent))
    talk.at_slot(talk.plan.calendar.slots - 1, late=timedelta(days=2))
    talk.client.portal.call(talk.service.publish_due)
    before = talk.get("/estimates").json()
    talk.stop()
    return talk, (key, name, devices), before


def test_kept_too_long_is_said_and_removed(hushwatt, collecting, over, tmp_path):  # noqa: F811
    """Exit 1 and the days; --remove takes the reports out, no number moves, and what comes again counts no more."""
    talk, _, before = over
    options = ("--data", tmp_path)

    told = hushwatt("provider", "retention", "--json", *options)
    lines = hushwatt("provider", "retention", *options)
    removed = hushwatt("provider", "retention", "--remove", *options)
    again = hushwatt("provider", "retention", *options)
    after = collecting(talk.plan, days=500)

    (plan,) = json.loads(told.stdout)["plans"]
    assert (told.returncode, lines.returncode, removed.returncode, again.returncode) == (1, 1, 0, 0)
    assert plan["reports_kept"]
    assert "longer than the 90d that are set" in plan["problems"][0]
    assert "longer than the 90d that are set" in lines.stdout
    assert removed.stderr == f"removed 40 reports of plan {talk.plan.id[:12]}\n"
    assert "nothing kept" in again.stdout
    assert after.get("/estimates").json() == before


def test_a_longer_retention_is_kept_to(hushwatt, over, tmp_path):
    """What may be kept for years is neither said nor removed."""
    kept = hushwatt("provider", "retention", "--remove", "--data", tmp_path, HUSHWATT_RETENTION="9999d")

    assert (kept.returncode, kept.stderr) == (0, "")
    assert "reports are kept, 2 published slots with payloads" in kept.stdout


def test_payloads_that_should_be_gone_are_said(hushwatt, over, tmp_path):
    """With scrub on, published slots that still have payloads are a problem."""
    kept = hushwatt("provider", "retention", "--data", tmp_path, HUSHWATT_RETENTION="9999d", HUSHWATT_SCRUB="on")

    assert kept.returncode == 1
    assert "published slots have payloads although scrub is on" in kept.stdout


def test_what_is_not_published_stays(hushwatt, collecting, plan_of, tmp_path):  # noqa: F811
    """Reports of slots that were never published are not removed, as they could count twice."""
    talk = collecting(plan_of(3, 4))
    key, name, devices = talk.gateway(20)
    for sent in histories(talk.plan, 20, 1):
        talk.send(key, name, records(devices, sent))
    talk.stop()

    refused = hushwatt("provider", "retention", "--remove", "--data", tmp_path)
    told = json.loads(hushwatt("provider", "retention", "--json", "--data", tmp_path).stdout)

    assert (told["needed_bytes"], told["plans"][0]["slots_left"]) == (0, 0)
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "published is up to slot -1" in refused.stderr
