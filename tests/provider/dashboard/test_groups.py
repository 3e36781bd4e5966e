"""Groups of homes on the pages: split, compared, beside the command line, and none that is too small."""

import csv
import html
import io
import json
import re
import shlex
from contextlib import chdir, redirect_stderr, redirect_stdout

import numpy as np
import pytest
from tests.provider.collecting import ServiceClient, records, write_reports
from tests.provider.shown import Shown

from hushwatt.audit.harness.local_service import config_for
from hushwatt.cli.main import run as run_command
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import report
from hushwatt.privacy.entropy import Simulation
from hushwatt.wire.labels import Labels

SIZES = {"A": 70, "B": 60, "<b>C</b>": 10, "D": 40}  # homes by tariff
NEED, SLOTS = 25, 6


@pytest.fixture(scope="module")
def talk(plan_of, tmp_path_factory):
    """Homes of four tariffs, one of few homes; only those of A run the first appliance."""
    folder, plan = tmp_path_factory.mktemp("groups"), plan_of(2, 2, epsilon=60_000_000, minimum_homes=NEED)
    talk, source, homes = (
        ServiceClient(config_for(folder, plan), plan, plan.start),
        Simulation(1, "x"),
        sum(SIZES.values()),
    )
    with talk.client:
        gateways = []
        for tariff, size in SIZES.items():
            (code,) = talk.codes(homes=size, labels=Labels.of({"tariff": tariff}))
            key, answer = talk.join(code=code, homes=size)
            gateways.append(
                (key, bytes.fromhex(answer.json()["device"]), sorted(map(bytes.fromhex, answer.json()["devices"])))
            )
        tariffs = {device: tariff for tariff, (*_, own) in zip(SIZES, gateways, strict=True) for device in own}
        devices = sorted(tariffs)
        of_a = np.array([tariffs[device] == "A" for device in devices])
        fleet, sent = enrol(plan, homes, 0, source), []
        for slot in range(SLOTS):
            levels = np.stack([of_a * (slot % 2), np.arange(homes) % 2], axis=1)
            sent.append(report(fleet, slot, levels.astype(np.uint16), source))
            talk.at_slot(slot)
            body = records(devices, sent[-1])
            size = len(body) // homes
            each = {device: body[size * place : size * (place + 1)] for place, device in enumerate(devices)}
            for key, name, own in gateways:
                talk.send(key, name, b"".join(each[device] for device in own)).raise_for_status()
        talk.at_slot(SLOTS)
        (folder / "plan.json").write_bytes(talk.get("").content)
        write_reports(folder / "reports", plan, devices, sent)
        lines = ["household,tariff", *(f"{device.hex()},{tariff}" for device, tariff in tariffs.items())]
        (folder / "labels.csv").write_text("\n".join(lines) + "\n")
        talk.folder = folder  # type: ignore[attr-defined]
        yield talk


def numbers(talk, path):
    return list(csv.DictReader(io.StringIO(talk.client.get(f"{path}&form=csv").text)))


def command(talk, path):
    """What the page's command line prints, as JSON."""
    found = re.search(r"<code>(hushwatt .*?)</code> <button", talk.client.get(path).text)
    words, out = shlex.split(html.unescape(found[1])), io.StringIO()
    words += ["--json"] * ("--json" not in words)
    with chdir(talk.folder), redirect_stdout(out), redirect_stderr(io.StringIO()), pytest.raises(SystemExit) as done:
        run_command(words[1:])
    assert done.value.code == 0
    return json.loads(out.getvalue())


@pytest.mark.parametrize("times", ["", "&to=2024-01-04&weekdays=mon-thu"])
def test_the_split_is_that_of_the_command(talk, times):
    """Every group's mean and limits, with the homes that are in it, for any times."""
    path = f"/groups?by=tariff{times}"
    told = command(talk, path)["groups"]
    rows = numbers(talk, path)

    assert {row["group"] for row in rows} >= {"tariff=A", "tariff=B"}
    for row in rows:
        each = (told[row["group"]].get("appliances") or {}).get(row["appliance"])
        assert (each is None) == (row["watts"] == "")
        if each:
            assert float(row["watts"]) == pytest.approx(each["mean_watts"])
            assert [float(row["low"]), float(row["high"])] == pytest.approx(each["ci95"])


def test_groups_are_compared_as_the_command_does(talk):
    """Two groups, over all appliances, in the words of their labels."""
    path = "/compare?a_group=tariff%3DA&b_group=tariff%3DB"
    told, shown = command(talk, path)["appliances"], Shown(talk.client.get(path))

    for row in numbers(talk, path):
        assert float(row["difference"]) == pytest.approx(told[row["appliance"]]["difference"])
        assert [float(row["low"]), float(row["high"])] == pytest.approx(told[row["appliance"]]["ci95"])
    assert re.search(r"uses .* more with tariff A than with tariff B; the difference is certain", shown.text)


def test_a_group_of_few_homes_has_no_number(talk):
    """The small tariff is told to be too small; no number about it stands anywhere, and no other gives it away."""
    shown = Shown(talk.client.get("/groups?by=tariff&appliance=appliance+0"))
    rows = {row[0]: row for row in shown.tables["Appliance 0 by group"][1:]}
    small = [row for row in numbers(talk, "/groups?by=tariff") if "C" in row["group"]]

    assert rows["tariff=<b>C</b>"][2] == "too few homes"
    assert [row["watts"] for row in small] == ["", ""]
    assert rows["tariff=D"][2] == "would give a smaller group away"
    assert "tariff=A" in rows
    assert "too few" not in rows["tariff=A"][2] + rows["tariff=B"][2]
    assert all(row["watts"] == "" for row in numbers(talk, "/groups?by=tariff") if "none" in row["group"])


def test_labels_stay_text(talk):
    """What a label says is no markup, neither in the page nor in its charts."""
    source = talk.client.get("/groups?by=tariff").text

    assert "<b>C" not in source
    assert "tariff=&lt;b&gt;C&lt;/b&gt;" in source


def test_what_no_home_has_is_refused(talk):
    """A label or a value that is not there is named, with those that are."""
    for path, complaint in (
        ("/groups?by=region", "there is no label “region”; the labels are tariff"),
        ("/compare?a_group=tariff%3DZ&b_group=tariff%3DA", "no home has “tariff=Z”"),
    ):
        answer = talk.client.get(path)
        assert answer.status_code == 400
        assert complaint in html.unescape(answer.text)


def test_a_plan_without_labels_has_no_groups(collecting, plan_of):
    """The page is not offered, and says where labels come from when it is asked for."""
    talk = collecting(plan_of(2))

    assert ">Groups<" not in talk.client.get("/top").text
    assert talk.client.get("/groups").status_code == 200
