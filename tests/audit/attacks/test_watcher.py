"""The watcher reads bytes and guesses as well as can be: against laws written out, and against duller eyes."""

import numpy as np
import pytest

from hushwatt.audit.attacks.watcher import (
    LevelWatcher,
    OwnerWatcher,
    answered,
    laws_of,
    watch_levels,
    watch_measuring,
    watch_owners,
)
from hushwatt.plan.amounts import MICRO
from hushwatt.privacy.long_run.long_run import owner_levels
from hushwatt.wire.payload import Layout

ORACLES = ["grr", "oue", "sue"]


@pytest.mark.parametrize("oracle", ORACLES)
@pytest.mark.parametrize("asked", [1, 2])
def test_bytes_are_read(plan_of, oracle, asked):
    """Which appliances a payload is about, and which levels it speaks for."""
    plan = plan_of(3, 4, oracle=oracle, appliances_per_report=asked)
    layout = Layout.of(plan)
    members = None if asked == 2 else np.array([[1]], dtype=np.uint16)
    levels = np.array([[2, 3]] if asked == 2 else [[3]], dtype=np.uint16)
    rows = layout.pack(levels, members) if layout.direct else layout.name(layout.pack_answers(levels), members)
    if asked == 1 and not layout.direct:
        rows = layout.name(layout.blank(layout.pack_answers(levels), members), members)
    said, about = answered(layout, rows)

    assert about.tolist() == [[asked == 2, True]]
    assert np.flatnonzero(said[0]).tolist() == ([2, 6] if asked == 2 else [6])


@pytest.mark.parametrize("oracle", ORACLES)
def test_scores_are_log_likelihood_ratios(plan_of, oracle):
    """Of the owner's mixture against the lowest level, and of each level against the first, answer by answer."""
    plan = plan_of(3, oracle=oracle, mapping="dither")
    (law,), owner = laws_of(plan, MICRO), owner_levels(plan, plan.appliances[0])
    everyone, about = np.arange(1), np.ones((1, 1), dtype=bool)
    for answer in law.answers():
        bits = np.eye(3, dtype=bool)[[answer]] if law.direct else np.array([answer], dtype=bool)
        levels, owners = LevelWatcher(plan, np.zeros((1, 3))), OwnerWatcher(plan, np.zeros((1, 1)))
        levels.see([law], bits, about, everyone)
        owners.see([law], bits, about, everyone)
        chances = [float(law.chance(answer, level)) for level in range(3)]
        mixed = sum(part * chances[level] for level, part in owner)

        measuring = OwnerWatcher(plan, np.zeros((1, 1)), other=-1)
        measuring.see([law], bits, about, everyone)

        assert owners.scores[0, 0] == pytest.approx(np.log(mixed / chances[0]))
        assert measuring.scores[0, 0] == pytest.approx(np.log(mixed / chances[-1]))
        assert levels.scores[0] - levels.scores[0, 0] == pytest.approx(np.log(np.array(chances) / chances[0]))


def test_an_answer_about_another_appliance_says_nothing(plan_of):
    """Only appliances that a report names are judged by it."""
    plan = plan_of(3, 3, oracle="oue", mapping="dither", appliances_per_report=1)
    owners = OwnerWatcher(plan, np.zeros((1, 2)))
    said = np.array([[True, False, False] * 2])  # the lowest level of each
    owners.see(laws_of(plan, MICRO), said, np.array([[False, True]]), np.arange(1))

    assert owners.scores[0, 0] == 0
    assert owners.scores[0, 1] < 0


@pytest.mark.parametrize("watch", [watch_levels, watch_owners, watch_measuring])
def test_loud_reports_tell_everything(plan_of, watch):
    """With next to no noise he is always right, also about "not measured" plans, turns and orders."""
    plan = plan_of(3, 3, method="lpu", oracle="grr", epsilon=40 * MICRO, window=4, unmeasured="answer")
    right = watch(plan, 60, 50, seed=1)

    assert right.shape == (50, 2)
    assert right[:, :].mean() > (0.4 if watch is watch_owners else 0.99)


def test_silent_homes_tell_nothing(plan_of):
    """Whoever never spoke is guessed."""
    plan = plan_of(2, method="lpu", oracle="grr", window=365, epsilon=40 * MICRO)
    right = watch_levels(plan, 10, 3_650, seed=1)

    assert right.mean() == pytest.approx(0.5 + 0.5 * 10 / 365, abs=0.04)


def test_repeats_say_nothing_new(plan_of):
    """Sent again for a hundred slots, one draw is one draw."""
    plan = plan_of(2, method="lsp", oracle="grr", window=100, epsilon=MICRO)
    once, often = (watch_levels(plan, slots, 400, seed=4) for slots in (1, 100))

    assert (once == often).all()
