"""`hushwatt provider` as an operator types it."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import report
from hushwatt.privacy.entropy import Simulation
from hushwatt.provider.store import open_store
from hushwatt.provider.store.access_tokens import token_role
from hushwatt.provider.store.plans import add_plan
from hushwatt.wire.reports import ReportWriter


@pytest.fixture
def stored(tmp_path, plan_of):
    """A folder with a store that collects one plan."""
    (tmp_path / "hushwatt-data").mkdir()
    plan = plan_of(3, 4, 2)
    database = open_store(tmp_path / "hushwatt-data" / "store.sqlite")
    with database.writing() as session:
        add_plan(session, plan)
    database.close()
    return plan


def test_codes_and_tokens_are_made(hushwatt, stored, tmp_path):
    """Codes come one on a line; a token is shown once, replaced by name, and revoked."""
    codes = hushwatt("provider", "keys", "code", "-n", 3).stdout.split()
    first = hushwatt("provider", "keys", "token", "ada").stdout.strip()
    second = hushwatt("provider", "keys", "token", "ada", "--role", "operate").stdout.strip()
    shown = json.loads(hushwatt("provider", "keys", "show", "--json").stdout)
    database = open_store(tmp_path / "hushwatt-data" / "store.sqlite")
    with database.reading() as session:
        good = [token_role(session, token, now=0) for token in (first, second)]
        ((kept,),) = session.all("SELECT count(*) FROM codes")
    database.close()

    assert len(set(codes)) == kept == 3
    assert good == [None, "operate"]
    assert shown["tokens"] == ["ada"]
    assert shown["roles"] == {"ada": "operate"}
    assert hushwatt("provider", "keys", "token", "ada", "--revoke").returncode == 0
    assert hushwatt("provider", "keys", "token", "ada", "--revoke").returncode == 2


def test_keys_rotate(hushwatt, stored):
    """The new public key is printed, and the old one vouches for it."""
    before = json.loads(hushwatt("provider", "keys", "show", "--json").stdout)["key"]

    new = hushwatt("provider", "keys", "rotate").stdout.strip()

    after = json.loads(hushwatt("provider", "keys", "show", "--json").stdout)
    assert after["key"] == new != before
    assert [step["key"] for step in after["history"]] == [before]


def test_backup_restore_and_export(hushwatt, stored, tmp_path):
    """A backup is put into another folder, and exported from there."""
    made = hushwatt("provider", "backup", "copy.sqlite")
    put = hushwatt("provider", "restore", "copy.sqlite", "--data", "other")
    written = hushwatt("provider", "export", "all.json", "--data", "other", "--plan", stored.id[:8])

    assert [made.returncode, put.returncode, written.returncode] == [0, 0, 0]
    assert json.loads((tmp_path / "all.json").read_text())["plan"] == stored.id


@pytest.mark.parametrize(
    "words, line",
    [
        (("serve", "--plan", "missing.toml"), "no such file"),
        (("serve",), "there is no plan to collect"),
        (("serve", "--host", "0.0.0.0", "--access", "open"), "everyone"),
        (("serve", "--grace", "soon"), "no length of time"),
        (("keys", "code"), "there is no store"),
        (("backup", "x"), "there is no store"),
        (("restore", "x"), "no such file"),
        (("ingest", "x.parquet"), "there is no store"),
        (("erase", "home 1"), "there is no store"),
        (
            ("export", "x.csv", "--store", "postgresql://nobody@127.0.0.1:1/x?connect_timeout=1"),
            "cannot reach",
        ),
    ],
)
def test_wrong_use_is_one_line(hushwatt, words, line):
    """What stands in the way, in one line, with exit code 2."""
    answer = hushwatt("provider", *words)

    assert answer.returncode == 2
    assert answer.stdout == ""
    assert answer.stderr.count("\n") == 1
    assert answer.stderr.startswith("hushwatt: ")
    assert line in answer.stderr


@pytest.fixture
def reports(tmp_path, plan_of):
    """A plan's file, and a file of reports of 40 homes in 5 slots."""
    plan = plan_of(3, 4, 2, method="lba")
    (tmp_path / "plan.toml").write_text(plan.toml())
    fleet, source = enrol(plan, 40, 0, Simulation(1, "homes")), Simulation(2, "levels")
    with ReportWriter(tmp_path / "reports.parquet", plan, 40) as writer:
        for slot in range(5):
            levels = np.full((40, 3), slot % 2, dtype=np.uint16)
            sent = report(fleet, slot, levels, source)
            names = pa.array([f"home {home:02d}" for home in sent.homes])
            writer.write(names, slot, 0, sent.spent, sent.drawn, sent.payloads)
    return plan


def test_files_go_in_and_estimates_come_out(hushwatt, reports, tmp_path):
    """Without any service: ingest, export, and the numbers are those of `estimate`; again adds nothing."""
    words = ("provider", "ingest", "reports.parquet", "--plan", "plan.toml")
    first = hushwatt(*words)
    again = json.loads(hushwatt(*words, "--json").stdout)
    written = hushwatt("provider", "export", "all.json")
    estimated = hushwatt("estimate", "plan.toml", "reports.parquet", "--json")

    assert first.returncode == 0
    assert "accepted  200\n" in first.stdout
    assert "homes     40 new\n" in first.stdout
    assert (again["accepted"], again["repeated"], again["known"]) == (0, 0, 200)
    assert "published 5 slots, 0 to 4" in written.stderr
    assert json.loads((tmp_path / "all.json").read_text()) == json.loads(estimated.stdout)


def test_archives_come_out_and_homes_are_erased(hushwatt, reports, tmp_path):
    """Reports of published slots are written once; an erased home is taken out, and does not come back."""
    hushwatt("provider", "ingest", "reports.parquet", "--plan", "plan.toml")

    first = hushwatt("provider", "export", "--reports", "archive")
    gone = hushwatt("provider", "erase", "home 07")
    again = hushwatt("provider", "export", "archive", "--reports", "--from", "2024-01-02")
    unknown = hushwatt("provider", "erase", "home 07")

    assert "wrote 5 slots to archive; 0 were there" in first.stderr
    assert "erased home 07 and 5 reports of it" in gone.stderr
    assert "wrote 0 slots to archive; 4 were there" in again.stderr
    rows = [pq.read_metadata(path).num_rows for path in sorted((tmp_path / "archive").iterdir())]
    assert rows == [40, 39, 39, 39, 39]
    assert unknown.returncode == 2
    assert unknown.stderr == "hushwatt: home 07: no home of that name is enrolled\n"


def test_what_cannot_go_in_is_one_line(hushwatt, reports, stored, tmp_path, plan_of):
    """A file of another plan, a damaged one, a plan of two rounds: one line, exit code 2."""
    (tmp_path / "half.parquet").write_bytes((tmp_path / "reports.parquet").read_bytes()[:-50])
    (tmp_path / "two.toml").write_text(plan_of(3, 4, 2, method="lpd", decision="provider").toml())

    answers = [
        hushwatt("provider", "ingest", "reports.parquet"),  # the store collects another plan
        hushwatt("provider", "ingest", "half.parquet", "--plan", "plan.toml"),
        hushwatt("provider", "ingest", "reports.parquet", "--plan", "two.toml"),
        hushwatt("provider", "ingest", "--plan", "plan.toml"),
    ]

    assert [answer.returncode for answer in answers] == [2] * 4
    assert [answer.stderr.count("\n") for answer in answers] == [1] * 4
    for answer, line in zip(answers, ["not of", "not a complete one", "two rounds", "no file"], strict=True):
        assert line in answer.stderr


def test_a_plan_must_be_named_among_several(hushwatt, stored, plan_of, tmp_path):
    """With two plans, the commands that need one say how to name it."""
    database = open_store(tmp_path / "hushwatt-data" / "store.sqlite")
    with database.writing() as session:
        add_plan(session, plan_of(2, 2))
    database.close()

    assert "2 plans fit" in hushwatt("provider", "keys", "code").stderr
    assert "no such plan" in hushwatt("provider", "keys", "code", "--plan", "zz").stderr
    assert hushwatt("provider", "keys", "code", "--plan", stored.id).returncode == 0


def test_a_wrong_delivery_is_found_and_taken_back(hushwatt, stored, tmp_path):
    """Files are listed with what they told; one is put right, taken back, and cannot be taken back again."""
    fleet = enrol(stored, 5, 0, Simulation(1, "x"))
    levels = np.zeros((5, 3), dtype=np.uint16)
    sent = report(fleet, 0, levels, Simulation(1, "y"))
    with ReportWriter(tmp_path / "wrong.parquet", stored, 10**9) as writer:
        names = pa.array([f"home {home}" for home in sent.homes])
        writer.write(names, 0, 0, sent.spent, sent.drawn, sent.payloads)

    def run(*words):
        return hushwatt("provider", *words)

    refused = run("ingest", "wrong.parquet")
    taken = run("ingest", "wrong.parquet", "--homes", 90)
    listed = json.loads(run("deliveries", "--json").stdout)["deliveries"]
    corrected = json.loads(run("deliveries", "--correct", 1, "--homes", 70, "--json").stdout)["deliveries"]
    back = run("deliveries", "--take-back", 1)

    assert refused.returncode == 2
    assert "1,000,000,000 homes take part" in refused.stderr
    assert taken.returncode == 0, taken.stderr
    assert [(each["number"], each["name"], each["accepted"], each["homes"]) for each in listed] == [
        (1, "wrong.parquet", 5, 90)
    ]
    assert corrected[0]["homes"] == 70
    assert "5 reports and 5 homes are forgotten" in back.stderr
    assert "wrong.parquet (taken back)" in back.stdout
    assert run("deliveries", "--take-back", 1).returncode == 2
    assert run("deliveries", "--homes", 5).returncode == 2
    assert run("ingest", "wrong.parquet", "--homes", -1).returncode == 2
