"""What a home can hold."""

import pytest

from hushwatt.audit.exact.inputs import chance_of, holdings, mixtures
from hushwatt.audit.miniature import Mechanism, Shape, small_plan


@pytest.mark.parametrize("levels", [2, 3, 5])
def test_dither_adds_neighbours(levels):
    """Dithering holds every level and every two neighbours, each a law over levels."""
    pure, mixed = mixtures(levels, "range"), mixtures(levels, "dither")

    assert len(pure) == levels
    assert mixed[:levels] == pure
    assert len(mixed) == 2 * levels - 1
    assert all(sum(mixture) == 1 for mixture in mixed)
    assert all(sum(weight > 0 for weight in mixture) == 2 for mixture in mixed[levels:])


def test_chances_of_levels_add_up():
    """Whatever is held counts as some levels."""
    plan = small_plan(Mechanism("lbu", None, "oue", "dither", False), Shape((2, 3), 1, 1), 1_000_000, 2)

    totals = [sum(chance_of((one, other), held) for one in range(2) for other in range(3)) for held in holdings(plan)]

    assert len(totals) == 15
    assert set(totals) == {1}
