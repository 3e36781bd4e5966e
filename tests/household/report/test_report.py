"""One slot of every home: what is paid, what is drawn, what is sent, and in which order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushwatt.errors import OverBudget, StateError
from hushwatt.household.report import report as module
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import report
from hushwatt.privacy.entropy import OperatingSystem, Simulation
from hushwatt.privacy.laws import debias, law_for, noise
from hushwatt.privacy.strategies import STRATEGIES

EPSILON, WINDOW, HOMES, SLOTS = 4_000_000, 3, 12, 14
WIDE = (10,) * 15  # answers of 150 bits: two alike are never chance
METHODS = ("lbu", "lsp", "lpu", "lbd", "lba")
AT_HOME = ("lbd", "lba")
PROBE = EPSILON // (2 * WINDOW)  # of the methods that look
WIDTHS = [pytest.param(method, WIDE, 15, id=method) for method in METHODS]
WIDTHS += [pytest.param(method, (2, 3, 200), 2, id=f"{method}-two-of-three") for method in ("lbu", "lsp", "lpu")]


class Watched:
    """A source that writes down every stream that is opened."""

    def __init__(self, seed=7):
        self.source, self.events = Simulation(seed, "report"), []

    def stream(self, *labels):
        self.events.append(("draw", *labels))
        return self.source.stream(*labels)

    def watch(self, homes):
        """Write the ledger's charges down among them."""
        charge = homes.ledger.charge

        def charged(slot, amounts, members=None):
            charge(slot, amounts, members)
            self.events.append(("charge", slot, amounts.copy()))

        homes.ledger.charge = charged
        return homes


def levels_at(plan, homes, slot):
    """Levels that change now and then."""
    places = np.add.outer(np.arange(homes) * 3 + slot // 4, np.arange(len(plan.widths)))
    return (places % plan.widths).astype(np.uint16)


def run(plan, source, homes=HOMES, slots=SLOTS, first=0):
    """What is sent in some slots by homes that are new."""
    fleet = enrol(plan, homes, first, source)
    if isinstance(source, Watched):
        source.watch(fleet)
    return [report(fleet, slot, levels_at(plan, homes, slot), source) for slot in range(first, first + slots)]


def rows_of(sent, home):
    """One home's rows: slot, spent, drawn, payload."""
    for each in sent:
        for place in np.flatnonzero(each.homes == home):
            yield each.slot, int(each.spent[place]), int(each.drawn[place]), each.payloads[place].tobytes()


@pytest.fixture
def drawn(monkeypatch):
    """Everything that is drawn: what for, by whom, and the payloads."""
    kept, draw = [], module.pay_and_draw

    def drawing(homes, who, levels, amounts, source, purpose):
        payloads = draw(homes, who, levels, amounts, source, purpose)
        kept.append((purpose, homes.slot, who.copy(), payloads.copy()))
        return payloads

    monkeypatch.setattr(module, "pay_and_draw", drawing)
    return kept


class TestRows:
    """`spent` is what the slot cost, `drawn` what the payload was drawn with; a repeat is the same bytes."""

    @pytest.mark.parametrize("method, widths, asked", WIDTHS)
    def test_spent_is_what_the_ledger_was_charged(self, plan_of, method, widths, asked):
        """Row by row the charges of the slot, and nobody is charged without a row."""
        source = Watched()
        sent = run(plan_of(*widths, method=method, epsilon=EPSILON, appliances_per_report=asked), source)

        for each in sent:
            charged = sum(event[2] for event in source.events if event[:2] == ("charge", each.slot))
            spent = np.zeros(HOMES, dtype=np.int64)
            spent[each.homes] = each.spent

            assert spent.tolist() == charged.tolist()

    @pytest.mark.parametrize("method, widths, asked", WIDTHS)
    def test_no_window_costs_more_than_promised(self, plan_of, method, widths, asked):
        """Any w slots in a row of any home's rows cost at most ε."""
        sent = run(plan_of(*widths, method=method, epsilon=EPSILON, appliances_per_report=asked), Watched())

        for home in range(HOMES):
            costs = {slot: spent for slot, spent, _, _ in rows_of(sent, home)}
            windows = [sum(costs.get(slot + more, 0) for more in range(WINDOW)) for slot in range(SLOTS)]

            assert 0 < max(windows) <= EPSILON

    @pytest.mark.parametrize("method", ["lsp", "lbd", "lba"])
    def test_a_row_is_fresh_and_paid_for_or_the_same_bytes(self, plan_of, method):
        """A fresh payload costs the probe and its budget; a repeat costs the probe alone."""
        sent = run(plan_of(*WIDE, method=method, epsilon=EPSILON), Watched())
        probe = 0 if method == "lsp" else PROBE
        fresh = repeated = 0

        for home in range(HOMES):
            before = None
            for _, spent, amount, payload in rows_of(sent, home):
                if spent == probe + amount:
                    fresh += 1
                    assert before is None or payload != before[1]
                else:
                    repeated += 1
                    assert spent == probe
                    assert (amount, payload) == before
                before = (amount, payload)
        assert fresh > 2 * HOMES
        assert repeated > 2 * HOMES

    @pytest.mark.parametrize("method", ["lbu", "lpu"])
    def test_methods_that_never_repeat_are_always_fresh(self, plan_of, method):
        """Every row is drawn with what it cost, and no two rows hold the same bytes."""
        sent = run(plan_of(*WIDE, method=method, epsilon=EPSILON), Watched())
        amount = EPSILON // WINDOW if method == "lbu" else EPSILON

        assert all((each.spent == amount).all() and (each.drawn == amount).all() for each in sent)
        payloads = [row.tobytes() for each in sent for row in each.payloads]
        assert len(set(payloads)) == len(payloads)

    @pytest.mark.parametrize("method", AT_HOME)
    def test_the_first_slot_publishes(self, plan_of, method):
        """There is nothing to compare with yet, so every home publishes, when it joins later too."""
        plan = plan_of(*WIDE, method=method, epsilon=EPSILON)
        source = Watched()
        homes = enrol(plan, 3, 5, source)
        first = report(homes, 5, levels_at(plan, 3, 5), source)
        joined = homes.joined(enrol(plan, 2, 6, source))

        second = report(joined, 6, levels_at(plan, 5, 6), source)

        assert (first.spent == PROBE + first.drawn).all()
        assert len(first.homes) == 3
        assert (second.spent == PROBE + second.drawn)[3:].all()
        assert len(second.homes) == 5

    def test_lsp_speaks_at_absolute_slots(self, plan_of):
        """Homes that begin in slot 4 wait for slot 6 with w = 3, send nothing before, repeat it until 9."""
        sent = run(plan_of(*WIDE, method="lsp", epsilon=EPSILON), Watched(), first=4, slots=7)

        assert [len(each.homes) for each in sent] == [0, 0, *[HOMES] * 5]
        assert [int(each.spent.max(initial=0)) for each in sent] == [0, 0, EPSILON, 0, 0, EPSILON, 0]
        assert (sent[2].payloads == sent[4].payloads).all()
        assert (sent[4].payloads != sent[5].payloads).any(axis=1).all()

    def test_lpu_has_no_row_when_it_is_not_a_home_s_turn(self, plan_of):
        """Each home speaks every w slots with all of ε, and a third of the homes in each slot."""
        sent = run(plan_of(*WIDE, method="lpu", epsilon=EPSILON), Watched())

        assert [len(each.homes) for each in sent] == [HOMES // WINDOW] * SLOTS
        for home in range(HOMES):
            slots = [slot for slot, *_ in rows_of(sent, home)]
            assert set(np.diff(slots).tolist()) == {WINDOW}

    @pytest.mark.parametrize("method, widths, asked", WIDTHS)
    def test_who_sends_never_depends_on_readings(self, plan_of, method, widths, asked):
        """Two fleets with the same seed and other levels send rows of the same homes in the same slots."""
        plan = plan_of(*widths, method=method, epsilon=EPSILON, appliances_per_report=asked)
        fleets = [enrol(plan, HOMES, 0, Watched()) for _ in range(2)]

        for slot in range(SLOTS):
            zero = np.zeros((HOMES, len(widths)), dtype=np.uint16)
            one, other = (
                report(fleet, slot, levels, Watched())
                for fleet, levels in zip(fleets, (zero, levels_at(plan, HOMES, slot)), strict=True)
            )

            assert one.homes.tolist() == other.homes.tolist()
            if method not in AT_HOME:
                assert one.spent.tolist() == other.spent.tolist()

    def test_a_slot_that_has_passed_is_refused(self, plan_of):
        """Slots only go forward."""
        plan = plan_of(2, epsilon=EPSILON)
        homes = enrol(plan, 1, 0, Watched())
        report(homes, 4, levels_at(plan, 1, 4), Watched())

        with pytest.raises(StateError, match="slot 4 has passed: the homes are at slot 5"):
            report(homes, 4, levels_at(plan, 1, 4), Watched())

    @pytest.mark.parametrize("method", METHODS)
    def test_one_home_alone_with_its_own_system(self, plan_of, method):
        """A single home reports with the randomness of its own system."""
        sent = run(plan_of(2, 3, method=method, epsilon=EPSILON), OperatingSystem(), homes=1, slots=WINDOW)

        assert sum(len(each.homes) for each in sent) == (1 if method == "lpu" else WINDOW)


class TestPaying:
    """Nothing is drawn before it is paid for."""

    @pytest.mark.parametrize("method, widths, asked", WIDTHS)
    def test_every_draw_comes_after_its_charge(self, plan_of, method, widths, asked):
        """In each slot the ledger is charged before the probe is drawn, and again before the publication."""
        source = Watched()
        run(plan_of(*widths, method=method, epsilon=EPSILON, appliances_per_report=asked), source)
        needed = {"publication": 1 + (method in AT_HOME), "probe": 1}
        looked = 0

        for place, event in enumerate(source.events):
            if event[0] == "draw" and event[1] in needed:
                looked += 1
                charges = [e for e in source.events[:place] if e[:2] == ("charge", event[2])]
                assert len(charges) >= needed[event[1]]
                assert event[3] in charges[needed[event[1]] - 1][2]  # the amount it is drawn with is paid
        assert looked > SLOTS // WINDOW

    @pytest.mark.parametrize("method, widths, asked", WIDTHS)
    def test_a_refused_charge_touches_no_entropy(self, plan_of, method, widths, asked):
        """When the ledger refuses, not a single stream is opened, and nothing was sent or remembered."""
        plan, source = (
            plan_of(*widths, method=method, epsilon=EPSILON, appliances_per_report=asked),
            Watched(),
        )
        homes = enrol(plan, HOMES, 0, source)
        homes.ledger.epsilon = 0
        source.events.clear()

        with pytest.raises(OverBudget):
            report(homes, 0, levels_at(plan, HOMES, 0), source)

        assert source.events == []
        assert homes.drawn.tolist() == [0] * HOMES
        assert homes.releases is None or not homes.releases.any()
        assert homes.slot == 0

    @pytest.mark.parametrize("method", AT_HOME)
    def test_a_refused_publication_is_never_drawn(self, plan_of, method):
        """Where there is budget for looking only, the probe is all that is drawn."""
        plan, source = plan_of(*WIDE, method=method, epsilon=EPSILON), Watched()
        homes = source.watch(enrol(plan, HOMES, 0, source))
        homes.ledger.epsilon = PROBE

        with pytest.raises(OverBudget):
            report(homes, 0, levels_at(plan, HOMES, 0), source)

        assert [event[:2] for event in source.events] == [("charge", 0), ("draw", "probe")]
        assert not homes.releases.any()

    def test_a_home_over_its_cap_stops_everyone(self, plan_of):
        """The ledger's cap on appliances refuses what a wrong strategy would offer."""
        plan = plan_of(2, 3, 4, method="lpu", window=1, epsilon=EPSILON, appliances_per_report=1)
        capped = plan_of(
            2,
            3,
            4,
            method="lpu",
            window=1,
            epsilon=EPSILON,
            appliances_per_report=1,
            appliance_epsilon=1_000_000,
        )
        homes = enrol(plan, HOMES, 0, Watched())
        homes.ledger = type(homes.ledger).of(capped, HOMES)

        with pytest.raises(OverBudget):
            report(homes, 0, levels_at(plan, HOMES, 0), Watched())


class TestDeciding:
    """LBD and LBA compare this slot's probe with the one kept from the slot of the last release."""

    @pytest.mark.parametrize("method", AT_HOME)
    def test_probes_never_leave(self, plan_of, drawn, method):
        """No probe, kept or not, is ever sent, as payload or as release."""
        sent = run(plan_of(*WIDE, method=method, epsilon=EPSILON), Watched())

        probes = {row.tobytes() for purpose, _, _, rows in drawn if purpose == "probe" for row in rows}
        payloads = {row.tobytes() for each in sent for row in each.payloads}
        assert len(probes) == HOMES * SLOTS
        assert not probes & payloads

    @pytest.mark.parametrize("method", AT_HOME)
    @pytest.mark.parametrize("oracle", ["oue", "grr"])
    def test_the_decision_follows_from_probes_and_public_numbers(self, plan_of, drawn, method, oracle):
        """Home by home, a second reading of the rule decides the same from the probes alone."""
        widths, window, slots = (4, 3), 3, 30
        plan = plan_of(*widths, method=method, oracle=oracle, epsilon=EPSILON, window=window)
        sent = run(plan, Watched(), slots=slots)
        probes = [rows for purpose, _, _, rows in drawn if purpose == "probe"]
        decided = published = 0

        for home in range(HOMES):
            strategy, kept = STRATEGIES[method].start(EPSILON, window), None
            for slot, (_, spent, _, _) in enumerate(rows_of(sent, home)):
                probe, offer = cells(widths, oracle, probes[slot][home]), strategy.offer()
                publish = offer > 0 and (kept is None or sum(probe != kept) / 7 > error(widths, oracle, offer) / 7)
                decided, published = decided + (offer > 0), published + publish

                assert spent == strategy.probe + offer * publish
                kept = probe if publish else kept
                strategy = strategy.after(bool(publish))
        assert HOMES < published < decided


def cells(widths, oracle, row):
    """The one-hot or answered bits of a probe, from its bytes."""
    number = int.from_bytes(row.tobytes(), "little")
    if oracle == "oue":
        return np.array([number >> bit & 1 for bit in range(sum(widths))])
    levels = [number & 3, number >> 2 & 3]
    return np.array([int(level == at) for level, width in zip(levels, widths, strict=True) for at in range(width)])


def error(widths, oracle, offer):
    """Σ((1−p) + (d−1)q) for bits, Σ2(1−p) for direct answers, as the design states them."""
    exponent = np.exp(offer / 1e6 / len(widths))
    if oracle == "oue":
        return sum(0.5 + (width - 1) / (1 + exponent) for width in widths)
    return sum(2 * (1 - exponent / (exponent + width - 1)) for width in widths)


class TestNoise:
    """Each draw has noise of its own; a seed gives the same again."""

    @pytest.mark.parametrize("method, widths, asked", WIDTHS)
    def test_the_same_seed_gives_the_same_bytes(self, plan_of, monkeypatch, method, widths, asked):
        """Also when many blocks are drawn at once; another seed gives others."""
        monkeypatch.setattr(module, "BATCH_HOMES", 5)
        plan = plan_of(*widths, method=method, epsilon=EPSILON, appliances_per_report=asked)

        one, again, other = (
            b"".join(each.payloads.tobytes() for each in run(plan, Watched(seed))) for seed in (1, 1, 2)
        )

        assert one == again
        assert one != other

    @pytest.mark.parametrize("method", METHODS)
    def test_no_two_draws_share_their_noise(self, plan_of, monkeypatch, drawn, method):
        """Homes with equal levels draw unlike each other in all blocks and slots, looking or publishing."""
        monkeypatch.setattr(module, "BATCH_HOMES", 5)
        plan, source = plan_of(*WIDE, method=method, epsilon=EPSILON), Watched()
        homes = enrol(plan, HOMES, 0, source)
        for slot in range(SLOTS):
            report(homes, slot, np.zeros((HOMES, 15), dtype=np.uint16), source)

        rows = [row.tobytes() for _, _, _, payloads in drawn for row in payloads]

        assert len(set(rows)) == len(rows) >= HOMES * SLOTS // WINDOW

    @pytest.mark.parametrize("method", METHODS)
    def test_no_stream_is_opened_twice(self, plan_of, monkeypatch, method):
        """Over slots, purposes, budgets and blocks every stream has labels of its own."""
        monkeypatch.setattr(module, "BATCH_HOMES", 5)
        source = Watched()
        run(plan_of(*WIDE, method=method, epsilon=EPSILON), source)

        opened = [event for event in source.events if event[0] == "draw"]

        assert len(set(opened)) == len(opened) > 3

    @settings(max_examples=30)
    @given(amounts=st.lists(st.integers(1, 4), max_size=40), together=st.integers(1, 9))
    def test_blocks_hold_every_row_once(self, amounts, together):
        """Rows are divided by amount and size, and none is lost."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "BATCH_HOMES", together)
            blocks = list(module._blocks(np.array(amounts, dtype=np.int64)))

        rows = [int(row) for _, _, block in blocks for row in block]
        assert sorted(rows) == list(range(len(amounts)))
        assert all(amounts[row] == amount for amount, _, block in blocks for row in block)
        assert len({(amount, block) for amount, block, _ in blocks}) == len(blocks)


class TestUnbiased:
    """With constant data the releases that homes stand by show the truth, repeated or not."""

    HOMES, SHARE = 100_000, 0.6

    @pytest.mark.parametrize("method", AT_HOME)
    @pytest.mark.parametrize("oracle", ["oue", "grr"])
    def test_constant_data_is_found(self, plan_of, method, oracle):
        """A share of 0.6 is estimated within noise in every slot of several runs (n=1, d=4, ε=4, w=3)."""
        scores = [
            score
            for seed in range(2)
            for score in self.scores(plan_of(4, method=method, oracle=oracle, epsilon=EPSILON), seed)
        ]

        assert np.abs(scores).max() < 4.5
        assert abs(np.mean(scores)) < 1.5

    @pytest.mark.parametrize("oracle, side", [("oue", -1), ("grr", 1)])
    def test_comparing_with_the_release_is_biased(self, plan_of, oracle, side):
        """The paper's comparison selects on the release's noise, which the test above would notice."""
        scores = self.scores(plan_of(4, method="lbd", oracle=oracle, epsilon=EPSILON), 0, peek=True)

        assert side * np.mean(scores[-4:]) > 6

    def scores(self, plan, seed, peek=False):
        """In each slot, how many standard errors the estimate of the share is off."""
        source = Simulation(seed, "constant")
        homes, scores = enrol(plan, self.HOMES, 0, source), []
        levels = (np.arange(self.HOMES) >= self.SHARE * self.HOMES).astype(np.uint16)[:, None]
        for slot in range(12):
            if peek:
                homes.probes[:] = homes.releases
            held, spread = estimate(homes, report(homes, slot, levels, source))
            scores.append((held - self.SHARE * self.HOMES) / spread**0.5)
        return scores


def estimate(homes, sent):
    """How many homes hold level 0, and the noise in that, each release undone with its own law, weight 1."""
    held = spread = np.zeros(1)
    for amount in np.unique(sent.drawn):
        law = law_for(homes.plan.oracle, int(amount), 1, 4)
        reports, counts = homes.layout.tally(sent.payloads[sent.drawn == amount])
        held = held + debias(counts[0], reports[0], law)
        spread = spread + noise(counts[0], reports[0], law)
    return held, spread
