"""The provider knows in which slot each report was drawn, from what was spent on it."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushwatt.errors import ReportError
from hushwatt.plan.presets import preset
from hushwatt.provider.tally.draws import DrawsByClock, DrawsByHome, DrawsInStep, draws_of, slot_runs
from hushwatt.wire.reports import ReportBatch
from hushwatt.wire.reports.keyed_hash import KeyedHash

PROBE, OFFER = 2, 10


def batch(*rows):
    """Reports of (household, slot, spent, drawn) or (household, slot, spent, drawn, round)."""
    columns = list(zip(*((*row, 0)[:5] for row in rows), strict=True)) or [()] * 5
    slot, spent, drawn, round_ = (np.array(column, dtype=np.int64) for column in columns[1:])
    households = pa.array(columns[0], type=pa.string())
    return ReportBatch(households, slot, round_, spent, drawn, np.zeros((len(rows), 1), dtype=np.uint8))  # type: ignore[arg-type]


def split(rows, cuts):
    """The same rows in batches that end at the cuts."""
    edges = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    return [batch(*rows[start:end]) for start, end in pairwise(edges)]


def found(draws, batches):
    return [int(slot) for each in batches for slot in draws.slots_of(each)]


cuts = st.lists(st.integers(0, 60), max_size=6)


class TestWhich:
    """How a plan's reports tell when they were drawn depends on its method alone."""

    @pytest.mark.parametrize(
        "method, decision, kind",
        [
            ("lbu", None, DrawsInStep),
            ("lpu", None, DrawsInStep),
            ("lsp", None, DrawsByClock),
            ("lbd", "household", DrawsByHome),
            ("lba", "household", DrawsByHome),
            ("lbd", "provider", DrawsInStep),
            ("lba", "provider", DrawsInStep),
            ("lpd", "provider", DrawsInStep),
            ("lpa", "provider", DrawsInStep),
        ],
    )
    def test_every_method_has_its_way(self, plan_of, method, decision, kind):
        """Homes that decide for themselves are followed one by one, all others together."""
        assert type(draws_of(plan_of(2, method=method, decision=decision))) is kind

    def test_the_probe_is_the_plan_s(self, plan_of):
        """What looking costs follows from the plan, its cap on appliances included."""
        plain = plan_of(2, 2, method="lba", epsilon=600, window=3)
        capped = plan_of(2, 2, method="lba", epsilon=600, window=3, appliance_epsilon=30)

        assert draws_of(plain).probe == 100  # type: ignore[attr-defined]
        assert draws_of(capped).probe == 10  # type: ignore[attr-defined]


class TestByClock:
    """LSP draws in slots 0, w, 2w, …"""

    @given(slots=st.lists(st.integers(0, 10**6)), window=st.integers(1, 50))
    def test_the_last_multiple_of_the_window(self, slots, window):
        """A report of any slot was drawn in the last multiple of w."""
        rows = [("a", slot, 0, OFFER) for slot in slots]

        plan = replace(preset("advised"), method="lsp", window=window)
        drawn_in = found(DrawsByClock(plan), [batch(*rows)])

        assert all(at % window == 0 and at <= slot < at + window for at, slot in zip(drawn_in, slots, strict=True))


class TestInStep:
    """All homes publish in the same slots, and repeat themselves in the others."""

    @settings(max_examples=60)
    @given(published=st.lists(st.booleans(), min_size=1, max_size=12), homes=st.integers(1, 4), cuts=cuts)
    def test_a_repeat_was_drawn_when_all_last_published(self, published, homes, cuts):
        """Wherever the table is cut into batches, probes and publications of a slot side by side."""
        rows, expected, last = [], [], -1
        for slot, fresh in enumerate(published):
            last = slot if fresh else last
            for home in range(homes):
                rows += [(f"{home}", slot, OFFER if fresh else 0, OFFER), (f"{home}", slot, PROBE, PROBE, 1)]
                expected += [last, slot]

        assert found(DrawsInStep(), split(rows, cuts)) == expected

    @settings(max_examples=60)
    @given(slots=st.lists(st.lists(st.booleans(), min_size=1, max_size=4), min_size=1, max_size=8), cuts=cuts)
    def test_a_repeat_beside_publications(self, slots, cuts):
        """It was drawn in the last slot before its own in which anybody published, whoever stands before it."""
        rows, expected, last = [], [], -1
        for slot, homes in enumerate(slots):
            rows += [(f"{home}", slot, OFFER * fresh, OFFER) for home, fresh in enumerate(homes)]
            expected += [slot if fresh else last for fresh in homes]
            last = slot if any(homes) else last

        assert found(DrawsInStep(), split(rows, cuts)) == expected


class TestByHome:
    """Each home has a last draw of its own."""

    histories = st.lists(
        st.lists(st.sampled_from(["fresh", "repeat", "absent"]), min_size=1, max_size=8),
        min_size=1,
        max_size=5,
    )

    @settings(max_examples=150)
    @given(histories=histories, cuts=cuts, backwards=st.booleans())
    def test_a_repeat_was_drawn_when_its_home_last_published(self, histories, cuts, backwards):
        """Homes may publish, repeat, join late and miss slots, in any order within a slot, cut anywhere."""
        rows, expected, last = [], [], {}
        for slot in range(max(map(len, histories))):
            homes = sorted(range(len(histories)), reverse=backwards and slot % 2 == 1)
            for home in homes:
                did = histories[home][slot] if slot < len(histories[home]) else "absent"
                if did == "fresh":
                    last[home] = slot
                if did != "absent":
                    rows.append((f"home {home}", slot, PROBE + OFFER * (did == "fresh"), OFFER))
                    expected.append(last.get(home, -1))

        assert found(DrawsByHome(PROBE), split(rows, cuts)) == expected

    def test_every_report_is_hashed_once(self, monkeypatch):
        """However many homes were seen before, and though those of a slot come in many batches."""
        hashed, hash_of = [], KeyedHash.__call__
        monkeypatch.setattr(
            KeyedHash, "__call__", lambda self, names: hashed.append(len(names)) or hash_of(self, names)
        )
        rows = [(f"home {home}", slot, PROBE + OFFER, OFFER) for slot in range(3) for home in range(300)]
        found(DrawsByHome(PROBE), [batch(*rows[start : start + 10]) for start in range(0, len(rows), 10)])

        assert sum(hashed) == len(rows)

    @pytest.mark.parametrize("spent", [0, PROBE - 1, OFFER, PROBE + OFFER + 1])
    def test_a_spend_that_fits_nothing_is_refused(self, spent):
        """A report costs its probe, or its probe and its budget."""
        with pytest.raises(ReportError, match="neither a probe nor a probe and its publication"):
            DrawsByHome(PROBE).slots_of(batch(("a", 0, PROBE + OFFER, OFFER), ("b", 0, spent, OFFER)))


@given(slots=st.lists(st.integers(0, 3)))
def test_segments_are_runs_of_equal_slots(slots):
    """One after the other they are the whole, and neighbours differ."""
    parts = list(slot_runs(np.array(slots, dtype=np.int32)))

    assert [slot for rows, slot in parts for _ in range(rows.stop - rows.start)] == slots
    assert all(one[1] != other[1] for one, other in pairwise(parts))
