"""The test vectors are what the code makes, and another program can follow them.

Everything below that reads the file uses Python's own numbers, as a stranger would.
"""

import hashlib
import json
from decimal import Decimal, localcontext
from fractions import Fraction
from math import ceil

import numpy as np
import pytest

from hushwatt.errors import ReportError
from hushwatt.plan import Plan
from hushwatt.privacy.laws import debias, law_for, noise
from hushwatt.wire.payload import Layout
from hushwatt.wire.vectors import PATH, text

FILE = json.loads(PATH.read_text())
VECTORS = [pytest.param(vector, id=json.loads(vector["plan"])["name"]) for vector in FILE["vectors"]]
STEPS = 2**64


def shape(vector):
    """The oracle, how many answers there are about each appliance, and how many are asked, from the plan alone."""
    plan = json.loads(vector["plan"])
    more = plan.get("unmeasured") == "answer"
    return plan["oracle"], [len(each["values"]) + more for each in plan["appliance"]], plan["appliances_per_report"]


def bits_for(count):
    """Bits that number `count` things."""
    return (count - 1).bit_length()


def read(vector, payload):
    """The members and the answers of a payload, or None where a bit is set that should not be."""
    oracle, widths, asked = shape(vector)
    number, members, answers = int.from_bytes(bytes.fromhex(payload), "little"), [], []

    def take(bits):
        nonlocal number
        taken, number = number % 2**bits, number >> bits
        return taken

    for entry in range(asked):
        some = asked < len(widths)
        member = take(bits_for(len(widths))) if some else entry
        if member >= len(widths) or any(member <= before for before in members):
            return None
        levels = max(widths) if some else widths[member]
        answer = take(bits_for(levels) if oracle == "grr" else levels)
        if answer >= (widths[member] if oracle == "grr" else 2 ** widths[member]):
            return None
        members.append(member)
        answers.append(answer if oracle == "grr" else f"{answer:0{widths[member]}b}"[::-1])
    return None if number else (members, answers)


def test_the_file_is_what_the_code_makes():
    """Byte for byte; `python -m hushwatt.wire.vectors` prints it anew."""
    assert PATH.read_bytes() == text().encode()


@pytest.mark.parametrize("row", FILE["laws"], ids=lambda row: "-".join(map(str, list(row.values())[:4])))
def test_chances_are_the_published_formulas(row):
    """q is 1/(1+e^x), 1/(1+e^(x/2)) or 1/(e^x+d−1), rounded up to whole steps; p is 1/2, 1−q, 1−(d−1)q."""
    oracle, levels = row["oracle"], row["levels"]
    with localcontext() as context:
        context.prec = 500
        exponent = Decimal(row["drawn"]) / (1_000_000 * row["asked"])
        power = Fraction((exponent / 2 if oracle == "sue" else exponent).exp())

    rise = ceil(STEPS / (power + (levels - 1 if oracle == "grr" else 1)))
    hold = {"oue": STEPS // 2, "sue": STEPS - rise, "grr": STEPS - (levels - 1) * rise}[oracle]

    assert (row["hold"], row["rise"]) == (f"{hold:x}", f"{rise:x}")


@pytest.mark.parametrize("vector", VECTORS)
def test_a_stranger_reads_the_payloads(vector):
    """From the plan and the bytes alone, the members and the answers are found."""
    read_back = [read(vector, each["payload"]) for each in vector["payloads"]]

    assert read_back == [(each["members"], each["answers"]) for each in vector["payloads"]]
    assert {len(each["payload"]) for each in vector["payloads"]} == {2 * vector["payload_size"]}
    assert hashlib.sha256(vector["plan"].encode()).hexdigest() == vector["plan_id"]


@pytest.mark.parametrize("vector", VECTORS)
def test_a_stranger_counts_and_undoes_them(vector):
    """From the answers and the two chances alone, tally, debiased counts and noise are found."""
    _, widths, _ = shape(vector)

    for appliance, width in enumerate(widths):
        said = [
            answer
            for each in vector["payloads"]
            for member, answer in zip(each["members"], each["answers"], strict=True)
            if member == appliance
        ]
        counts = [sum(a[level] == "1" if isinstance(a, str) else a == level for a in said) for level in range(width)]
        hold, rise = (Fraction(int(vector["laws"][appliance][key], 16), STEPS) for key in ("hold", "rise"))
        held = [(count - len(said) * rise) / (hold - rise) for count in counts]
        spread = [(c * (1 - hold - rise) + len(said) * hold * rise) / (hold - rise) ** 2 for c in counts]

        assert vector["reports"][appliance] == len(said)
        assert vector["counts"][appliance] == counts
        assert vector["held"][appliance] == [float(each) for each in held]
        assert vector["noise"][appliance] == [float(each) for each in spread]


@pytest.mark.parametrize("vector", VECTORS)
def test_the_provider_counts_and_undoes_them(vector):
    """The code that serves the provider finds the same."""
    plan = Plan.parse(vector["plan"])
    rows = np.array([list(bytes.fromhex(each["payload"])) for each in vector["payloads"]], dtype=np.uint8)

    reports, counts = Layout.of(plan).tally(rows)

    assert reports.tolist() == vector["reports"]
    assert counts.tolist() == [count for part in vector["counts"] for count in part]
    for place, width in enumerate(plan.widths):
        law = law_for(plan.oracle, vector["drawn"], plan.appliances_per_report, width)
        given = vector["counts"][place], vector["reports"][place], law
        assert debias(*given) == pytest.approx(vector["held"][place], rel=1e-9, abs=1e-9)
        assert noise(*given) == pytest.approx(vector["noise"][place], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("vector", VECTORS)
def test_what_is_refused_is_refused_by_both(vector):
    """A payload marked as wrong is wrong to a stranger, and the provider refuses it."""
    layout = Layout.of(Plan.parse(vector["plan"]))

    for each in vector["refused"]:
        assert read(vector, each["payload"]) is None
        with pytest.raises(ReportError):
            layout.tally(np.array([list(bytes.fromhex(each["payload"]))], dtype=np.uint8))


def test_every_kind_of_wrong_is_there():
    """The vectors hold each way in which a payload can be wrong, and every oracle with all and with some."""
    why = {each["why"] for vector in FILE["vectors"] for each in vector["refused"]}
    kinds = {(oracle, asked < len(widths)) for oracle, widths, asked in map(shape, FILE["vectors"])}

    assert why == {"padding is not 0", "appliances are out of order", "a level is beyond the last"}
    assert kinds == {(oracle, some) for oracle in ("oue", "sue", "grr") for some in (False, True)}
