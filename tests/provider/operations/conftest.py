"""What a running service exports."""

from datetime import timedelta

import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.provider.collecting import histories, records
from tests.provider.operations.certificates import certificate


@pytest.fixture
def exported(collecting, plan_of, tmp_path):
    """The names of all series that a service shows once it has been used in every way."""
    talk = collecting(plan_of(3, 4), watched_certificate=certificate(tmp_path, days=3))
    key, name, devices = talk.gateway(20)
    talk.at_slot(0)
    for sent in histories(talk.plan, 20, 1):
        talk.send(key, name, records(devices, sent))
    talk.send(key, name, b"", time=0)
    talk.at_slot(0, late=timedelta(days=2))
    talk.client.portal.call(talk.service.publish_due)
    families = text_string_to_metric_families(talk.client.get("/metrics").text)
    return {sample.name for family in families for sample in family.samples}
