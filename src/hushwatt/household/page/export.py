"""The owner's own record as one file: all that this home agreed to, sent and spent; no reading and no key."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from hushwatt import __version__
from hushwatt.household.ledger.caps import AMOUNTS
from hushwatt.household.page.data import OwnerPageData
from hushwatt.household.page.limits import LABELS, as_written
from hushwatt.household.upload.home_labels import kept_labels
from hushwatt.household.upload.request_log import RequestLog
from hushwatt.plan.plan import Plan
from hushwatt.wire.labels import Labels

PLAN_COLUMNS = ("plan", "address", "joined", "left", "paused", "retired")


def export(data: OwnerPageData) -> str:
    """JSON; amounts are millionths of ε, times are UTC, bytes are written in hexadecimal."""
    plans = data.store.rows("SELECT * FROM plans ORDER BY place")
    record = {
        "hushwatt": __version__,
        "made": _time(data.now),
        "plans": [_plan(row, kept_labels(data.store, row["plan"])) for row in plans],
        "consents": [
            {**row, "time": _time(row["time"])} for row in data.store.rows("SELECT * FROM consents ORDER BY time")
        ],
        "reports": [each for row in plans for each in _reports(data, row)],
        "spends": [each for row in plans for each in _spends(data, row)],
        "silences": [each for row in plans for each in _silences(data, row)],
        "limits": {name: as_written(data.caps, name) for name in LABELS},
        "limits_in_epsilon": list(AMOUNTS),
        "requests": _requests(data),
    }
    return json.dumps(record, indent=1, ensure_ascii=False)


def _plan(row: dict[str, Any], labels: Labels) -> dict[str, Any]:
    times = {name: None if row[name] is None else _time(row[name]) for name in ("joined", "left", "paused")}
    return {
        **{name: row[name] for name in PLAN_COLUMNS},
        **times,
        "labels": labels.document(),
        "provider": row["provider"].hex(),
        "canonical": row["canonical"].decode(),
    }


def _reports(data: OwnerPageData, row: dict[str, Any]) -> list[dict[str, Any]]:
    calendar = Plan.parse(row["canonical"]).calendar
    query = "SELECT slot, spent, drawn, payload, tries, answer FROM reports WHERE place = ? ORDER BY slot"
    return [
        {
            "plan": row["plan"],
            "start": calendar.start_of(each["slot"]).isoformat(),
            "end": calendar.end_of(each["slot"]).isoformat(),
            **each,
            "payload": each["payload"].hex(),
        }
        for each in data.store.rows(query, (row["place"],))
    ]


def _spends(data: OwnerPageData, row: dict[str, Any]) -> list[dict[str, Any]]:
    query = "SELECT slot, purpose, start, end, amount FROM spends WHERE place = ? ORDER BY start, end"
    return [
        {"plan": row["plan"], **each, "start": _time(each["start"]), "end": _time(each["end"])}
        for each in data.store.rows(query, (row["place"],))
    ]


def _silences(data: OwnerPageData, row: dict[str, Any]) -> list[dict[str, Any]]:
    query = "SELECT first, last, reason FROM silences WHERE place = ? ORDER BY first"
    return [{"plan": row["plan"], **each} for each in data.store.rows(query, (row["place"],))]


def _requests(data: OwnerPageData) -> list[dict[str, Any]]:
    kept = [] if data.folder is None else RequestLog.of(data.folder.path).latest()[::-1]
    return [
        {
            "time": _time(each.time),
            "address": each.address,
            "head": each.head.decode("latin-1"),
            "body": each.body.hex(),
            "status": each.status,
        }
        for each in kept
    ]


def _time(time: int) -> str:
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time // 1_000)).isoformat()
