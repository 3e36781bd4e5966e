"""Labelled reports give the same numbers through every door: files, files taken in, and HTTP, in both stores."""

from dataclasses import replace

import numpy as np
import pytest
from tests.provider.collecting import histories, records
from tests.provider.delivering import Depot, write_file
from tests.provider.store.test_cells import NORTH, SOUTH

from hushwatt.provider.estimate.contrasts.contrast import contrasts
from hushwatt.provider.estimate.contrasts.contrast_document import contrast_document
from hushwatt.provider.estimate.contrasts.side import Side
from hushwatt.provider.estimate.document import document
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.intake.device_names import names_of
from hushwatt.provider.tally.engines.embedded import EmbeddedEngine
from hushwatt.provider.tally.label_table import read_labels
from hushwatt.wire.labels import NO_LABELS, Labels

HOMES, SLOTS = 120, 6
FLAT = Labels.of({"tariff": "B", "region": "north"})
SHARES = {NORTH: 50, SOUTH: 30, FLAT: 30, NO_LABELS: 10}
SIDES = ["tariff=A", "dates=2024-01-01..2024-01-03"]


def collected(talk, plan):
    """What homes of every kind sent over HTTP, the names that files have for them, and their labels."""
    members = []
    for labels, homes in SHARES.items():
        (code,) = talk.codes(homes=homes, labels=labels)
        key, answer = talk.join(code=code, homes=homes)
        devices = [bytes.fromhex(each) for each in answer.json()["devices"]]
        members.append((key, bytes.fromhex(answer.json()["device"]), devices))
        assert answer.json()["labels"] == labels.document()
    every = sorted(device for *_, devices in members for device in devices)
    sent = list(histories(plan, HOMES, SLOTS))
    for each in sent:
        talk.at_slot(each.slot)
        for key, name, devices in members:
            rows = np.array([row for row, home in enumerate(each.homes) if every[home] in devices], dtype=int)
            if len(rows):
                columns = {name: getattr(each, name)[rows] for name in ("homes", "spent", "drawn", "payloads")}
                part = replace(each, **columns)
                assert talk.send(key, name, records(every, part)).json()["rejected"] == []
    named = [(device, each) for (*_, devices), each in zip(members, SHARES, strict=True) for device in devices]
    return sent, names_of(np.frombuffer(b"".join(every), np.uint8).reshape(-1, 16)), named


def written(path, labels):
    rows = [
        f"device-{device.hex()},{each.document().get('tariff', '')},{each.document().get('region', '')}"
        for device, each in labels
    ]
    path.write_text("\n".join(["household,tariff,region", *rows]) + "\n")
    return path


@pytest.mark.parametrize(
    ("store_address", "method"), [("sqlite", "lbu"), ("sqlite", "lbd"), ("postgres", "lpu")], indirect=["store_address"]
)
def test_every_door_gives_the_same_numbers(method, collecting, plan_of, tmp_path, store_address):
    """As a whole, by one label and by two, and kinds of homes against each other."""
    plan = plan_of(3, 4, method=method, oracle="oue", window=2, minimum_homes=12)
    talk = collecting(plan, days=0.5, grace="1d")
    sent, names, labels = collected(talk, plan)
    file, table = write_file(tmp_path / "a.parquet", plan, sent, names), written(tmp_path / "labels.csv", labels)
    bulk = EmbeddedEngine().tallies(plan, file, read_labels(table))
    depot = Depot(str(tmp_path / "depot.sqlite"), plan)
    depot.take(file, labels=table)
    depot.publish(SLOTS - 1)
    talk.clock.forward(days=3)

    for by in ((), ("tariff",), ("tariff", "region")):
        expected = document(estimate(plan, bulk, by=by))
        assert talk.get("/estimates", params={"by": ",".join(by)}).json() == expected
        assert depot.told(by) == expected
        assert len(expected.get("groups", {})) == (0, 3, 4)[len(by)]
    answered = document(estimate(plan, bulk, by=["tariff"]))["groups"]
    told = [name for name, each in answered.items() if "appliances" in each]
    assert "tariff=A" in told
    assert "tariff=(none)" not in told
    sides = [Side.parse(plan, each, bulk.cells).collected(plan, bulk) for each in SIDES]
    compared = talk.get("/compare", params=dict(zip("ab", SIDES, strict=True)))
    assert compared.json() == contrast_document(contrasts(sides), SIDES)
    depot.close()
