"""The owner's caps while the agent runs: what is lowered holds at once, and nothing loosens by mistake."""

import asyncio
import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.household.living import NO_CAPS, TURN, FixedReadings, HomeUnderTest, MachineClock, join, plan_for

from hushwatt.errors import UsageError
from hushwatt.household.agent import Agent
from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.ledger.caps import AMOUNTS, MINIMUMS, Caps
from hushwatt.household.ledger.caps_file import CapsFile
from hushwatt.household.ledger.objections import bars
from hushwatt.household.ledger.store import Store
from hushwatt.household.page.server import OwnerPage
from hushwatt.household.run import Runner
from hushwatt.household.sources.hub import Hub
from hushwatt.household.sources.sources_file import SourcesFile
from hushwatt.plan.amounts import MICRO


@pytest.fixture
def path(folder):
    return folder / "caps.toml"


@pytest.fixture
def said():
    return []


def written(path, *lines):
    path.write_text("\n".join(lines))
    return path


def test_a_cap_lowered_holds_at_the_next_look(path, said):
    """One look is enough, and it is said once."""
    file = CapsFile(written(path, "epsilon_per_day = 9"), said.append)
    written(path, "epsilon_per_day = 3")

    assert [file.read().epsilon_per_day for _ in range(3)] == [3 * MICRO] * 3
    assert said == ["caps.toml: other caps hold from now on"]


def test_a_cap_raised_holds_when_read_twice(path, said):
    """A file that is just being written may be half of itself: what is looser must be there again."""
    file = CapsFile(written(path, "epsilon_per_day = 3", "appliance_epsilon = 1"), said.append)
    written(path, "epsilon_per_day = 5", "appliance_epsilon = 0.5")

    first, second = file.read(), file.read()

    assert (first.epsilon_per_day, first.appliance_epsilon) == (3 * MICRO, MICRO // 2)
    assert (second.epsilon_per_day, second.appliance_epsilon) == (5 * MICRO, MICRO // 2)


@pytest.mark.parametrize("how", ["", "nonsense", "epsilon_per_day = -1", "gone", "folder"])
def test_a_file_that_is_wrong_for_a_moment_loosens_nothing(path, said, how):
    """Cut off, nonsense, gone, or no file at all: the caps read before hold, and it is said once."""
    file = CapsFile(written(path, "epsilon_per_day = 3"), said.append)
    path.unlink()
    if how == "folder":
        path.mkdir()
    elif how != "gone":
        written(path, how)
    looks = [file.read() for _ in range(1 if how == "" else 5)]
    path.rmdir() if how == "folder" else path.unlink(missing_ok=True)
    written(path, "epsilon_per_day = 3")
    looks += [file.read() for _ in range(3)]

    assert looks == [Caps.of({"epsilon_per_day": 3})] * len(looks)
    assert len(said) == (how != "")
    assert all("the caps that were read before hold" in line for line in said)


def test_the_same_trouble_is_said_again_after_it_was_gone(path, said):
    """Each time the file becomes wrong there is one line."""
    file = CapsFile(written(path, "epsilon_per_day = 3"), said.append)
    for _ in range(2):
        written(path, "nonsense")
        file.read(), file.read()
        written(path, "epsilon_per_day = 3")
        file.read()

    assert len(said) == 2


def test_a_wrong_file_at_the_start_is_an_error(path, said):
    """Without caps to fall back on, nothing begins."""
    with pytest.raises(UsageError, match=r"caps.toml"):
        CapsFile(written(path, "nonsense"), said.append)


def test_no_file_is_the_usual_caps(path, said):
    """Without a file the usual caps hold, until there is one."""
    file = CapsFile(path, said.append)
    before = file.read()
    written(path, "epsilon_per_year = 7")

    assert before == Caps()
    assert file.read() == Caps.of({"epsilon_per_year": 7})


texts = st.sampled_from(["", "nonsense", "epsilon_per_day = 1", "epsilon_per_day = 99", "smallest_window = 9", None])


@given(texts=st.lists(texts, max_size=8))
def test_nothing_loosens_that_was_not_read_twice(tmp_path_factory, texts):
    """Whatever happens to the file, each cap in force is one that the owner wrote, or was read before."""
    path = tmp_path_factory.mktemp("caps") / "caps.toml"
    file, seen = CapsFile(written(path, "epsilon_per_day = 5", "smallest_window = 3"), print), []
    for text in texts:
        before = file.caps
        path.unlink(missing_ok=True)
        if text is not None:
            written(path, text)
        after = file.read()
        looser = any(getattr(after, name) > getattr(before, name) for name in AMOUNTS) or any(
            getattr(after, name) < getattr(before, name) for name in MINIMUMS
        )

        assert not looser or seen[-1:] == [text]
        if text not in (None, "nonsense"):
            seen.append(text)


class Hurried(MachineClock):
    """A clock that goes on by a tenth of a slot at every look."""

    def look(self):
        self.advance(TURN / 10)
        return super().look()


def test_the_running_agent_looks_at_the_file(folder, path, said, monkeypatch):
    """A cap lowered while the agent runs silences it without a restart, and the page shows that cap."""
    monkeypatch.setattr("hushwatt.household.agent.MIN_WAIT", 0)
    monkeypatch.setattr("hushwatt.household.agent.MAX_WAIT", 0)
    wide = [f"{name} = 1000" for name in AMOUNTS]
    written(path, *wide, "smallest_minimum_homes = 1")
    clock, hub = Hurried(), Hub([], [], said.append)
    runner = Runner(HomeFolder(folder), SourcesFile(), hub, clock, said.append)
    with Store(folder / "ledger.sqlite") as store:
        join(store, plan_for(random.Random(1), "lbu", epsilon=5 * MICRO, window=1))
        caps = CapsFile(path, said.append)
        agent = Agent(store, caps.read(), FixedReadings(10.0), say=said.append, bars=bars)
        page = OwnerPage(HomeFolder(folder), agent, hub, MachineClock())

        def reports():
            return store.value("SELECT count(*) FROM reports")

        async def live(until):
            living = asyncio.create_task(runner._live(agent, caps))
            async with asyncio.timeout(20):
                while not until():
                    await asyncio.sleep(0)
            living.cancel()

        asyncio.run(live(lambda: reports() >= 3))
        lowered = [line.replace("day = 1000", "day = 3") for line in wide]
        written(path, *lowered, "smallest_minimum_homes = 1")
        asyncio.run(live(lambda: store.rows("SELECT * FROM silences WHERE reason LIKE 'a cap%'")))
        spoken, shown = reports(), page.get("numbers", {}).body
        asyncio.run(live(lambda: clock.wall > MachineClock().wall + 30 * TURN * 10**9))

        assert reports() == spoken
        assert ">ε 3</td>" in shown


def home_of(folder, **caps):
    home = HomeUnderTest(folder / "ledger.sqlite", caps=replace(NO_CAPS, **caps), readings=FixedReadings(1.0))
    home.agent.bars = bars
    return home


@pytest.mark.parametrize(
    "change",
    [
        {"epsilon_per_window": 1},
        {"smallest_window": 99},
        {"smallest_minimum_homes": 99},
        {"latest_expiry": datetime(2024, 6, 1, tzinfo=UTC)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_plan_beyond_a_lowered_cap_is_silent(folder, change):
    """What would not be joined now is not spoken under; when the cap is raised again, it goes on."""
    home = home_of(folder)
    join(home.store, plan_for(random.Random(2), "lbu", epsilon=MICRO, window=2))
    home.live(4 * TURN, 60)
    before = len(home.slots())
    home.agent.caps = replace(NO_CAPS, **change)
    home.live(4 * TURN, 60)
    during = len(home.slots())
    home.agent.caps = NO_CAPS
    home.live(4 * TURN, 60)
    after = len(home.slots())
    reasons = [row["reason"] for row in home.store.rows("SELECT reason FROM silences")]
    lost = home.store.value("SELECT count(*) FROM spends WHERE purpose = 'lost'")
    home.switch_off()

    assert before == during > 0
    assert after > during
    assert any(next(iter(change)) in reason for reason in reasons)
    assert len([line for line in home.said if "beyond the owner's caps" in line]) == 1
    assert lost == 1  # the slot of the start, and nothing more


@pytest.mark.parametrize("cap", ["epsilon_per_day", "epsilon_per_year", "appliance_epsilon"])
def test_a_sum_that_is_lowered_below_what_was_spent(folder, cap):
    """Nothing more is spent at all, and what was spent stays."""
    home = home_of(folder)
    join(home.store, plan_for(random.Random(3), "lbu", epsilon=MICRO, window=2))
    home.live(4 * TURN, 60)
    total = home.agent.home_ledger.lifetime
    home.agent.caps = replace(NO_CAPS, **{cap: 1})  # type: ignore[arg-type]
    home.live(10 * TURN, 60)
    after = home.agent.home_ledger.lifetime
    home.switch_off()

    assert after == total > 0
