"""No key of a plan is passed over."""

import pytest

from hushwatt.audit.statement import parameters as module
from hushwatt.audit.statement.parameters import further, parameters
from hushwatt.plan import writer
from hushwatt.plan.presets import preset, presets


@pytest.mark.parametrize("name", presets())
def test_every_key_has_its_row(name):
    """Each key of the canonical form and of each appliance, with its value."""
    plan = preset(name)
    table, told = writer.table(plan), parameters(plan).as_json()
    rows = {row["key"]: row["value"]["value"] for row in told["keys"]}

    assert rows == {key: value for key, value in table.items() if key != "appliance"}
    for row, appliance in zip(told["appliances"], table["appliance"], strict=True):
        assert row["name"] == appliance["name"]
        assert {key: row[key]["value"] for key in appliance if key != "name"} == {
            key: value for key, value in appliance.items() if key != "name"
        }


def test_a_key_that_no_sentence_speaks_of(monkeypatch):
    """It gets a sentence of its own."""
    monkeypatch.setattr(module, "SAID", tuple(key for key in module.SAID if key != "minimum_homes"))
    (told,) = further(preset("paper"))

    assert (told.words, told.sources) == ("minimum_homes is 100.", ["plan: minimum_homes"])
