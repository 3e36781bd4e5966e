"""Two services that were told the same could not differ: the scenario's secrets are there, and only there."""

from collections import defaultdict

import pytest

from hushwatt.chaos.provider import small_groups
from hushwatt.chaos.provider.small_groups import SLOTS, TwinService
from hushwatt.chaos.run import seed_of
from hushwatt.chaos.scenarios import SCENARIOS


@pytest.mark.parametrize("place", range(2))
def test_secrets_differ_and_nothing_else(tmp_path, monkeypatch, place):
    """In slots of which nothing may be told, both worlds hear other bytes; in all others the same."""
    heard, scripts = defaultdict(list), []
    upload, script = TwinService.upload, small_groups._script

    def spied(self, slot, homes, reports):
        heard[slot].append(reports[slot].payloads[homes].tobytes())
        upload(self, slot, homes, reports)

    def noted(chance):
        scripts.append(script(chance))
        return scripts[-1]

    monkeypatch.setattr(TwinService, "upload", spied)
    monkeypatch.setattr(small_groups, "_script", noted)
    SCENARIOS["small-groups"].case(seed_of(1, "small-groups", place), tmp_path)
    (told,) = scripts
    secret = {slot for slot in range(SLOTS) if told.secret(slot) and told.reporting[slot]}

    assert secret >= {SLOTS - 2, SLOTS - 1} & {slot for slot in range(SLOTS) if told.reporting[slot]}
    assert {slot for slot, (left, right) in heard.items() if left != right} == secret
    assert len(secret) >= 2
    assert set(range(SLOTS)) - secret
