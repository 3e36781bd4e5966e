"""A slot in the order of its devices, a stretch at a time."""

import os

import numpy as np
import pytest
from tests.provider.collecting import STORES
from tests.provider.store.reports.kept_reports import plainly, report_rows_of

from hushwatt.provider.store import open_store
from hushwatt.provider.store.reports import by_device
from hushwatt.provider.store.reports.by_device import reports_by_device
from hushwatt.provider.store.reports.segments import add_segments
from hushwatt.provider.store.session import device_rows

HOMES = 200


@pytest.mark.parametrize("store_address", STORES[1:], indirect=True)
@pytest.mark.parametrize("held", [10, 30, 1 << 19])
def test_all_reports_come_in_the_order_of_devices(store_address, held, monkeypatch):
    """However few are held at a time, from rows and segments; homes without a report and other plans are left out."""
    monkeypatch.setattr(by_device, "HELD_REPORTS", held)
    devices = device_rows(os.urandom(16 * HOMES))
    database = open_store(store_address)
    with database.writing() as session:
        session.add_devices(1, 0, 0, devices, np.zeros(HOMES, dtype=np.int64))
        session.add_devices(2, 0, 0, device_rows(os.urandom(160)), np.zeros(10, dtype=np.int64))
        session.make_partition("reports", 1, 7)
        session.add_reports(1, 7, report_rows_of(np.arange(0, 50, 2)))
        add_segments(session, 1, 7, report_rows_of(np.arange(50, HOMES, 3)))
        parts = list(reports_by_device(session, 1, 7))
        none = list(reports_by_device(session, 1, 8))
    database.close()

    homes = np.concatenate([part.reports.homes for part in parts])
    named = [device.tobytes() for part in parts for device in part.devices]
    assert named == sorted(named)
    assert named == [devices[home].tobytes() for home in homes]
    assert sorted(homes) == [*range(0, 50, 2), *range(50, HOMES, 3)]
    assert all(plainly(part.reports) == plainly(report_rows_of(part.reports.homes)) for part in parts)
    assert len(parts) > 1 or held > HOMES
    assert none == []


@pytest.mark.parametrize("store_address", ["sqlite in segments"], indirect=True)
def test_a_slot_that_is_scrubbed_in_part_has_no_payloads(store_address):
    """Nobody takes what is left for all that there was."""
    database = open_store(store_address)
    with database.writing() as session:
        session.add_devices(1, 0, 0, device_rows(os.urandom(16 * 60)), np.zeros(60, dtype=np.int64))
        add_segments(session, 1, 7, report_rows_of(np.arange(30)))
        add_segments(session, 1, 7, report_rows_of(np.arange(30, 60)).scrubbed())
        (part,) = reports_by_device(session, 1, 7)
    database.close()

    assert part.reports.payloads.shape == (60, 0)
