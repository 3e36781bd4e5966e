"""What `hushwatt plan advise` says beside its table."""

from dataclasses import replace

import pytest

from hushwatt.cli.plan.advise import remarks, too_few
from hushwatt.plan.presets import preset
from hushwatt.privacy.advice import advise

PAPER = preset("paper")
CAP = PAPER.epsilon // len(PAPER.appliances)


@pytest.mark.parametrize(
    "homes, cap, goal, told",
    [
        (1000, CAP, "ranking", None),
        (1000, None, "ranking", "Single slots will show no answer, only longer periods"),
        (1000, None, "histogram", None),
        (80, CAP, "ranking", "NO ANSWER WOULD BE SHOWN"),
    ],
)
def test_too_few_homes_are_told(homes, cap, goal, told):
    """Where an advised plan shows no answer is said beforehand, with both numbers."""
    found = too_few(advise(PAPER, homes=homes, goal=goal, cap=cap))

    assert found is None if told is None else found.startswith(told)
    assert told is None or "and the plan needs 100" in found


def test_a_larger_error_is_explained():
    """The best order may come with a larger error than the paper's plan has; then the line says so."""
    found = advise(PAPER, homes=1000, cap=CAP)
    turned = replace(found, paper=replace(found.paper, variances=(0.0,) * 15, biases=(0.0,) * 15))

    assert not any("orders appliances best" in line for line in remarks(found))
    assert any("orders appliances best" in line for line in remarks(turned))
