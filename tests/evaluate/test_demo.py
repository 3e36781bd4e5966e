"""The rehearsal: real HTTP, a real store, and a page that says what came out."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from fractions import Fraction

import numpy as np
import pytest

from hushwatt.errors import UsageError
from hushwatt.evaluate.demo import rehearse
from hushwatt.evaluate.demo.folder import MARK, fresh_folder
from hushwatt.evaluate.demo.page import page
from hushwatt.evaluate.demo.rehearsal import SMALLER, ask, paper_plan
from hushwatt.evaluate.demo.server import TRIES, free_door
from hushwatt.evaluate.generators.paper_homes import paper_homes
from hushwatt.plan.presets import preset


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    with rehearse(tmp_path_factory.mktemp("demo"), homes=300, slots=3) as rehearsal:
        yield rehearsal


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
    assert (done.counted <= done.truth + 1e-9).all()
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
    watts = paper_homes(homes=300, slots=3, seed=1) / SMALLER

    assert 0 < (watts > tops).mean() < 0.1
    assert (watts > tops / 10).mean() > 0.2


def test_page(done):
    """The page names every appliance and loads nothing from elsewhere."""
    text = page(done)

    assert all(name.replace("_", " ") in text for name in done.plan.names)
    assert "$" not in text
    assert "http" not in text.replace("HTTP", "")
    assert "<script" not in text


def test_command(hushwatt, tmp_path):
    """`hushwatt demo --exit` prints the summary, leaves the page, and ends."""
    answer = hushwatt("demo", "--homes", 300, "--days", 3, "--exit")

    assert answer.returncode == 0, answer.stderr
    assert "300 invented homes, 3 days, 300 reports over HTTP" in answer.stdout
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
