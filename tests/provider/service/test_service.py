"""The service begins no collection whose means would lean, and goes on with one that has begun."""

import pytest

from hushwatt.errors import UsageError
from hushwatt.provider.service.config import Config
from hushwatt.provider.service.service import Service
from hushwatt.provider.store import open_store
from hushwatt.provider.store.plans import add_plan


def test_means_that_would_lean(tmp_path, plan_of):
    """A new plan is refused by its name; the same one is served where the store has it already."""
    plan = plan_of(2, method="lba", oracle="grr", epsilon=10_000_000)
    file = tmp_path / "plan.toml"
    file.write_text(plan.toml())
    config = Config(plan=(str(file),), data=str(tmp_path))
    database = open_store(config.store_address)

    with pytest.raises(UsageError, match=r"Kettles of Leeds: .*means over time would lean"):
        Service(config, database)
    with database.writing() as session:
        add_plan(session, plan)

    assert Service(config, database).collection(plan.id) is not None
