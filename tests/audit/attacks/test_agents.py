"""Claim C13: an attack on what real agents post never shows more than ε."""

from functools import partial

import pytest

from hushwatt.audit.attacks.agents import PLANS, agent_audits, audit_agent, life_of, proved_by
from hushwatt.audit.attacks.empirical import targets
from hushwatt.audit.harness import lives
from hushwatt.audit.harness.lives import concatenated, map_on_all_cores, plan_at_home, post_reports
from hushwatt.audit.harness.plan_home import home_in_plan
from hushwatt.household.report.randomise import randomise
from hushwatt.plan.amounts import MICRO

SMALL = plan_at_home("lpu", None, "grr", 3, 1, MICRO // 2)


@pytest.mark.parametrize("chosen", [PLANS[0], PLANS[4]], ids=lambda chosen: chosen[0])
def test_attacks_stay_within_promise(chosen):
    """Four attacks on the uploads of new homes show no more than was promised."""
    finding = audit_agent(plan_at_home(*chosen), homes=50)

    assert finding.passed
    assert finding.numbers["homes"] == 50


def test_a_home_that_overspends_is_caught(monkeypatch):
    """Agents that draw with twenty times what they paid show more than ε after a few homes."""

    def greedy(layout, levels, members, drawn, entropy):
        return randomise(layout, levels, members, 20 * drawn, entropy)

    monkeypatch.setattr(lives, "home_in_plan", partial(home_in_plan, randomiser=greedy))
    whole = targets(SMALL)[0]
    usual, other = (post_reports(SMALL, life_of(SMALL, life), 120) for life in (None, whole))

    assert proved_by(SMALL, whole, usual, other, 120, doubt=0.01) > 0.5


def test_lives_differ_in_the_target_alone():
    """The second life is the first but for the suspects, in the slots that are asked about."""
    plan = plan_at_home("lbu", None, "oue", 3, 2, MICRO)
    stream, slot, one_stream, one_slot = (life_of(plan, target) for target in targets(plan))

    assert life_of(plan) == ((0, 0, 0),) * 3
    assert stream == ((1, 1, 1), (1, 1, 1), (0, 0, 0))
    assert slot == ((1, 1, 1), (0, 0, 0), (0, 0, 0))
    assert one_stream == ((1, 0, 0), (1, 0, 0), (0, 0, 0))
    assert one_slot == ((1, 0, 0), (0, 0, 0), (0, 0, 0))


def test_whose_record_is_whose(monkeypatch):
    """Homes of several jobs keep their numbers, and a silent one has no record."""
    monkeypatch.setattr(lives, "HOMES_PER_JOB", 5)
    done = post_reports(plan_at_home("lpu", None, "grr", 3, 2, MICRO), ((0, 0, 0), (1, 1, 1)), 12)
    first, second = done.sent(0, 0), done.sent(1, 100)
    both = concatenated(first, second)

    assert sorted([*first.homes, *(second.homes - 100)]) == list(range(12))
    assert (first.spent == MICRO).all()
    assert len(both.homes) == len(both.payloads) == 12


def test_many_jobs_go_to_processes():
    """With enough jobs all cores work, and the answers keep their order."""

    assert list(map_on_all_cores(abs, [-3, -1])) == [3, 1]
    assert list(map_on_all_cores(abs, [-3, 1, -4, 1, -5])) == [3, 1, 4, 1, 5]


def test_every_method_of_the_service():
    """All methods that the service takes are attacked, every oracle among them, whole and in part."""

    assert {chosen[0] for chosen in PLANS} == {"lbu", "lsp", "lpu", "lbd", "lba"}
    assert {chosen[2] for chosen in PLANS} == {"oue", "sue", "grr"}
    assert {chosen[3] for chosen in PLANS} == {1, 3}
    assert len(list(agent_audits())) == len(PLANS)
