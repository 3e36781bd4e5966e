"""`hushwatt plan` writes plans, shows them, and says what they promise."""

import hashlib
import json
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from hushwatt.cli.main import run
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset, preset_text, presets
from hushwatt.privacy.influence import report_influence
from hushwatt.privacy.long_run import long_run, long_run_words
from hushwatt.privacy.strategies import STRATEGIES, Strategy


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """The paper's plan in a file."""
    path = tmp_path / "plan.toml"
    path.write_text(preset_text("paper"), encoding="utf-8")
    return path


def _written(tmp_path, **changes):
    path = tmp_path / "changed.toml"
    path.write_text(replace(preset("paper"), **changes).toml(), encoding="utf-8")
    return path


class TestNew:
    """`hushwatt plan new --preset NAME [-o PLAN]`."""

    @pytest.mark.parametrize("name", presets())
    def test_writes_a_plan(self, hushwatt, tmp_path, name):
        """Every preset becomes a file that loads, and the id and the next step are told on stderr."""
        answer = hushwatt("plan", "new", "--preset", name, "-o", "plan.toml")

        assert (answer.returncode, answer.stdout) == (0, "")
        assert Plan.load(tmp_path / "plan.toml") == preset(name)
        assert preset(name).id in answer.stderr
        assert "hushwatt plan check plan.toml" in answer.stderr

    def test_prints_a_plan(self, hushwatt):
        """Without -o the file goes to stdout, letter by letter, on any terminal."""
        answer = hushwatt("plan", "new", "--preset", "paper", PYTHONIOENCODING="ascii")

        assert answer.stdout == preset_text("paper")

    def test_keeps_what_is_there(self, hushwatt, paper):
        """An older file is kept, unless its author says otherwise."""
        paper.write_text("mine")
        words = ("plan", "new", "--preset", "paper", "-o", paper)
        refused = hushwatt(*words)

        assert refused.returncode == 2
        assert refused.stderr == (
            f"hushwatt: {paper} is already there; choose another name, or replace it with --force\n"
        )
        assert paper.read_text() == "mine"
        assert hushwatt(*words, "--force").returncode == 0
        assert Plan.load(paper).id == preset("paper").id

    def test_unknown_preset(self, hushwatt, tmp_path):
        """A misspelt preset is one line and no file."""
        answer = hushwatt("plan", "new", "--preset", "papper", "-o", "plan.toml")

        assert answer.returncode == 2
        assert answer.stderr == "hushwatt: there is no preset 'papper'; did you mean 'paper'?\n"
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("place", [".", "none/plan.toml"])
    def test_bad_places(self, hushwatt, place):
        """A folder, or a place in none, is one line."""
        answer = hushwatt("plan", "new", "--preset", "paper", "-o", place)

        assert answer.returncode == 2
        assert answer.stderr.startswith(f"hushwatt: cannot write {place}")
        assert len(answer.stderr.splitlines()) == 1

    def test_help_names_every_preset(self, hushwatt):
        """The help lists the presets there are."""
        words = hushwatt("plan", "new", "--help", COLUMNS="200").stdout.replace(",", " ").replace(".", " ").split()

        assert set(presets()) <= set(words)


class TestShow:
    """`hushwatt plan show PLAN [--json]`."""

    def test_json_is_the_canonical_form(self, hushwatt, tmp_path):
        """The hash of the line is the id, also where the terminal knows no ε."""
        path = _written(tmp_path, description="ε für alle")
        answer = hushwatt("plan", "show", path, "--json", PYTHONIOENCODING="ascii")
        line = answer.stdout.removesuffix("\n").encode()

        assert line == Plan.load(path).canonical()
        assert hashlib.sha256(line).hexdigest() == Plan.load(path).id

    def test_words(self, hushwatt, paper):
        """The summary says who asks, what for, the promise, the levels and the id, without stray spaces."""
        answer = hushwatt("plan", "show", paper, COLUMNS="100")
        plan = Plan.load(paper)
        flat = " ".join(answer.stdout.split())

        assert answer.returncode == 0
        assert all(words in flat for words in (plan.name, plan.contact, plan.description, plan.id, "2034-01-01"))
        assert "ε 10 for the whole home over any 3 slots in a row (3 days)" in flat
        assert "0 to 250, to 500" in flat
        assert not any(line.endswith(" ") for line in answer.stdout.splitlines())

    def test_a_plan_cannot_dress_up(self, hushwatt, tmp_path):
        """Markup in a plan is shown as it is written, not obeyed."""
        path = _written(tmp_path, name="[bold]free[/bold] energy", contact="[link=x]me[/link]")
        answer = hushwatt("plan", "show", path)

        assert "[bold]free[/bold] energy" in answer.stdout
        assert "[link=x]me[/link]" in answer.stdout


class TestCheck:
    """`hushwatt plan check PLAN [--json]`."""

    def test_words(self, hushwatt, paper):
        """Both protections with their odds, the chance of truth, the dearest window, a report's size."""
        answer = hushwatt("plan", "check", paper, COLUMNS="200")

        assert answer.returncode == 0
        assert "ε 10 over any 3 slots in a row (3 days); odds 22,026 : 1" in answer.stdout
        assert "ε 0.666667 over any 3 slots in a row (3 days); odds 1.9 : 1" in answer.stdout
        assert "e^ε : 1" in answer.stdout
        told = " ".join(answer.stdout.split())
        assert "counts in a mean as at most 46.9 homes over a single slot, 46.9 over 30 days" in told
        assert "19 bytes; names an appliance's true level with probability 0.5, and nothing but" in answer.stdout
        assert "ε 9.999996 of the ε 10 promised, whatever is decided in each slot: the promise is kept" in answer.stdout

    def test_json(self, hushwatt, paper):
        """Programs get the same numbers, in whole millionths."""
        found = json.loads(hushwatt("plan", "check", paper, "--json").stdout)

        assert found["plan"] == preset("paper").id
        assert (found["epsilon"], found["window"], found["appliance_epsilon"]) == (10_000_000, 3, None)
        assert (found["dearest_window"], found["dearest_window_of_one_appliance"]) == (9_999_996, 666_667)
        assert (found["odds"], found["odds_of_one_appliance"]) == ("22,026 : 1", "1.9 : 1")
        assert found["names_true_level"] == [0.5, 0.5]
        assert 0 < found["only_true_level"][0] < 0.01
        assert (found["report_bytes"], found["kept"]) == (19, True)
        assert found["influence"]["report"] == report_influence(preset("paper"))

    def test_the_long_run(self, hushwatt, tmp_path):
        """First what a year of reports tells, in words of everyday; for programs every appliance and every time."""
        path = tmp_path / "plan.toml"
        path.write_text(preset("advised").toml(), encoding="utf-8")
        told = " ".join(hushwatt("plan", "check", path, COLUMNS="200").stdout.split())
        found = json.loads(hushwatt("plan", "check", path, "--json").stdout)
        kettle = found["long_run"]["told"]["kettle"]

        assert f"in the long run {long_run_words(preset('advised'))[0]}" in told
        assert found["long_run"] == found["long_runs"][2]
        assert [each["after_days"] for each in found["long_runs"]] == [30, 90, 365, 1825, 3653]
        assert set(found["long_run"]["told"]) == set(preset("advised").names)
        assert kettle == long_run(preset("advised")).told["kettle"].as_json()
        assert found["long_run"]["epsilon"] == 122 * found["dearest_window"]

    def test_who_measures_what(self, hushwatt, tmp_path):
        """A plan in which homes say what they do not measure tells who does, and says so."""
        path = tmp_path / "plan.toml"
        path.write_text(preset("everyday").toml(), encoding="utf-8")
        told = json.loads(hushwatt("plan", "check", path, "--json").stdout)["long_run"]["told"]["washing_machine"]

        assert told["measured"] == pytest.approx(0.990, abs=0.002)
        assert told["owned"] == pytest.approx(0.852, abs=0.002)
        said = " ".join(hushwatt("plan", "check", path, COLUMNS="200").stdout.split())
        assert "right whether you own and measure a" in said

    def test_direct_answers(self, hushwatt, tmp_path):
        """A direct answer is the truth or not, so one chance is told; one slot is called a slot."""
        path = _written(tmp_path, method="lpu", decision=None, oracle="grr", appliances_per_report=1, window=1)
        answer = hushwatt("plan", "check", path, COLUMNS="200")

        assert "names an appliance's true level with probability 0.9996\n" in answer.stdout
        assert "ε 10 over any slot (1 day); odds 22,026 : 1" in answer.stdout

    def test_where_provider_decides(self, hushwatt, tmp_path):
        """A plan that the service will refuse says so."""

        assert "in bulk files" in hushwatt("plan", "check", _written(tmp_path, decision="provider")).stdout
        assert "in bulk files" not in hushwatt("plan", "check", _written(tmp_path)).stdout

    @pytest.mark.parametrize("options", [(), ("--json",)])
    def test_a_broken_promise(self, paper, monkeypatch, capsys, options):
        """A strategy that takes a share too many is caught, and the answer is no."""
        monkeypatch.setitem(STRATEGIES, "lba", Greedy)
        with pytest.raises(SystemExit) as leaving:
            run(["plan", "check", str(paper), *options])
        said = capsys.readouterr().out

        assert leaving.value.code == 1
        assert ('"kept": false' if options else "THE PROMISE IS BROKEN") in " ".join(said.split())


@dataclass(frozen=True)
class Greedy(Strategy):
    """A planted fault: publishes with half the window's budget in every slot."""

    epsilon: int
    probe = 0

    @property
    def largest(self):
        return self.offer()

    smallest = largest

    @classmethod
    def start(cls, epsilon, window):
        return cls(epsilon)

    def offer(self):
        return self.epsilon // 2

    def after(self, published):
        return self

    def ceiling(self, window):
        return window * self.offer()


@pytest.mark.parametrize("command", ["show", "check"])
@pytest.mark.parametrize(
    "content, reason",
    [
        (None, "no such file or directory"),
        ("window = = 3", "line 1, column 10: Invalid value"),
        ("windo = 3", "unknown key 'windo'; did you mean 'window'?"),
    ],
)
def test_bad_plans(hushwatt, tmp_path, command, content, reason):
    """A plan that cannot be read is one line with its file, and exit code 2."""
    if content is not None:
        (tmp_path / "plan.toml").write_text(content)
    answer = hushwatt("plan", command, "plan.toml")

    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr == f"hushwatt: plan.toml: {reason}\n"


def test_help_is_light():
    """The help of `plan` loads neither numpy nor the plan room."""
    script = "import sys\nfrom hushwatt.cli.main import run\ntry:\n    run(['plan', '--help'])\nfinally:\n"
    script += "    print(*sys.modules, file=sys.stderr)"
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)

    assert "new" in answer.stdout
    assert not {"numpy", "hushwatt.plan"} & set(answer.stderr.split())


class TestWhatAPlanCannotDo:
    """`plan check` and `plan show` say what a plan never sees, and what it should not be used for."""

    def test_never_seen(self, hushwatt, tmp_path):
        """Daily lsp over a week only ever measures Mondays; both commands and the JSON say so."""
        path = _written(tmp_path, method="lsp", decision=None, window=7)
        checked, shown = hushwatt("plan", "check", path), hushwatt("plan", "show", path)
        told = json.loads(hushwatt("plan", "check", path, "--json").stdout)

        assert checked.returncode == 0
        assert "it only ever measures Mondays" in checked.stdout
        assert "it only ever measures Mondays" in shown.stdout
        assert told["blind_spot"] == "it only ever measures Mondays"

    def test_means_that_lean(self, hushwatt, tmp_path):
        """One appliance of two levels by lba at a large ε: the answer is no, with the reason."""
        one = (Appliance.of("kettle", edges=[100]),)
        path = _written(tmp_path, appliances=one, appliances_per_report=1, oracle="grr")
        answer = hushwatt("plan", "check", path)

        assert answer.returncode == 1
        assert "would lean" in " ".join(answer.stdout.split())

    def test_influence_over_time(self, hushwatt, tmp_path):
        """A home counts for more in a slot of its own than over a month of turns."""
        path = _written(tmp_path, method="lpu", decision=None)
        told = json.loads(hushwatt("plan", "check", path, "--json").stdout)["influence"]

        assert told["slot"] == pytest.approx(3 * told["report"])
        assert told["month"] == pytest.approx(told["report"])

    def test_how_often_results_are_published(self, hushwatt, tmp_path):
        """Said in words and as JSON, and a home counts for less in what is published together."""
        path = _written(tmp_path, method="lpu", decision=None, publish=3)
        told = json.loads(hushwatt("plan", "check", path, "--json").stdout)

        assert "are published once every 3 days" in " ".join(hushwatt("plan", "check", path).stdout.split())
        assert told["publish"] == 3
        assert told["influence"]["slot"] == pytest.approx(told["influence"]["report"])
