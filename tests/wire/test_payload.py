"""The bytes of a report: packed as the page says, counted as they are, refused when they cannot be.

The codec here is a second one, written with Python's whole numbers from the description alone.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.errors import ReportError
from hushwatt.privacy.entropy import Simulation
from hushwatt.wire import payload
from hushwatt.wire.payload import Layout

ORACLES = ("oue", "sue", "grr")


@st.composite
def layouts(draw, partial=None):
    """Any oracle, any numbers of levels, all appliances asked or only some."""
    widths = tuple(draw(st.lists(st.integers(2, 20) | st.just(300), min_size=2 if partial else 1, max_size=9)))
    most = len(widths) - 1 if partial else len(widths)
    asked = len(widths) if partial is False else draw(st.integers(1, most))
    return Layout(draw(st.sampled_from(ORACLES)), widths, asked)


@st.composite
def reports(draw, partial=None):
    """A layout, and for some homes the appliances asked and any answers a home can give about them.

    An answer is a level's number for `grr`, and any set of bits, as a number, for the unary oracles.
    """
    layout = draw(layouts(partial))
    homes = []
    for _ in range(draw(st.integers(1, 5))):
        members = sorted(draw(st.permutations(range(len(layout.widths))))[: layout.asked])
        most = [layout.widths[member] - 1 if layout.direct else 2 ** layout.widths[member] - 1 for member in members]
        homes.append((members, [draw(st.integers(0, top)) for top in most]))
    return layout, homes


def field_bits(layout, member):
    """How many bits the answer about an appliance takes."""
    levels = layout.widths[member] if layout.asked == len(layout.widths) else max(layout.widths)
    return len(bin(levels - 1)) - 2 if layout.oracle == "grr" else levels


def encode(layout, members, answers):
    """A payload as one large number, written from its least significant bit on."""
    number = place = 0
    numbered = layout.asked < len(layout.widths)
    for member, answer in zip(members, answers, strict=True):
        if numbered:
            number |= member << place
            place += len(bin(len(layout.widths) - 1)) - 2
        number |= answer << place
        place += field_bits(layout, member)
    return number.to_bytes((place + 7) // 8, "little")


def decode(layout, payload):
    """The appliances and the answers in a payload."""
    number, members, answers = int.from_bytes(payload, "little"), [], []
    for entry in range(layout.asked):
        member = entry
        if layout.asked < len(layout.widths):
            bits = len(bin(len(layout.widths) - 1)) - 2
            member, number = number % 2**bits, number >> bits
        bits = field_bits(layout, member)
        members.append(member)
        answers.append(number % 2**bits)
        number >>= bits
    return members, answers


def rows_of(payloads):
    return np.array([list(payload) for payload in payloads], dtype=np.uint8)


def cells(layout, members, answers):
    """Which cells an answer speaks for, in the plan's order."""
    found = [[0] * width for width in layout.widths]
    for member, answer in zip(members, answers, strict=True):
        for level in range(layout.widths[member]):
            found[member][level] = int(answer == level) if layout.direct else answer >> level & 1
    return [cell for row in found for cell in row]


class TestPacking:
    """A payload is a row of fields, packed least significant bit first."""

    @given(layout=layouts(), data=st.data())
    def test_packs_levels_as_described(self, layout, data):
        """Levels and appliances come out as the description packs them, and decode to what went in."""
        draw = data.draw
        members = [sorted(draw(st.permutations(range(len(layout.widths))))[: layout.asked]) for _ in range(3)]
        levels = [[draw(st.integers(0, layout.widths[m] - 1)) for m in row] for row in members]

        rows = layout.pack(np.array(levels, dtype=np.uint16), np.array(members, dtype=np.uint16))

        for row, asked, held in zip(rows, members, levels, strict=True):
            answers = held if layout.direct else [1 << level for level in held]
            assert row.tobytes() == encode(layout, asked, answers)
            assert decode(layout, row.tobytes()) == (asked, answers)

    @pytest.mark.parametrize("rows", [payload.NEAR - 1, payload.NEAR, 2 * payload.NEAR + 3])
    def test_many_rows_are_packed_as_one(self, rows):
        """However many are packed together, each has its own bits."""
        layout = Layout("oue", (10, 3, 60, 7), 4)
        levels = np.random.default_rng(rows).integers(0, layout.widths, (rows, 4)).astype(np.uint16)
        bits = np.unpackbits(layout.pack(levels), axis=1, bitorder="little")

        assert (bits[:, : layout.places[-1]].sum(axis=1) == 4).all()
        assert bits[np.arange(rows)[:, None], np.array(layout.places[:-1]) + levels].all()

    @given(drawn=reports())
    def test_every_payload_has_the_same_size(self, drawn):
        """Whatever is answered about whichever appliances, the bytes are as many."""
        layout, homes = drawn

        assert {len(encode(layout, *home)) for home in homes} == {layout.size}

    @given(drawn=reports(), noise=st.integers(0, 2**32))
    def test_blanking_keeps_the_answers_alone(self, drawn, noise):
        """Of random bytes only the bits of answers are left: unary answers, no numbers, no padding."""
        layout, homes = drawn
        if layout.direct:
            return
        members = np.array([asked for asked, _ in homes], dtype=np.uint16)
        stream = Simulation(noise, "blank").stream()
        bytes_ = stream.words(len(homes) * layout.size).astype(np.uint8).reshape(len(homes), layout.size)

        blanked = layout.blank(bytes_, members)
        named = layout.name(blanked.copy(), members)

        every = [[2 ** layout.widths[member] - 1 for member in asked] for asked, _ in homes]
        nobody = [[0] * layout.asked] * len(homes)
        keep = rows_of(encode(layout, *pair) for pair in zip(members.tolist(), every, strict=True))
        numbers = rows_of(encode(layout, *pair) for pair in zip(members.tolist(), nobody, strict=True))
        assert (blanked == bytes_ & (keep ^ numbers)).all()
        assert (named == blanked | numbers).all()

    @pytest.mark.parametrize(
        "oracle, widths, asked, size",
        [
            ("oue", (10,) * 15, 15, 19),  # 150 bits
            ("oue", (10,) * 15, 1, 2),  # 4 bits name the appliance, 10 answer
            ("grr", (10,) * 15, 15, 8),  # 60 bits
            ("grr", (2,) * 9, 9, 2),
            ("grr", (6,) * 15, 2, 2),  # twice 4 and 3
            ("sue", (2, 9), 1, 2),
        ],
    )
    def test_sizes_by_hand(self, oracle, widths, asked, size):
        """Payloads are as small as their bits allow."""
        assert Layout(oracle, widths, asked).size == size

    def test_comes_from_the_plan(self, plan_of):
        """A plan says all there is to know about its payloads."""
        plan = plan_of(3, 5, 4, oracle="grr", appliances_per_report=2)

        assert Layout.of(plan) == Layout("grr", (3, 5, 4), 2)


class TestTallying:
    """A tally counts the reports about each appliance and the answers for each level."""

    @given(drawn=reports())
    def test_counts_what_a_decoder_finds(self, drawn):
        """Over any reports, a tally is the sum of what the second codec reads in each."""
        layout, homes = drawn

        spoken, counts = layout.tally(rows_of(encode(layout, *home) for home in homes))

        asked = [member for members, _ in homes for member in members]
        assert spoken.tolist() == [asked.count(place) for place in range(len(layout.widths))]
        assert counts.tolist() == np.sum([cells(layout, *home) for home in homes], axis=0).tolist()

    @given(layout=layouts())
    def test_nothing_adds_up_to_nothing(self, layout):
        """A tally of no reports is all zeros, with a place for every appliance and level."""
        spoken, counts = layout.tally(np.empty((0, layout.size), dtype=np.uint8))

        assert spoken.tolist() == [0] * len(layout.widths)
        assert counts.tolist() == [0] * sum(layout.widths)

    @given(drawn=reports(partial=False), data=st.data())
    def test_differences_are_differing_cells(self, drawn, data):
        """Two payloads differ in as many cells as the second codec finds, two for a direct answer."""
        layout, homes = drawn
        others = [homes[data.draw(st.integers(0, len(homes) - 1))] for _ in homes]

        found = layout.differences(*(rows_of(encode(layout, *home) for home in each) for each in (homes, others)))

        assert found.tolist() == [
            sum(a != b for a, b in zip(cells(layout, *one), cells(layout, *other), strict=True))
            for one, other in zip(homes, others, strict=True)
        ]


RIGHT = {  # layouts with room to be wrong, and two reports that are right
    "oue": (Layout("oue", (3, 3), 2), [([0, 1], [1, 2]), ([0, 1], [7, 0])]),
    "grr": (Layout("grr", (3, 5), 2), [([0, 1], [2, 4]), ([0, 1], [0, 0])]),
    "some oue": (Layout("oue", (2, 4, 3), 2), [([0, 1], [3, 15]), ([1, 2], [0, 7])]),
    "some grr": (Layout("grr", (2, 5, 3), 2), [([0, 1], [1, 4]), ([1, 2], [0, 2])]),
}


class TestRefusing:
    """What no home following the plan can send is refused, and the report is named."""

    @pytest.mark.parametrize("name", RIGHT)
    def test_right_ones_are_accepted(self, name):
        """The reports that are made wrong below are right before that."""
        layout, homes = RIGHT[name]

        assert layout.tally(rows_of(encode(layout, *home) for home in homes))[0].sum() == 4

    @pytest.mark.parametrize(
        "name, wrong, why",
        [
            ("grr", ([0, 1], [3, 0]), "a level beyond the last"),
            ("grr", ([0, 1], [0, 5]), "a level beyond the last"),
            ("some grr", ([0, 1], [2, 0]), "a level beyond the last"),
            ("some grr", ([1, 2], [0, 3]), "a level beyond the last"),
            ("some oue", ([0, 1], [4, 0]), "bits beyond the last level"),
            ("some oue", ([1, 2], [0, 8]), "bits beyond the last level"),
            ("some oue", ([1, 0], [0, 0]), "appliances out of order"),
            ("some oue", ([1, 1], [0, 0]), "appliances out of order"),
            ("some grr", ([2, 3], [0, 0]), "appliances out of order"),
            ("some grr", ([2, 1], [0, 0]), "appliances out of order"),
        ],
    )
    def test_an_impossible_answer(self, name, wrong, why):
        """A level or an appliance that the plan does not have, or has in another order, is refused."""
        layout, homes = RIGHT[name]
        rows = rows_of(encode(layout, *home) for home in [homes[0], wrong, homes[1]])

        with pytest.raises(ReportError, match=f"report 2: its payload has {why}"):
            layout.tally(rows)

    @pytest.mark.parametrize("name", RIGHT)
    def test_padding_that_is_not_blank(self, name):
        """Each bit after the last field must be 0."""
        layout, homes = RIGHT[name]

        for bit in range(layout.places[-1] % 8, 8):
            rows = rows_of(encode(layout, *home) for home in homes)
            rows[1, -1] |= 1 << bit
            with pytest.raises(ReportError, match="report 2: its payload has bits beyond the last"):
                layout.tally(rows)

    @pytest.mark.parametrize("name", RIGHT)
    @pytest.mark.parametrize("more", [-1, 1])
    def test_another_size(self, name, more):
        """Payloads of another size are another plan's."""
        layout, _ = RIGHT[name]

        with pytest.raises(ReportError, match=f"payloads have {layout.size + more} bytes"):
            layout.tally(np.zeros((2, layout.size + more), dtype=np.uint8))
