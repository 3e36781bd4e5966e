"""Homes that files name get labels from a table when they come, and keep them."""

import pytest
from tests.provider.collecting import KEPT, STORES, histories
from tests.provider.delivering import Depot, names, same, write_file

from hushwatt.errors import UsageError
from hushwatt.provider.tally.engines.embedded import EmbeddedEngine
from hushwatt.provider.tally.label_table import read_labels
from hushwatt.wire.labels import Labels

HOMES = 40
both_stores = pytest.mark.parametrize("store_address", STORES, indirect=True)


@pytest.fixture
def depot(store_address, plan_of, tmp_path):
    """A store, a file of reports that begins with all of its homes, and what writes a table of labels."""
    plan = plan_of(3, 4, 2, method="lbu", oracle="oue", window=2)
    store = Depot(store_address, plan)
    sent = list(histories(plan, HOMES, 3))
    yield store, sent, write_file(tmp_path / "a.parquet", plan, sent, names(HOMES))
    store.close()


def table(path, tariffs):
    """A table in which each home of `tariffs` has one, and every second home a region."""
    rows = [f"{name},{tariff},{'north' if place % 2 else ''}" for place, (name, tariff) in enumerate(tariffs.items())]
    path.write_text("\n".join(["household,tariff,region", *rows]) + "\n")
    return path


def tariffs(first=0, last=HOMES - 5):
    return {name: "AAB"[place % 3] for place, name in enumerate(names(HOMES)[first:last], first)}


@both_stores
def test_the_same_tallies_as_from_the_files(depot, tmp_path):
    """Cell by cell, whatever numbers the cells have; homes that the table does not name have no labels."""
    store, _, file = depot
    labels = table(tmp_path / "labels.csv", tariffs())
    bulk = EmbeddedEngine().tallies(store.plan, file, read_labels(labels))
    taken = store.take(file, labels=labels)
    cells = store.cells()
    here = {each.labels.canonical(): each.cell for each in cells}
    numbers = [0, *(here[store_labels(bulk.cells, cell)] for cell in range(1, len(bulk.cells)))]

    assert (taken.homes, len(here)) == (HOMES, 4)
    assert same(store.tallies(), {key._replace(cell=numbers[key.cell]): each for key, each in bulk.groups.items()})
    assert {each.cell: each.homes for each in cells} == {
        numbers[cell]: homes for cell, homes in bulk.cell_homes.items()
    }


def store_labels(cells, cell):
    """What the store calls a cell of a table."""
    tariff, region = cells.values[cell - 1]
    return Labels.of({"tariff": tariff} | ({"region": region} if region else {})).canonical()


@both_stores
def test_a_home_keeps_the_labels_it_came_with(depot, tmp_path):
    """A table that says otherwise is refused with the number of homes and a row, before anything is kept."""
    store, sent, file = depot
    first, later = tariffs(last=20), tariffs()
    store.take(
        write_file(tmp_path / "first.parquet", store.plan, sent[:1], names(HOMES)),
        labels=table(tmp_path / "1.csv", first),
    )
    before = store.all(KEPT), store.all("SELECT count(*) FROM cells")

    with pytest.raises(UsageError, match=r"2.csv: it says otherwise .* in .*a.parquet, the first in row 21: 15 homes"):
        store.take(file, labels=table(tmp_path / "2.csv", later))
    assert (store.all(KEPT), store.all("SELECT count(*) FROM cells")) == before

    again = store.take(file, labels=table(tmp_path / "3.csv", {**first, "another home": "C"}))
    assert (again.accepted, again.repeated) == (2 * HOMES, HOMES)


@both_stores
def test_another_run_may_have_named_them_meanwhile(depot, tmp_path, monkeypatch):
    """What the table says is checked once more when rows are kept, so that two runs cannot disagree."""
    store, sent, file = depot
    other = write_file(tmp_path / "other.parquet", store.plan, sent[:1], names(HOMES))
    store.take(other, labels=table(tmp_path / "1.csv", tariffs()))
    monkeypatch.setattr("hushwatt.provider.intake.file_labels.FileLabels.check", lambda *_: None)
    turned = dict.fromkeys(names(HOMES)[3:], "C")

    with pytest.raises(UsageError, match="in row 4: 1 home of it came with other labels"):
        store.take(file, labels=table(tmp_path / "2.csv", turned))
    assert store.all(KEPT) == [(HOMES,)]


@both_stores
def test_homes_taken_back_may_come_with_others(depot, tmp_path):
    """A delivery that was taken back has left no home in any cell, and no tally."""
    store, _, file = depot
    store.take(file, labels=table(tmp_path / "1.csv", tariffs()))
    store.take_back(1)
    empty, left = [each.homes for each in store.cells()], store.tallies()
    store.take(file, labels=table(tmp_path / "2.csv", dict.fromkeys(names(HOMES), "C")))

    assert empty == [0] * 4
    assert left == {}
    assert [(each.labels.words(), each.homes) for each in store.cells()][4:] == [
        ("tariff C", HOMES // 2),
        ("tariff C, region north", HOMES // 2),
    ]
