"""Claims C7 and C8: no transcript of any mechanism tells more than promised."""

from dataclasses import replace
from fractions import Fraction

import pytest

from hushwatt.audit.exact import run
from hushwatt.audit.exact.observers import OBSERVERS
from hushwatt.audit.exact.run import Record, audit_coverage, claims, exact_audit_of, exact_audits, nameable
from hushwatt.audit.exact.scheduled import NOTHING_TOLD, Losses, open_losses
from hushwatt.audit.miniature import QUICK_SHAPES, SHAPES, TURNING, Mechanism, Shape, mechanisms, small_plan
from hushwatt.plan.presets import preset

QUICK = dict(zip(map(str, mechanisms()), list(exact_audits(quick=True))[1:], strict=True))


@pytest.mark.parametrize("mechanism", QUICK)
def test_exact_loss_within_promise(mechanism):
    """Whole streams, decisions and silences included: at most ε for the home, its part for an appliance."""
    finding = QUICK[mechanism]()

    assert finding.passed, finding.numbers
    assert 0.3 < finding.numbers["home"] <= 1
    assert 0.3 < finding.numbers["appliance"] <= 1


@pytest.mark.parametrize("observer", OBSERVERS)
@pytest.mark.parametrize("told", [Losses(None, Fraction(1)), Losses(Fraction(1), None)])
def test_every_observer_is_asked(monkeypatch, observer, told):
    """Whoever of them learns too much about a home or an appliance, the answer is no and names him."""

    def losses(plan, slots, seeing):
        return told if seeing == observer else NOTHING_TOLD

    monkeypatch.setattr(run, "hidden_losses", losses)
    name = next(name for name in QUICK if "lba" in name and "household" in name)
    finding = QUICK[name]()

    assert not finding.passed
    assert f"seeing {observer}: {'home' if told.home is None else 'appliance'}" in finding.numbers["broken"]


@pytest.mark.parametrize("method", ["lbu", "lpu", "lba"])
def test_plans_with_the_answer_not_measured(method):
    """Cut down to what can be enumerated, with one more answer about each appliance, they keep their promise."""
    decided = "household" if method == "lba" else None
    plan = replace(preset("paper"), method=method, decision=decided, unmeasured="answer")

    for each in (plan, replace(plan, oracle="grr", mapping="dither")):
        finding = exact_audit_of(each)()
        assert finding.passed, finding


@pytest.mark.parametrize("choice", ["paper", "advised"])
def test_presets(choice):
    """The presets' own choices, cut down to what can be enumerated, keep their promise."""
    finding = exact_audit_of(preset(choice))()

    assert finding.passed


@pytest.mark.parametrize("change", [{}, {"oracle": "sue"}, {"method": "lbu", "oracle": "oue", "window": 5}])
def test_as_it_stands(change):
    """A plan by the clock about all appliances is enumerated at its own levels, window and ε."""
    plan = replace(preset("advised"), appliance_epsilon=None, **change)
    finding = exact_audit_of(plan)()

    assert finding.passed
    assert "as it stands" in finding.figure
    assert 0.999 < finding.numbers["reached"] <= 1


@pytest.mark.parametrize("change", [{"window": 51}, {"appliances_per_report": 3}])
def test_too_large_to_stand(change):
    """A larger plan is cut down, and the figure does not say otherwise."""
    finding = exact_audit_of(replace(preset("advised"), **change))()

    assert finding.passed
    assert "as it stands" not in finding.figure


class TestRecord:
    def plan(self):
        mechanism = Mechanism("lbu", None, "oue", "range", False)
        return small_plan(mechanism, Shape((2, 2), 1, 1), 1_000_000, 2)

    def test_promise_kept(self):
        """A case within both promises is no break, and the worst is remembered."""
        record, plan = Record(), self.plan()

        record.add(plan, open_losses(plan, 1), "a")
        record.add(plan, Losses(Fraction(1), Fraction(1)), "b")

        assert (record.broken, record.cases) == ([], 2)
        assert record.home == pytest.approx(1)

    @pytest.mark.parametrize("epsilon", [999_990, 500_000])
    def test_promise_broken(self, epsilon):
        """The losses of a plan break the promise of one with a little less ε."""
        record, plan = Record(), self.plan()

        record.add(replace(plan, epsilon=epsilon), open_losses(plan, 1), "case")

        assert [what.split()[1] for what in record.broken] == ["home", "appliance"]

    def test_infinite(self):
        """An infinite ratio breaks every promise."""
        record = Record()

        record.add(self.plan(), Losses(None, Fraction(1)), "case")

        assert record.broken == ["case: home inf > 1.000000"]


@pytest.mark.parametrize(
    "mechanism, cited",
    [
        (Mechanism("lbu", None, "oue", "range", False), "C7 C8"),
        (Mechanism("lba", "household", "oue", "dither", False), "C7 C8 C6 C9"),
        (Mechanism("lpu", None, "oue", "range", True), "C7 C8 C10"),
    ],
)
def test_claims(mechanism, cited):
    """Each mechanism cites the claims that it puts to the test."""

    assert claims(mechanism) == cited


def test_nothing_is_left_out():
    """What is gone through is what plans accept, no more and no less."""
    finding = audit_coverage(8, 5)

    assert finding.passed
    assert set(nameable()) == set(mechanisms())
    assert finding.figure.startswith("96 mechanisms (3 oracles × 9 methods and who decides × 2 mappings")
    assert "8 shapes × 5 ε × 2 observers; 0 left out" in finding.figure


def test_a_missing_one_is_found(monkeypatch):
    """A mechanism that nobody enumerates is noticed."""
    monkeypatch.setattr(run, "mechanisms", lambda: list(mechanisms())[1:])

    assert audit_coverage(8, 5).numbers["missing"] == 1
    assert not audit_coverage(8, 5).passed


@pytest.mark.parametrize("shape", (*SHAPES, *TURNING, *QUICK_SHAPES), ids=str)
def test_streams_are_no_longer_than_their_shape(shape):
    """Not even where the window is longer; elsewhere they hold a whole window at least."""
    dithered = Mechanism("lbd", "household", "grr", "dither", partial=False)
    slots = run._slots(dithered, shape)

    assert min(shape.window, shape.slots) <= slots <= shape.slots
