"""An appliance's levels are filled in by rule and refused when they make no sense."""

from math import nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.errors import PlanError
from hushwatt.plan.appliance import Appliance, default_edges, default_values, show_watts

WATTS = st.integers(1, 10**7).map(lambda hundredths: hundredths / 100)
EDGES = st.lists(WATTS, min_size=1, max_size=12, unique=True).map(sorted)


class TestRange:
    """With `range`, values default to midpoints, the last one the last edge plus half the previous width."""

    @pytest.mark.parametrize(
        "edges, values",
        [
            ([250, 500, 1000], (125.0, 375.0, 750.0, 1250.0)),
            ([100], (50.0, 150.0)),
            ([0, 100], (0.0, 50.0, 150.0)),
            ([0.1, 0.2], (0.05, 0.15, 0.25)),
        ],
    )
    def test_values(self, edges, values):
        """The midpoints are exact decimals."""

        assert Appliance.of("kettle", edges=edges).values == values

    @given(EDGES)
    def test_values_lie_in_their_levels(self, edges):
        """Each value is inside its level, between the edges around it."""
        values = Appliance.of("kettle", edges=edges).values

        assert all(low < value for low, value in zip([0, *edges], values, strict=True))
        assert all(value < high for value, high in zip(values, edges, strict=False))

    def test_edges_from_values(self):
        """With only values, the edges are halfway between neighbours."""
        kettle = Appliance.of("kettle", values=[0, 100, 300])

        assert kettle.edges == (50.0, 200.0)
        assert kettle.values == (0.0, 100.0, 300.0)

    def test_both(self):
        """With both, both are kept as they are."""
        kettle = Appliance.of("kettle", edges=[100], values=[20, 140])

        assert (kettle.edges, kettle.values) == ((100.0,), (20.0, 140.0))

    def test_single_zero_edge(self):
        """Zero and above has no middle to stand for "above", so values must be given."""
        with pytest.raises(PlanError, match="kettle: values worked out from edges would be 0, 0 W"):
            Appliance.of("kettle", edges=[0])

        assert Appliance.of("kettle", edges=[0], values=[0, 50]).levels == 2


class TestDither:
    """With `dither` and no `values`: 0, then the edges."""

    def test_values(self):
        """The edges become values, and stay as prior knowledge."""
        kettle = Appliance.of("kettle", edges=[100, 300], mapping="dither")

        assert kettle.values == (0.0, 100.0, 300.0)
        assert kettle.edges == (100.0, 300.0)

    def test_values_alone(self):
        """Values need no edges."""
        kettle = Appliance.of("kettle", values=[5, 100], mapping="dither")

        assert (kettle.edges, kettle.values) == (None, (5.0, 100.0))

    def test_values_decide(self):
        """With both, values decide."""
        kettle = Appliance.of("kettle", edges=[7], values=[0, 100], mapping="dither")

        assert (kettle.edges, kettle.values) == ((7.0,), (0.0, 100.0))

    def test_zero_edge(self):
        """An edge of 0 would make two levels of 0 W."""
        with pytest.raises(PlanError, match=r"kettle: values worked out from edges would be 0, 0, 100 W, which do"):
            Appliance.of("kettle", edges=[0, 100], mapping="dither")


def test_derived_levels_that_fall_together():
    """Numbers too close for a number between them are refused, with what would come of them."""
    close = [1.0]
    while len(close) < 9:
        close.append(nextafter(close[-1], 2.0))
    with pytest.raises(PlanError, match=r"kettle: edges worked out from values would be .* give edges as well"):
        default_edges("kettle", tuple(close))


def test_derived_levels_beyond_all_numbers():
    """A last level that would reach infinity is refused."""
    with pytest.raises(PlanError, match="values worked out from edges"):
        default_values("kettle", (1.0, 1.7e308), "range")


@pytest.mark.parametrize(
    "levels, message",
    [
        ({}, "kettle: needs edges or values"),
        ({"edges": []}, "kettle: edges has 0 numbers; two levels need at least 1"),
        ({"values": [5]}, "kettle: values has 1 numbers; two levels need at least 2"),
        ({"edges": [100, 250, 250]}, "kettle: edges[2] is 250 W; it must be above edges[1], which is 250 W"),
        ({"values": [0, 9.5, 3]}, "kettle: values[2] is 3 W; it must be above values[1], which is 9.5 W"),
        ({"edges": [-1, 5]}, "kettle: edges[0] is -1 W; it must be a finite number of at least 0"),
        ({"edges": [1, float("nan")]}, "kettle: edges[1] is nan W; it must be a finite number of at least 0"),
        (
            {"values": [1, float("inf")]},
            "kettle: values[1] is inf W; it must be a finite number of at least 0",
        ),
        (
            {"edges": [1, 2], "values": [1, 2]},
            "kettle: has 2 values and 2 edges; there must be one value more than edges",
        ),
        ({"edges": [], "values": [1, 2]}, "kettle: edges has 0 numbers; two levels need at least 1"),
        (
            {"edges": [1], "typical_mean": 5, "typical_high": 4},
            "kettle: typical_mean is 5 W; it must be at most typical_high, which is 4 W",
        ),
        (
            {"edges": [1], "typical_high": -1},
            "kettle: typical_high is -1 W; it must be a finite number of at least 0",
        ),
        (
            {"edges": [1], "typical_mean": float("inf")},
            "kettle: typical_mean is inf W; it must be a finite number of at least 0",
        ),
    ],
)
def test_refused(levels, message):
    """Each wrong number is named with its place, and what it must be."""
    with pytest.raises(PlanError) as refusal:
        Appliance.of("kettle", **levels)

    assert str(refusal.value) == message


@pytest.mark.parametrize("mapping", ["range", "dither"])
def test_wrong_numbers_are_refused_alike(mapping):
    """The given edges are judged before anything is worked out from them."""
    with pytest.raises(PlanError, match=r"edges\[1\] is 1 W; it must be above edges\[0\]"):
        Appliance.of("kettle", edges=[2, 1], mapping=mapping)


@pytest.mark.parametrize(
    "name, message",
    [
        ("", "an appliance's name is empty"),
        ("  ", "an appliance's name is empty"),
        ("ket\ntle", "an appliance's name is 'ket\\ntle'; it must be printable"),
        ("\x1b[31m", "an appliance's name is '\\x1b[31m'; it must be printable"),
        ("k" * 101, "an appliance's name has 101 characters; at most 100 are allowed"),
    ],
)
def test_names(name, message):
    """A name can be printed on one line."""
    with pytest.raises(PlanError) as refusal:
        Appliance.of(name, edges=[1])

    assert str(refusal.value) == message


def test_longest_name():
    """A hundred letters of any script are a name."""

    assert Appliance.of("é" * 100, edges=[1]).name == "é" * 100


def test_negative_zero_is_zero():
    """−0 W is 0 W, so that both give the same plan."""

    assert str(Appliance.of("kettle", edges=[-0.0, 1]).edges) == "(0.0, 1.0)"


@given(st.floats(min_value=0, allow_infinity=False))
def test_shown_watts_read_back(watts):
    """The shortest decimal is exactly the same number."""

    assert float(show_watts(watts)) == watts
    assert not show_watts(watts).endswith(".0")
