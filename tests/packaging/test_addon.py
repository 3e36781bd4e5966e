"""The script that starts the app in Home Assistant, run with stubs for all around it."""

import json
import os
import shutil
import stat
import subprocess
import textwrap
from pathlib import Path

import pytest

from hushwatt.household.ledger.caps import Caps

SCRIPT = Path(__file__).parents[2] / "homeassistant" / "hushwatt" / "run.sh"
MQTT = {"data": {"host": "core-mosquitto", "port": 1883, "username": "addons", "password": 'a"b'}}
# What both versions say of `-e` without any input: 1.6 that it is fine, 1.7 that it is not.
EMPTY = {"1.6": 0, "1.7": 4}
PLAN, OTHER = "5f" * 32, "5e" * 32


class App:
    """The app's container: its folders, and the programs that the script calls."""

    def __init__(self, folder, version):
        jq = shutil.which("jq")
        if jq is None:
            if "CI" in os.environ:
                pytest.fail("jq is not here: apt install jq")
            pytest.skip("THE APP'S SCRIPT IS NOT TESTED: jq is not installed (apt install jq)")
        self.folder, self.log = folder, folder / "log"
        for name in ("bin", "data", "config"):
            (folder / name).mkdir()
        self.stub(
            "jq",
            f"""
            input=$(cat; printf x); input=${{input%x}}
            case " $* " in *" -e "*) [ -n "$input" ] || exit {EMPTY[version]} ;; esac
            case "$*" in *options.json*) exec {jq} "$@" ;; esac
            printf '%s' "$input" | {jq} "$@"
        """,
        )
        self.stub("sleep", "")
        self.supervisor([MQTT])
        self.states, self.offered = (), PLAN
        self.joined()
        self.options()
        (folder / "data" / "shown").write_text(f"{PLAN}\n")  # by an earlier start with agree off

    def stub(self, name, body):
        file = self.folder / "bin" / name
        file.write_text(f'#!/bin/sh\necho "{name} $*" >>{self.log}\n{textwrap.dedent(body)}\n')
        file.chmod(0o755)

    def supervisor(self, answers):
        """Answer one after the other, None being no answer; the last one again and again."""
        for place, answer in enumerate(answers):
            (self.folder / f"answer{place}").write_text("" if answer is None else json.dumps(answer))
        self.stub(
            "curl",
            f"""
            count=$(grep -c '^curl' {self.log}); last={len(answers)}
            [ "$count" -lt "$last" ] || count=$last
            file={self.folder}/answer$((count - 1))
            [ -s "$file" ] || exit 7
            cat "$file"
        """,
        )

    def joined(self, *states):
        """Let the home have a plan in each of these states; without any it has no ledger."""
        self.states = states
        self._hushwatt()

    def offers(self, plan):
        """Let the provider offer this plan; None: it does not answer."""
        self.offered = plan
        self._hushwatt()

    def _hushwatt(self):
        told = json.dumps({"plans": [{"state": state} for state in self.states]})
        status = f"echo '{told}'" if self.states else "exit 2"
        terms = f"printf 'when            now\\nplan            {self.offered}\\n'; " if self.offered else ""
        ended = 'case "$*" in *--yes*) ;; *) exit 2 ;; esac'
        self.stub("hushwatt", f'case "$2" in status) {status} ;; join) {terms}{ended} ;; esac')

    def options(self, **options):
        told = {"provider": "https://p.example", "plan": "", "code": "", "agree": True, **options}
        (self.folder / "data" / "options.json").write_text(json.dumps(told))

    @property
    def home(self):
        return self.folder / "data" / "home"

    def start(self):
        """Run the script; gives the calls of hushwatt and sleep that it made."""
        self.log.write_text("")
        env = {
            "PATH": f"{self.folder}/bin:{os.environ['PATH']}",
            "HUSHWATT_APP_DATA": str(self.folder / "data"),
            "HUSHWATT_APP_CONFIG": str(self.folder / "config"),
            "SUPERVISOR_TOKEN": "token",
        }
        self.done = subprocess.run(
            ["sh", str(SCRIPT)], env=env, umask=0o022, capture_output=True, text=True, timeout=60
        )
        lines = self.log.read_text().splitlines()
        return [line for line in lines if line.startswith(("hushwatt household", "sleep inf"))]

    def sources(self):
        file = self.home / "sources.toml"
        return file.read_text() if file.exists() else None


@pytest.fixture(params=EMPTY)
def app(request, tmp_path):
    return App(tmp_path, request.param)


STATUS = "hushwatt household status --json"
SHOW = "hushwatt household join https://p.example"
JOIN = f"hushwatt household join https://p.example --plan {PLAN} --yes"
RUN = "hushwatt household run --page-host 0.0.0.0 --page-port 8041 --page-guest 172.30.32.2"


def test_it_joins_and_runs(app):
    """A home that has joined nothing joins when its owner agreed, and the broker is Home Assistant's."""
    calls = app.start()

    assert calls == [
        "hushwatt household status --json",
        SHOW,
        JOIN,
        RUN,
    ]
    assert app.sources() == (
        'entities = true\n[mqtt]\nhost = "core-mosquitto"\nport = 1883\nusername = "addons"\npassword = "a\\"b"\n'
    )


@pytest.mark.parametrize("states", [["taking part"], ["paused"], ["left", "over", "paused"]])
def test_it_does_not_join_twice(app, states):
    """A home that takes part only runs, also while it is paused, and whatever it took part in before."""
    app.joined(*states)

    assert app.start() == ["hushwatt household status --json", RUN]


@pytest.mark.parametrize("state", ["not enrolled", "left", "over"])
def test_a_home_whose_enrolment_never_ended_well_joins(app, state):
    """Without a place at a provider it joins, as long as its owner's consent was not used before."""
    app.joined(state)

    assert JOIN in app.start()


@pytest.mark.parametrize("state", ["left", "over"])
def test_consent_counts_once(app, state):
    """A home that left, or whose plan is over, is not made to join again by the switch of before."""
    app.start()
    app.joined("taking part")
    app.start()
    app.joined(state)
    shown = app.start()
    said = app.done.stdout
    app.options(agree=False)
    again = app.start()
    app.options()
    agreed = app.start()

    terms = [
        "hushwatt household status --json",
        SHOW,
        "sleep infinity",
    ]
    assert shown == again == terms
    assert "what you agreed to is over" in said
    assert agreed[1:] == [SHOW, JOIN, RUN]


def test_a_ledger_that_does_not_answer_is_no_new_home(app):
    """When the status cannot be told, a home that joined before runs, and does not join again."""
    app.start()

    assert app.start() == ["hushwatt household status --json", RUN]


def test_without_consent_it_shows_and_waits(app):
    """The terms are shown, and nothing runs."""
    app.options(agree=False, plan="5f")

    assert app.start() == [
        "hushwatt household status --json",
        "hushwatt household join https://p.example --plan 5f",
        "sleep infinity",
    ]


def test_code_and_plan_are_handed_on(app):
    """Both options reach the command."""
    app.options(plan="5f", code="a b")

    assert app.start()[1:3] == [
        "hushwatt household join https://p.example --plan 5f",
        f"hushwatt household join https://p.example --plan {PLAN} --code a b --yes",
    ]


@pytest.mark.parametrize("plan", ["", "5"])
def test_another_plan_than_the_one_shown_is_not_joined(app, plan):
    """Consent is to the plan that was shown; another one is shown, and joined only when agree was off meanwhile."""
    app.options(plan=plan)
    app.offers(OTHER)
    refused, said = app.start(), app.done.stdout
    again = app.start()
    app.options(plan=plan, agree=False)
    app.start()
    app.options(plan=plan)
    agreed = app.start()

    assert refused == again
    assert refused[-1] == "sleep infinity"
    assert not any("--yes" in call for call in refused)
    assert f"offers plan {OTHER}, and you were shown {PLAN}" in said
    assert f"hushwatt household join https://p.example --plan {OTHER} --yes" in agreed


def test_terms_that_nobody_was_shown_are_not_agreed_to(app):
    """With agree on from the first start the terms are shown, and nothing is joined, however often it starts."""
    (app.folder / "data" / "shown").unlink()

    assert app.start() == app.start() == ["hushwatt household status --json", SHOW, "sleep infinity"]
    assert "were not shown before" in app.done.stdout
    assert f"plan            {PLAN}" in app.done.stdout


def test_a_provider_that_does_not_answer_is_asked_for_the_plan_shown(app):
    """What cannot be compared is joined by the id that was shown, or not at all."""
    app.offers(None)

    assert JOIN in app.start()


def test_a_supervisor_that_comes_late(app):
    """It is asked again until it answers."""
    app.supervisor([None, None, MQTT])
    app.start()

    assert 'host = "core-mosquitto"' in app.sources()


@pytest.mark.parametrize("answer", [None, {"data": {"host": 3, "port": "x"}}, []])
def test_a_supervisor_that_never_answers_leaves_nothing(app, answer):
    """No empty file is left that would stand in the way for ever, and the agent runs all the same."""
    app.supervisor([answer])
    calls = app.start()
    nothing = app.sources()
    app.supervisor([MQTT])
    app.start()

    assert calls[-1] == RUN
    assert nothing is None
    assert "does not say where its broker is" not in app.done.stdout
    assert 'host = "core-mosquitto"' in app.sources()


def test_an_empty_file_of_before_is_mended(app):
    """A home that was left with an empty file gets its broker at the next start."""
    app.home.mkdir()
    (app.home / "sources.toml").touch()
    app.start()

    assert 'host = "core-mosquitto"' in app.sources()


def test_what_was_learnt_stays_while_the_supervisor_is_away(app):
    """A broker that was known is used again, and a new password is learnt."""
    app.start()
    app.supervisor([None])
    app.start()
    kept = app.sources()
    app.supervisor([{"data": {**MQTT["data"], "password": "new"}}])
    app.start()

    assert 'password = "a\\"b"' in kept
    assert 'password = "new"' in app.sources()


def test_a_broker_without_a_password(app):
    """Where there is none, none is written."""
    app.supervisor([{"data": {"host": "h", "port": 1}}])
    app.start()

    assert app.sources() == 'entities = true\n[mqtt]\nhost = "h"\nport = 1\n'


def test_the_owners_files_count(app):
    """Files in the app's configuration folder are copied at every start."""
    (app.folder / "config" / "sources.toml").write_text("[mqtt]\nhost = 'mine'\n")
    (app.folder / "config" / "caps.toml").write_text("epsilon_per_day = 1\n")
    app.start()

    assert "mine" in app.sources()
    assert (app.home / "caps.toml").read_text() == "epsilon_per_day = 1\n"


def test_caps_of_the_options(app):
    """They are the home's caps at every start; taken back, the defaults hold; a file of the owner's counts alone."""
    app.options(caps=["epsilon_per_year=1230", "appliance_epsilon_per_year=82", "follow_successors=true"])
    app.start()
    raised = Caps.load(app.home / "caps.toml")
    app.options(caps=[])
    app.start()
    usual = Caps.load(app.home / "caps.toml")
    (app.folder / "config" / "caps.toml").write_text("epsilon_per_day = 1\n")
    app.options(caps=["epsilon_per_year=1230"])
    app.start()

    assert raised == Caps.of({"epsilon_per_year": 1230, "appliance_epsilon_per_year": 82, "follow_successors": True})
    assert usual == Caps.of({})
    assert Caps.load(app.home / "caps.toml") == Caps.of({"epsilon_per_day": 1})


def test_caps_from_elsewhere_stay(app):
    """Without caps in the options, those that are in the home's folder are not touched."""
    app.home.mkdir()
    (app.home / "caps.toml").write_text("epsilon_per_day = 2\n")
    app.start()

    assert (app.home / "caps.toml").read_text() == "epsilon_per_day = 2\n"


def test_a_home_that_has_retired_still_sends_what_waits(app):
    """The agent runs; the terms are shown again, and joining anew needs another look at them."""
    app.joined("retired")
    (app.folder / "data" / "agreed").touch()
    over = app.start()
    app.options(agree=False)
    looked = app.start()
    app.options(agree=True)
    again = app.start()

    assert over == [STATUS, SHOW, RUN]
    assert looked == [STATUS, SHOW, RUN]
    assert again == [STATUS, SHOW, JOIN, RUN]


def test_nothing_is_open_to_others(app):
    """The password is in a file of 0600, in a folder of 0700."""
    (app.folder / "config" / "caps.toml").write_text("")
    (app.folder / "config" / "caps.toml").chmod(0o644)
    app.start()

    assert stat.S_IMODE(app.home.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in app.home.iterdir()} == {0o600}
