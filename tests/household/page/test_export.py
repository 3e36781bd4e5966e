"""The owner's record: everything that left and was agreed to, no reading and no key."""

import json

from tests.household.page.test_requests import kept, upload

from hushwatt.household.page.export import export


def test_the_record_is_whole(owner, plan_id):
    """Plans, reports with their bytes and times, spends, silences and requests, as the ledger has them."""
    kept(owner, upload(owner, plan_id, 2))
    store = owner.home.store
    with store.transaction() as disk:
        disk.execute("INSERT INTO consents VALUES (?, 1, 'all of it')", (plan_id,))
    answer = owner.get("export")
    record = json.loads(answer.body)
    reports = store.rows("SELECT * FROM reports ORDER BY slot")

    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert [each["plan"] for each in record["plans"]] == [plan_id]
    assert [each["payload"] for each in record["reports"]] == [row["payload"].hex() for row in reports]
    assert record["reports"][0]["start"] == "2024-01-02T00:00:00+00:00"
    assert sum(each["amount"] for each in record["spends"]) == store.value("SELECT sum(amount) FROM spends")
    assert record["silences"][0]["reason"] == "the agent was not running"
    assert record["consents"] == [{"plan": plan_id, "time": "1970-01-01T00:00:00+00:00", "words": "all of it"}]
    assert record["limits"]["epsilon_per_year"]
    [request] = record["requests"]
    assert request["head"].encode("latin-1") + b"\r\n\r\n" + bytes.fromhex(request["body"]) == kept(owner).get(1).sent


def test_no_key_and_no_reading_is_in_it(owner):
    """Neither what signs reports, nor what was measured, nor what the home remembers of itself."""
    secret = bytes(range(100, 132))
    with owner.home.store.transaction() as disk:
        disk.execute("UPDATE plans SET secret = ?", (secret,))
    text, memory = export(owner.data), owner.home.store.value("SELECT memory FROM plans")

    kept = set(json.loads(text)["plans"][0])

    assert kept == {"plan", "address", "joined", "left", "paused", "retired", "labels", "provider", "canonical"}
    assert secret.hex() not in text
    assert "157" not in text
    assert memory not in text
    assert owner.home.store.home not in text
