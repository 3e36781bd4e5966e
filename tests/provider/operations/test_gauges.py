"""What the gauges say: how late the service is, which gateways are silent, when certificates end."""

from datetime import timedelta
from pathlib import Path

import pytest
from tests.provider.collecting import STORES, histories, records
from tests.provider.operations.certificates import certificate

from hushwatt.provider.operations.certificate import certificate_end
from hushwatt.provider.operations.gateways import MAX_GATEWAYS, MIN_HOMES, GatewayLog, large_gateways

both_stores = pytest.mark.parametrize("store_address", STORES, indirect=True)


def value(talk, name, **labels):
    talk.client.get("/metrics")
    return talk.service.metrics.registry.get_sample_value(f"hushwatt_{name}", labels)


def sent_bodies(talk, devices, slots=3):
    return [records(devices, sent) for sent in histories(talk.plan, len(devices), slots)]


@both_stores
def test_only_large_gateways_are_watched(collecting, plan_of):
    """One home less than that many, or a home of its own, has no series; silence is told by numbers alone."""
    talk = collecting(plan_of(3, 4))
    small, large = talk.gateway(MIN_HOMES - 1), talk.gateway(MIN_HOMES)
    talk.home()
    text = talk.client.get("/metrics").text
    talk.at_slot(0)
    talk.send(*small[:2], sent_bodies(talk, small[2])[0])
    silent = value(talk, "gateway_silent_seconds", plan=talk.plan.id, gateway="2")
    talk.send(*large[:2], sent_bodies(talk, large[2])[0])

    assert text.count("hushwatt_gateway_silent_seconds{") == 1
    assert silent == 86400
    assert value(talk, "gateway_silent_seconds", plan=talk.plan.id, gateway="2") == 0
    assert not any(name.hex() in text for _, name, _ in (small, large))


def test_gateways_are_bounded(collecting, plan_of, monkeypatch):
    """However many there are, those with the most homes have series, and no others."""
    monkeypatch.setattr("hushwatt.provider.operations.gateways.MAX_GATEWAYS", 2)
    talk = collecting(plan_of(3, 4))
    for homes in (MIN_HOMES + 1, MIN_HOMES, MIN_HOMES + 2):
        talk.gateway(homes)

    with talk.service.database.reading() as session:
        assert large_gateways(session, 1) == (3, 1)
    assert MAX_GATEWAYS == 200


def test_nobody_is_missed_in_a_plan_that_is_over(collecting, plan_of):
    """Gateways are not waited for, nor homes for an answer, when there is nothing to send any more."""
    talk = collecting(plan_of(3, 4))
    talk.gateway(MIN_HOMES)
    talk.at_slot(0, late=timedelta(days=1))
    talk.client.portal.call(talk.service.publish_due)
    before = value(talk, "gateway_silent_seconds", plan=talk.plan.id, gateway="1")
    heard = value(talk, "homes_heard", plan=talk.plan.id)
    talk.at_slot(talk.plan.calendar.slots - 1, late=timedelta(days=3))

    assert (before, heard) == (0, 0)
    assert value(talk, "homes_heard", plan=talk.plan.id) is None
    assert value(talk, "gateway_silent_seconds", plan=talk.plan.id, gateway="1") is None


def test_nobody_is_remembered_but_gateways():
    """A home's signer leaves no trace, however often it is heard."""
    log = GatewayLog()
    log.heard(7, moment=1.0)

    assert not log._heard


def test_overdue_until_published(collecting, plan_of):
    """From the moment a slot could have been published its age grows, and is nothing once it is."""
    talk = collecting(plan_of(3, 4, publish=2))
    talk.at_slot(1, late=timedelta(days=1) - timedelta(seconds=1))
    before = value(talk, "publish_overdue_seconds", plan=talk.plan.id)
    talk.at_slot(1, late=timedelta(days=1, seconds=90))
    late = value(talk, "publish_overdue_seconds", plan=talk.plan.id)
    talk.client.portal.call(talk.service.publish_due)

    assert (before, late) == (0, 90)
    assert value(talk, "publish_overdue_seconds", plan=talk.plan.id) == 0
    assert value(talk, "published_slot", plan=talk.plan.id) == value(talk, "due_slot", plan=talk.plan.id) == 1


def test_lateness_is_counted_by_report(collecting, plan_of):
    """Reports of an upload are counted one by one: before the end of their slot, or how long after it."""
    talk = collecting(plan_of(3, 4))
    key, name, devices = talk.gateway(MIN_HOMES)
    bodies = sent_bodies(talk, devices)
    talk.send(key, name, bodies[0])
    talk.at_slot(0, late=timedelta(seconds=100))
    talk.send(key, name, bodies[0])

    def counted(bound):
        return value(talk, "lateness_seconds_bucket", plan=talk.plan.id, le=bound)

    assert [counted(bound) for bound in ("0", "60", "300", "+Inf")] == [20, 20, 40, 40]


def test_the_homes_of_what_was_published_last(collecting, plan_of):
    """The fewest homes that spoke of an appliance, beside how many an answer needs; nothing before the first."""
    talk = collecting(plan_of(3, 4, minimum_homes=21))
    key, name, devices = talk.gateway(MIN_HOMES)
    before = value(talk, "homes_heard", plan=talk.plan.id)
    talk.send(key, name, sent_bodies(talk, devices)[0])
    talk.at_slot(0, late=timedelta(days=1))
    talk.client.portal.call(talk.service.publish_due)

    assert before is None
    assert value(talk, "homes_heard", plan=talk.plan.id) == 20
    assert value(talk, "minimum_homes", plan=talk.plan.id) == 21


def test_the_first_certificate_to_end_counts(tmp_path):
    """Of a chain the one that ends first; a file that is none, or not there, has no end and is told as long over."""
    soon, later = (certificate(tmp_path, days) for days in (3, 200))
    chain = tmp_path / "chain.pem"
    chain.write_bytes(b"".join(Path(each).read_bytes() for each in (later, soon)))
    (tmp_path / "none.pem").write_text("nothing")

    assert certificate_end(chain) == certificate_end(tmp_path / "provider-3.pem")
    assert certificate_end(tmp_path / "none.pem") is None
    assert certificate_end(tmp_path / "missing.pem") is None


def test_a_certificate_that_cannot_be_read_is_over(collecting, plan_of, tmp_path):
    """Its end is 1970, so that the alert comes."""
    talk = collecting(plan_of(3, 4), watched_certificate=str(tmp_path / "missing.pem"))

    assert value(talk, "certificate_expires_timestamp_seconds", file="missing.pem") == 0


def test_a_home_of_a_turn_waits_a_window(collecting, plan_of):
    """With turns a home speaks once in a window, and otherwise in every slot."""
    all_speak, turns = plan_of(3, 4), plan_of(3, 4, method="lpu", window=7)

    assert value(collecting(all_speak), "turn_seconds", plan=all_speak.id) == 86400
    assert value(collecting(turns), "turn_seconds", plan=turns.id) == 7 * 86400
