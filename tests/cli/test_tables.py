"""Every number in a table for people is the one that programs are told, as the heading calls it."""

import csv
import io
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

import numpy as np
import pytest

from hushwatt.cli import demo, estimate_tables, text_charts
from hushwatt.cli.plan import rehearse
from hushwatt.cli.provider import deliveries, import_export
from hushwatt.fleet.rehearse import rehearse as rehearsed
from hushwatt.fleet.simulate import simulate
from hushwatt.privacy.entropy import Simulation
from hushwatt.provider.estimate.document import document, top_document
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.intake.ingest import IngestResult
from hushwatt.provider.store.deliveries import DeliveryRecord

WIDE = 1.959964  # standard errors on each side that hold 95 %


def cells(table):
    """The rows of a table under its headings; headings that are there again are numbered."""
    seen, names = Counter(), []
    for column in table.columns:
        seen[column.header] += 1
        names.append(f"{column.header} {seen[column.header]}")
    rows = zip(*(column.cells for column in table.columns), strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]


def limits(text):
    unit = " %" if text.endswith(" %") else ""
    return [number(part + unit) for part in text.removesuffix(unit).split(" to ")]


def number(text):
    """What a cell says: 12.3 % is 0.123."""
    plain = text.removesuffix("W").replace(",", "")
    return float(plain.removesuffix(" %")) / 100 if plain.endswith(" %") else float(plain)


def ranks(text):
    best, _, worst = text.partition("–")
    return [int(best), int(worst or best)]


@pytest.fixture(scope="module")
def found(plan_of):
    """Estimates of three appliances whose numbers all differ."""
    plan = plan_of(3, 3, 4, method="lpu", epsilon=4_000_000, appliances_per_report=2)
    watts = np.random.default_rng(1).uniform(0, [180, 260, 380], (6, 900, 3))
    return uneven(estimate(plan, simulate(plan, watts, 900, Simulation(1, ""))))


def uneven(estimates):
    """The same with limits that lie unevenly about the numbers, so that no limit can stand for another."""
    periods = {
        name: replace(
            period,
            low=period.low - 3,
            high=period.high + 7,
            share_low=period.share_low - 0.01,
            share_high=period.share_high + 0.03,
        )
        for name, period in estimates.by_period.items()
    }
    return replace(estimates, by_period=periods)


def test_estimate(found):
    """Watts, standard error, limits, share, its limits and the ranks of the whole period, by appliance."""
    told = document(found)["appliances"]

    assert len(told) == 3
    for row, (name, one) in zip(cells(estimate_tables.period_table(found)), told.items(), strict=True):
        watts, error = map(number, row["watts ± se 1"].split(" ± "))
        assert row["appliance 1"] == name
        assert [watts, error] == pytest.approx([one["mean_watts"], one["mean_watts_se"]], abs=0.051)
        assert limits(row["95 % 1"]) == pytest.approx(one["ci95"], abs=0.051)
        assert number(row["share 1"]) == pytest.approx(one["share"], abs=0.00051)
        assert limits(row["95 % 2"]) == pytest.approx(one["share_ci95"], abs=0.00051)
        assert ranks(row["rank 1"]) == one["rank_ci95"]
        assert row["over time 1"] == text_charts.pattern(found.by_slot[name])
    assert len({text_charts.pattern(each) for each in found.by_slot.values()}) == 3


def test_levels(found):
    """Homes at each level with their standard error and limits, and as a part of all homes."""
    rows = iter(cells(estimate_tables.levels_table(found)))
    for appliance in found.plan.appliances:
        one = document(found)["appliances"][appliance.name]
        for level, (homes, error) in enumerate(zip(one["levels"], one["se"], strict=True)):
            row = next(rows)
            low, high = limits(row["95 % 1"])
            assert row["appliance 1"] == ("" if level else appliance.name)
            assert number(row["level 1"]) == appliance.values[level]
            assert [*map(number, row["homes 1"].split(" ± "))] == pytest.approx([homes, error], abs=0.051)
            assert number(row["of all homes 1"]) == pytest.approx(homes / found.homes, abs=0.00051)
            assert low <= homes <= high
            if low > 0:
                assert high - low == pytest.approx(2 * WIDE * error, abs=0.2)

    assert next(rows, None) is None


def test_top(found):
    """The first two, best first; a bar is as long as the watts beside it, to a cell."""
    told = top_document(found, 2)
    rows = cells(estimate_tables.top_table(found, 2))
    most = max(one["ci95"][1] for one in told["appliances"].values())

    assert [row["appliance 1"] for row in rows] == told["top"]
    for row in rows:
        one = told["appliances"][row["appliance 1"]]
        solid, whole = (sum(row[" 1"].count(letter) for letter in letters) for letters in ("█", "█▒"))
        assert number(row["watts 1"]) == pytest.approx(one["mean_watts"], abs=0.051)
        assert limits(row["95 % 1"]) == pytest.approx(one["ci95"], abs=0.051)
        assert number(row["share 1"]) == pytest.approx(one["share"], abs=0.00051)
        assert ranks(row["rank 1"]) == one["rank_ci95"]
        assert row["in top 2 1"] == estimate_tables.sureness(found.by_period[row["appliance 1"]].in_top[1])
        assert row["forgers 1"] == estimate_tables.forgers(one.get("swap_homes"))
        assert [solid, whole] == pytest.approx(
            [text_charts.BAR_CELLS * watts / most for watts in (one["ci95"][0], one["mean_watts"])], abs=0.51
        )


@pytest.fixture(scope="module")
def tried(plan_of, tmp_path_factory):
    """A rehearsal of homes whose truth is nowhere the estimate."""
    plan = plan_of(3, 3, 4, method="lbu", epsilon=9_000_000)
    rows = ["household,time,appliance,watts"]
    for home in range(7):
        rows += [
            f"h{home},2024-01-0{slot},{name},{60 * (place + 1) + 9 * home + slot}"
            for slot in (1, 2)
            for place, name in enumerate(plan.names)
        ]
    path = tmp_path_factory.mktemp("rehearsal") / "readings.csv"
    path.write_text("\n".join(rows))
    found = rehearsed(plan, path, 900, seed=1)
    return replace(found, estimates=uneven(found.estimates))


def test_rehearse(tried):
    """Every estimate with its standard error and limits, and beside it what is true."""
    told = rehearse.document(tried)
    rows = cells(rehearse.table(tried))

    assert [row["appliance 1"] for row in rows] == list(told["appliances"])
    for row in rows:
        one, true = (told[key][row["appliance 1"]] for key in ("appliances", "truth"))
        watts, error = map(number, row["watts ± se 1"].split(" ± "))
        assert [watts, error] == pytest.approx([one["mean_watts"], one["mean_watts_se"]], abs=0.051)
        assert limits(row["95 % 1"]) == pytest.approx(one["ci95"], abs=0.051)
        assert number(row["truly 1"]) == pytest.approx(true["mean_watts"], abs=0.051)
        assert number(row["share 1"]) == pytest.approx(one["share"], abs=0.00051)
        assert limits(row["95 % 2"]) == pytest.approx(one["share_ci95"], abs=0.00051)
        assert number(row["truly 2"]) == pytest.approx(true["share"], abs=0.00051)
        assert ranks(row["rank 1"]) == one["rank_ci95"]
        assert int(row["truly 3"]) == true["rank"]
    inside = [
        low <= told["truth"][name]["mean_watts"] <= high
        for name, one in told["appliances"].items()
        for low, high in [one["ci95"]]
    ]
    assert f"{sum(inside)} of 3 real means lie within their limits." in rehearse.about(tried)
    assert "Each of the 7 homes" in rehearse.about(tried)[0]


def test_ingest(capsys):
    """What became of the rows of files: each count on the line that names it."""
    done = IngestResult(files=2, known=3000, accepted=4001, repeated=52, late=63, homes=74)
    done.rejected = Counter({"wrong size": 85, "too early": 6})
    import_export._print_summary(SimpleNamespace(plan=SimpleNamespace(id="5f")), done, 2.0, as_json=False)  # type: ignore[arg-type]
    lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())

    assert {name: text.split()[0].rstrip(",") for name, text in lines.items()} == {
        "accepted": "4,001",
        "repeated": "52",
        "late": "63",
        "rejected": "91",
        "known": "3,000",
        "homes": "74",
        "took": "2.0",
    }
    assert "85 wrong size, 6 too early" in lines["rejected"]
    assert f"{(4001 + 52 + 63 + 91) / 2:,.0f} reports a second" in lines["took"]


def test_deliveries(capsys):
    """Each file with when it came, its rows, what was accepted of them, and the homes it tells of."""
    at = int(datetime(2024, 3, 5, 6, 7, 8, tzinfo=UTC).timestamp())
    whole = DeliveryRecord(3, "a.parquet", at, 5000, 5000, 4100, 52, 630, 0)
    part = DeliveryRecord(14, "b.parquet", 0, 7000, 1200, 1100, 41, 320, 1)
    deliveries._print_deliveries([whole, part], as_json=False)
    head, first, second = csv.reader(io.StringIO(_columns(capsys.readouterr().out)))

    assert head == ["number", "taken in", "rows", "accepted", "homes", "file"]
    assert first == ["3", "2024-03-05T06:07:08Z", "5,000", "4,100", "630", "a.parquet"]
    assert second == ["14", "before", "1,200 of 7,000", "1,100", "320", "b.parquet (taken back)"]


def _columns(text):
    """A table whose columns stand two spaces apart, as CSV."""
    lines = [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in text.splitlines()]
    return "\n".join(",".join(f'"{cell}"' for cell in line) for line in lines)


def test_drawn_intervals():
    """An interval is drawn from its lower limit to its upper one, with the estimate and the truth in it."""
    drawn = demo.interval(0.25, 0.5, 0.75, 0.625, width=40)

    assert (drawn.index("─"), drawn.rindex("─") + 1, len(drawn)) == (10, 30, 40)
    assert (drawn.index("●"), drawn.index("┃")) == (20, 25)
