"""The rehearsal: real HTTP, a real store, and a page that says what came out."""

from fractions import Fraction

import numpy as np
import pytest

from hushwatt.errors import UsageError
from hushwatt.evaluate.demo import rehearse
from hushwatt.evaluate.demo.folder import fresh_folder
from hushwatt.evaluate.demo.page import page
from hushwatt.evaluate.demo.rehearsal import SMALLER, ask, paper_plan
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
    """An earlier rehearsal is replaced; anything else is left alone."""
    folder = fresh_folder(tmp_path / "demo", 300, 1)
    (folder / "store.sqlite").touch()

    assert not (fresh_folder(folder, 300, 1) / "store.sqlite").exists()
    with pytest.raises(UsageError, match="no earlier rehearsal"):
        fresh_folder(tmp_path, 300, 1)
    with pytest.raises(UsageError, match="at least 300 homes"):
        fresh_folder(tmp_path / "new", 299, 1)


def test_taken_port(hushwatt, done):
    """A port that is taken is one clear line."""
    answer = hushwatt("demo", "--homes", 300, "--days", 1, "--port", done.address.rsplit(":", 1)[1], "--exit")

    assert answer.returncode == 2
    assert "it is taken" in answer.stderr
