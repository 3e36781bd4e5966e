"""The first page, read aloud by someone who never heard of ε."""

import re
from itertools import pairwise

from tests.household.living import join
from tests.household.page.looking import source

from hushwatt.household.words.sentences import home_sentence

JARGON = ("ε", "epsilon", "slot", "odds", "oracle", "lbu", "budget", "randomis", "window", "payload", "ledger")


def test_one_sentence_comes_first(owner):
    """How much left, and what someone who saw all of it could tell, before anything else."""
    text = owner.text()
    sentence = home_sentence(owner.home.store, owner.home.clock.wall, owner.zone)

    assert sentence.startswith("4 reports this month. Someone who saw them all could")
    assert text.index(sentence) < 400


def test_no_word_of_the_trade_is_on_it(owner):
    """Neither ε nor slots nor odds."""
    owner.health = [source(name, "p", owner.home.clock.wall) for name in ("appliance 0", "appliance 1", "appliance 2")]
    text = owner.text()

    assert [word for word in JARGON if word in text] == []


def test_headings_go_down_one_step_at_a_time(owner, plan_id):
    """On every page there is one first heading, and none is skipped; landmarks have names."""
    pages = ("", "history", "reports", "limits", "numbers", "plan", "leave")
    for path in pages:
        page = owner.get(path, id=plan_id, plan=plan_id).body
        levels = [int(level) for level in re.findall(r"<h(\d)", page)]

        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))
        assert page.count("<main") == page.count('<nav aria-label="Pages">') == 1
        assert page.count("<title>") == 1


def test_troubles_are_shown_with_what_to_do(owner):
    """When the home has gone silent, that stands above all else, and why."""
    owner.home.clock.wall += 10 * 86_400 * 10**9
    text = owner.text()

    assert "Needs your attention" in text
    assert "hushwatt is not running, or cannot write" in text
    assert text.index("Needs your attention") < text.index("The plan “Kettles”")


def test_plans_are_paused_one_by_one(owner, plan_of, plan_id):
    """With two plans each has its own button, beside the one for all."""
    join(owner.home.store, plan_of(3, method="lbu", name="Lights"))
    other = owner.home.store.value("SELECT plan FROM plans WHERE plan != ?", (plan_id,))
    page = owner.get().body
    owner.post("pause", plan=plan_id)
    paused = {row["plan"]: row["paused"] is not None for row in owner.home.store.rows("SELECT plan, paused FROM plans")}
    text = owner.text()
    owner.post("resume", plan=plan_id)

    assert "Pause everything" in page
    assert page.count("Pause this plan") == 2
    assert paused == {plan_id: True, other: False}
    assert "Paused: nothing is sent." in text
    assert "Nothing leaves this home while it is paused." in text
    assert owner.home.store.value("SELECT count(*) FROM plans WHERE paused IS NOT NULL") == 0


def test_a_pause_of_no_such_plan_pauses_nothing(owner):
    """A plan that is not there."""

    assert owner.post("pause", plan="ff" * 32).status == 303
    assert owner.home.store.value("SELECT paused FROM plans") is None


def test_when_the_next_report_is(owner):
    """By the clock on the wall."""
    text = owner.text()

    assert "Last report: about Friday 5 January 2024." in text
    assert "Next report: after Sunday 7 January 2024, 00:00." in text
    assert "As of Saturday 6 January 2024, 00:00 (UTC)." in text
