"""The rehearsal: real HTTP, a real store, and a page that says what came out."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from fractions import Fraction
from html import escape

import numpy as np
import pytest

from hushwatt.cli import demo as command
from hushwatt.errors import UsageError
from hushwatt.evaluate import metrics
from hushwatt.evaluate.demo import rehearse
from hushwatt.evaluate.demo.folder import MARK, fresh_folder
from hushwatt.evaluate.demo.homes import HttpHomes
from hushwatt.evaluate.demo.page import LEFT, RIGHT, WIDTH, chart, page, table
from hushwatt.evaluate.demo.rehearsal import SEED, WATTS_DIVISOR, ask, paper_plan
from hushwatt.evaluate.demo.server import TRIES, free_door
from hushwatt.evaluate.demo.year import observed, rehearse_year
from hushwatt.evaluate.generators.paper_homes import paper_homes
from hushwatt.plan.presets import preset
from hushwatt.privacy.long_run import long_run_words


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    with rehearse(tmp_path_factory.mktemp("demo"), homes=300, slots=3) as rehearsal:
        yield rehearsal


@pytest.fixture(scope="module")
def year():
    """A smaller million, with the same noise in every run."""
    return rehearse_year(homes=300_000, noise=5)


def test_every_home_reports_once_in_a_window(done):
    """300 homes take turns over three days: 300 reports arrive, and three slots are published."""
    assert done.reports == 300
    assert [slot["reports"] for slot in done.answer["slots"]] == [100, 100, 100]
    assert done.answer["homes"] == 300


def test_the_service_is_still_there(done):
    """While the block lasts, the service answers."""
    assert ask(f"{done.address}/v1/plans")


def test_summary_numbers(done):
    """Every appliance has an estimate, the truth and the paper's number beside it."""
    assert sorted(done.answer["top"]) == sorted(done.true_order) == sorted(done.paper)
    assert 0 <= done.hits <= 10
    assert done.share_error > 0


def test_plan_keeps_the_papers_protection(done):
    """The homes are asked with the ε, the window and at most the appliance ε of the paper's plan."""
    paper = preset("paper")

    assert (done.plan.epsilon, done.plan.window, done.plan.names) == (
        paper.epsilon,
        paper.window,
        paper.names,
    )
    assert done.promise.appliance_dearest <= Fraction(paper.epsilon, len(paper.names))


def test_the_paper_gets_its_own_ranges():
    """The paper's mechanism is asked in ranges that fit the homes: some readings are above the last."""
    tops = np.array([each.edges[-1] for each in paper_plan().appliances])
    watts = paper_homes(homes=300, slots=3, seed=1) / WATTS_DIVISOR

    assert 0 < (watts > tops).mean() < 0.1
    assert (watts > tops / 10).mean() > 0.2


def test_page(done, year):
    """The page names every appliance and loads nothing from elsewhere."""
    text = page(done, year)

    assert all(name.replace("_", " ") in text for name in done.plan.names)
    assert "$" not in text
    assert "http" not in text.replace("HTTP", "")
    assert "<script" not in text


def test_the_paper_is_judged_by_the_same_truth(done):
    """Ranks and shares, ours and the paper's, are compared with all watts, above the levels too."""
    ours = [done.answer["appliances"][name]["mean_watts"] for name in done.plan.names]
    papers = [done.paper[name] for name in done.plan.names]

    watts = paper_homes(homes=300, slots=3, seed=SEED) / WATTS_DIVISOR
    assert done.truth == pytest.approx(watts.mean(axis=(0, 1)))
    assert (done.hits, done.paper_hits) == tuple(metrics.exact_hits(done.truth, one) for one in (ours, papers))
    assert done.share_error == pytest.approx(metrics.share_error(done.truth, ours))
    assert done.paper_share_error == pytest.approx(metrics.share_error(done.truth, papers))


def test_numbers_of_the_page(done, year):
    """The table has every appliance's estimate, limits, the truth, true rank and the paper's number."""
    rows = [re.findall("<td>(.*?)</td>", row) for row in table(done).split("<tr>")[2:]]

    assert [row[1].replace(" ", "_") for row in rows] == done.answer["top"]
    for row, name in zip(rows, done.answer["top"], strict=True):
        one, place = done.answer["appliances"][name], done.plan.names.index(name)
        best, _, worst = row[0].partition("–")
        shown = [float(part) for cell in row[2:5] for part in cell.removesuffix(" W").split(" to ")]
        true = [one["mean_watts"], *one["ci95"], done.truth[place]]
        assert [int(best), int(worst or best)] == one["rank_ci95"]
        assert shown == pytest.approx(true, abs=0.051)
        assert int(row[5]) == 1 + int((done.truth > done.truth[place]).sum())
        assert float(row[6].removesuffix(" W")) == pytest.approx(done.paper[name], abs=0.51)


def test_numbers_of_the_chart(done):
    """Bars, dots and marks lie where the watts are, and what is written beside them are the limits."""
    drawn = chart(done)
    bars = re.findall(r'"bar" x1="([\d.]+)" x2="([\d.]+)"', drawn)
    dots, marks = re.findall(r'cx="([\d.]+)"', drawn), re.findall(r'"true" x1="([\d.]+)" x2="\1"', drawn)
    written = re.findall(r">(-?[\d.]+) \((-?[\d.]+) to (-?[\d.]+)\) W<", drawn)
    truth = dict(zip(done.plan.names, done.truth, strict=True))
    one = [done.answer["appliances"][name] for name in done.answer["top"]]
    largest = max([each["ci95"][1] for each in one] + done.truth.tolist())

    def watts(x):
        return (float(x) - LEFT) * largest / (WIDTH - LEFT - RIGHT)

    assert len(bars) == len(dots) == len(marks) == len(written) == len(one)
    near = largest / (WIDTH - LEFT - RIGHT) / 10
    for each, bar, dot, mark, numbers, name in zip(one, bars, dots, marks, written, done.answer["top"], strict=True):
        low, high = each["ci95"]
        assert [watts(x) for x in (*bar, dot, mark)] == pytest.approx(
            [max(low, 0), max(high, 0), max(each["mean_watts"], 0), truth[name]], abs=near
        )
        assert [float(number) for number in numbers] == pytest.approx([each["mean_watts"], low, high], abs=0.051)


def test_what_the_page_says_of_protection(done, year):
    """ε and odds of the home and of one appliance, bytes and days, hits and points, are those of the run."""
    text, paper = " ".join(page(done, year).split()), preset("paper")
    single = float(done.promise.appliance_dearest) / 1e6

    assert f"<b>{done.hits} of 10</b>" in text
    assert f"same homes and same ε, {done.paper_hits}</div>" in text
    assert f"<b>{done.share_error:.1f} points</b>" in text
    assert f"by the paper's mechanism {done.paper_share_error:.1f}</div>" in text
    assert f"<b>{len(done.example.payload)} bytes</b> left a home every {done.plan.window} days" in text
    assert f"The whole home: ε {paper.epsilon / 1e6:g} over any {paper.window} days" in text
    assert f"One appliance: ε {single:.3g}, odds {done.promise.appliance_odds};" in text
    assert f"odds {done.promise.odds} at the most" in text
    assert " ".join(f"{byte:08b}" for byte in done.example.payload) in text


def test_numbers_of_the_summary(done):
    """The ten first of the command have the page's numbers, and ✓ stands where the rank is the true one."""
    rows = list(command.rows(done, 30))
    said = dict(command.remarks(done))

    assert [row[1].replace(" ", "_") for row in rows] == done.answer["top"][:10]
    assert sum("✓" in row[5] for row in rows) == done.hits
    for row, name in zip(rows, done.answer["top"], strict=False):
        one, place = done.answer["appliances"][name], done.plan.names.index(name)
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", row[2])]
        assert numbers == pytest.approx([one["mean_watts"], *one["ci95"]], abs=0.051)
        assert float(row[4]) == pytest.approx(done.truth[place], abs=0.051)
        assert int(row[5].split()[0]) == 1 + int((done.truth > done.truth[place]).sum())
    assert said["accurate"].startswith(f"{done.hits} of 10")
    assert f"{done.share_error:.1f} points on average" in said["accurate"]
    assert f"{done.paper_hits} of 10, and {done.paper_share_error:.1f} points" in said["accurate"]
    assert f"ε {preset('paper').epsilon / 1e6:g} in any {done.plan.window} days" in said["private"]


def test_what_is_said_of_the_year(done, year):
    """Command and page say the hits, the limits, and what an observer tells, as the long run has it."""
    said = dict(command.year_remarks(done, year))
    text = " ".join(page(done, year).split())
    told = long_run_words(year.plan)[0]

    assert said["accurate"].startswith(f"{year.hits} of 10 stand at exactly their true rank after the year")
    assert f"{year.month.hits} of 10 after the first 30 days" in said["accurate"]
    assert f"{year.within} of 15 real means" in said["accurate"]
    assert told[1:] in said["one home"]
    assert "It speaks once in 365 days, about 1 of 15 appliances." in said["one home"]
    assert long_run_words(done.plan)[0] in said["beside it"]
    assert "300,000 such homes for a year, at ε 1 for the whole home" in text
    assert f"<b>{year.hits} of 10</b> at exactly their true rank after the year, {year.month.hits} after" in text
    assert f"<b>{year.within} of 15</b> real means" in text
    assert "<b>50.9 in 100</b> is how often someone who sees all reports of a home" in text
    assert "tells right whether it has a washing machine," in text
    assert chart(year) in page(done, year)
    for _, sentence in observed(year.plan, done.plan):
        assert escape(sentence) in text


def test_command(hushwatt, tmp_path):
    """`hushwatt demo --exit` prints the summary, leaves the page, and ends."""
    answer = hushwatt("demo", "--homes", 300, "--days", 3, "--exit")

    assert answer.returncode == 0, answer.stderr
    assert "300 invented homes, 3 days, 300 reports over HTTP" in answer.stdout
    assert "1,000,000 such homes for a year, ε 1 for the whole home in any 365 days" in answer.stdout
    assert "dashboard    http://127.0.0.1:" in answer.stdout
    assert (tmp_path / "hushwatt-demo" / "report.html").exists()


def test_folder(tmp_path):
    """An earlier rehearsal is replaced, even when that was interrupted; anything else is left alone."""
    with fresh_folder(tmp_path / "demo", 300, 1) as folder:
        (folder / "store.sqlite").touch()
        (folder / "deep").mkdir()
    with fresh_folder(tmp_path / "demo", 300, 1) as again:
        assert again == folder
        assert [path.name for path in again.iterdir()] == [MARK]
    with pytest.raises(UsageError, match="no earlier rehearsal"), fresh_folder(tmp_path, 300, 1):
        pass
    with pytest.raises(UsageError, match="at least 300 homes"), fresh_folder(tmp_path / "new", 299, 1):
        pass
    assert not (tmp_path / "new").exists()


def test_a_folder_that_is_in_use(tmp_path):
    """A second rehearsal at the same time takes the next name, and leaves the first alone."""
    with fresh_folder(tmp_path / "demo", 300, 1) as first:
        (first / "store.sqlite").touch()
        with fresh_folder(tmp_path / "demo", 300, 1) as second:
            assert second == tmp_path / "demo-2"
        assert (first / "store.sqlite").exists()


def test_taken_port(done):
    """When a port is taken the next free one is used; a port that cannot be is one clear line."""
    taken = int(done.address.rsplit(":", 1)[1])
    with contextlib.closing(free_door("127.0.0.1", taken)) as door:
        assert taken < door.getsockname()[1] < taken + TRIES
    with pytest.raises(UsageError, match="from port 70000 on: there is no such port; choose another --port"):
        free_door("127.0.0.1", 70000)


def started(folder, *words):
    """A demo as a person starts it, in a home folder of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", "from hushwatt.cli.main import run; run()", "demo", "--homes", "300", *words],
        cwd=folder,
        env={**os.environ, "HOME": str(folder / "home"), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def told(demo, text):
    """What it prints until `text` appears."""
    lines = []
    for line in demo.stdout:
        lines.append(line)
        if text in line:
            return lines
    raise AssertionError("".join(lines) + demo.stderr.read())


def test_two_at_once_and_ctrl_c(tmp_path):
    """Two demos in one folder run side by side; Ctrl-C ends them, and homes stay empty."""
    (tmp_path / "home").mkdir()
    with started(tmp_path, "--days", "3") as first, started(tmp_path, "--days", "3") as second:
        try:
            addresses = {told(demo, "dashboard")[-1].split()[1] for demo in (first, second)}
            pages = [ask(f"{address}v1/plans") for address in addresses]
            asked = [demo.stderr.readline() for demo in (first, second)]  # only then it waits for Ctrl-C
            for demo in (first, second):
                demo.send_signal(signal.SIGINT)
            ends = [(demo.wait(60), demo.stdout.read(), demo.stderr.read()) for demo in (first, second)]
        finally:
            first.kill()
            second.kill()

    assert len(addresses) == 2
    assert all(pages)
    assert asked == ["stop with Ctrl-C\n"] * 2
    assert ends == [(0, "", "\n")] * 2
    assert {path.name for path in tmp_path.iterdir()} == {"home", "hushwatt-demo", "hushwatt-demo-2"}
    assert list((tmp_path / "home").iterdir()) == []


@pytest.mark.parametrize("after", [5, 305])
def test_ctrl_c_leaves_nothing_waiting(tmp_path, monkeypatch, after):
    """Interrupted while homes join, or while they report, those that wait for their turn do not go on."""
    posted, told = [], []
    post = HttpHomes._post

    def counted(self, *words):
        posted.append(words)
        return post(self, *words)

    def advance(_):
        told.append(1)
        if len(told) == after:
            raise KeyboardInterrupt

    monkeypatch.setattr(HttpHomes, "_post", counted)
    with pytest.raises(KeyboardInterrupt), rehearse(tmp_path, homes=300, slots=3, advance=advance):
        pass

    assert len(posted) < after + 100
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("ThreadPool")]


@pytest.mark.parametrize("how, code", [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_stopped_half_way(hushwatt, tmp_path, how, code):
    """A demo that is stopped while homes report leaves no page and no half page, and the next one runs."""
    with started(tmp_path, "--days", "400") as demo:
        try:
            while not (tmp_path / "hushwatt-demo" / "plan.toml").exists() and demo.poll() is None:
                time.sleep(0.02)
            time.sleep(0.5)
            demo.send_signal(how)
            end = demo.wait(60), demo.stderr.read()
        finally:
            demo.kill()
    left = {path.name for path in (tmp_path / "hushwatt-demo").iterdir()}
    again = hushwatt("demo", "--homes", "300", "--days", "3", "--exit")

    assert end == (code, "")
    assert "plan.toml" in left
    assert not any(name.endswith(".html") for name in left)
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "hushwatt-demo" / "report.html").read_text().endswith("</html>\n")
