"""The integration in a real Home Assistant: joined in a browser, then paused, renamed, restarted and restored."""

import shutil
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.home_assistant.browsing import Owner, Stopwatch, browser_page
from tests.home_assistant.running import RunningHomeAssistant, until
from tests.home_assistant.street import NAMES, SLOT, HomeRecord, Street

from hushwatt.household.home_folder import HomeFolder
from hushwatt.plan.plan import Plan

NAME, OTHER, _ = NAMES
THREE_MINUTES = 180.0
CANARY = 1234.5678  # watts, which stand nowhere but where they are measured


@dataclass
class Joined:
    """A Home Assistant that takes part."""

    house: RunningHomeAssistant
    street: Street
    plan: Plan
    record: HomeRecord
    watch: Stopwatch
    terms: str

    def entity(self, name: str) -> str:
        """The state of one of the plan's entities, such as sensor.…_reports_sent."""
        kind, _, rest = name.partition(".")
        return str(self.house.state(f"{kind}.kettles_of_leeds_{rest}"))

    def wait_for_more(self, more: int = 1) -> int:
        return self.record.wait_for_more(self.plan, more)


@pytest.fixture(scope="module")
def joined(house, street):
    """Joined in the browser, from the log-in on; the clock stops when the provider has accepted a report."""
    plan = street.plan(NAME)
    with browser_page() as page:
        owner = Owner(page, house)
        owner.log_in()
        owner.add_integration("hushwatt")
        owner.fill("Provider's address", street.provider.address)
        owner.press()
        owner.heading("Which plan?")
        owner.watch.lap("the provider's address")
        owner.choose(NAME)
        owner.press()
        owner.heading("What is asked of you")
        owner.watch.lap("which plan")
        terms = owner.text
        owner.press()
        owner.heading("Your devices")
        owner.watch.lap("what is asked")
        owner.press()
        owner.heading("Do you agree?")
        owner.watch.lap("your devices, as guessed")
        owner.tick()
        owner.press()
        owner.heading("Success!")
        owner.watch.lap("consent")
        until("an accepted report", lambda: street.count(NAME), THREE_MINUTES)
        owner.watch.lap("the first accepted report")
    return Joined(house, street, plan, HomeRecord(house.folder / "hushwatt"), owner.watch, terms)


def test_from_a_clean_home_assistant_to_the_first_report(joined, record_property):
    """Within three minutes, without writing a file, with the plan told in words before anything is agreed."""
    record_property("told", f"joining with Home Assistant {joined.house.version}, in a browser:\n{joined.watch}")

    assert joined.watch.total < THREE_MINUTES
    assert "How many kettles boil." in joined.terms
    assert "Every term, with ε and odds" in joined.terms


def test_what_it_shows(joined):
    """When it reports, how much is left and what was sent; never a reading, wherever one looks."""
    joined.house.watts(kettle=CANARY, fridge=CANARY, tv=CANARY, kettle_meter=CANARY)
    joined.wait_for_more(2)
    until("the reports are shown", lambda: joined.entity("sensor.reports_sent") not in ("0", "None", "unknown"))
    shown = {name: state for name, state in joined.house.states().items() if ".kettles_of_leeds_" in name}
    seen = [each["entity_id"] for each in shown.values() if each["state"] in ("unavailable", "unknown")]

    assert seen == []
    assert joined.entity("sensor.taking_part") == "taking_part"
    assert joined.entity("sensor.last_report") < joined.entity("sensor.next_report")
    assert 0 < float(joined.entity("sensor.privacy_budget_left")) < 1
    assert str(CANARY) not in str(shown)
    assert str(CANARY) not in joined.house.log
    for file in [*joined.record.folder.iterdir(), *joined.street.provider.folder.rglob("*")]:
        assert not file.is_file() or str(CANARY).encode() not in file.read_bytes(), file


def test_pause_and_resume(joined):
    """The switch silences the home at once, and ends the silence."""
    joined.house.call("switch.turn_on", entity_id="switch.kettles_of_leeds_pause")
    state = joined.entity("sensor.taking_part")
    before, slots = joined.record.released(joined.plan), 2
    time.sleep(slots * SLOT)
    during = joined.record.released(joined.plan)
    joined.house.call("switch.turn_off", entity_id="switch.kettles_of_leeds_pause")

    assert state == "paused"
    assert during == before
    assert joined.wait_for_more() > 0


def test_a_renamed_entity(joined):
    """What is renamed is heard as before, without a word from the owner."""
    joined.house.rename("sensor.fridge_power", "sensor.icebox_power")
    joined.house.watts(fridge=80)
    until("the icebox is heard", lambda: fresh(joined, "fridge") == ["sensor.icebox_power"])
    joined.house.rename("sensor.icebox_power", "sensor.fridge_power")

    assert joined.wait_for_more() > 0


def fresh(joined, appliance):
    """The entities that are heard for an appliance."""
    notes = HomeFolder(joined.record.folder).health()
    return [each["name"] for each in notes if each["appliance"] == appliance and each["fresh"]]


def test_the_provider_restarts(joined):
    """What is drawn while the provider is away arrives when it is back, the same bytes."""
    joined.street.provider.stop()
    before = joined.record.released(joined.plan)
    time.sleep(2 * SLOT)
    away = joined.record.released(joined.plan)
    joined.street.provider.start()
    until("all that waited arrived", lambda: arrived(joined, away))
    after = joined.record.released(joined.plan)

    assert len(away) > len(before)
    assert {slot: after[slot] for slot in away} == away


def arrived(joined, slots):
    wanted = "SELECT reports.slot, answer FROM reports JOIN plans USING (place) WHERE plan = ?"
    answers = joined.record.rows(wanted, joined.plan.id)
    return {(1, slot) for slot, answer in answers if answer == "accepted"} >= slots.keys()


def test_restarted_killed_and_restored(joined, tmp_path):
    """Neither a restart nor a kill nor an old backup sends a slot twice or gives anything back."""
    house, backup = joined.house, tmp_path / "backup"
    house.stop()
    shutil.copytree(house.folder, backup)
    house.start()
    joined.wait_for_more(2)
    house.kill()
    before = joined.record.released(joined.plan)
    last = max(slot for _, slot in before)
    paid = joined.record.spent(joined.plan, last)
    restore(backup, house.folder)
    remembered = joined.record.released(joined.plan)
    house.start()
    until("the home runs", lambda: joined.entity("sensor.taking_part") == "taking_part")
    joined.wait_for_more()
    after = joined.record.released(joined.plan)

    assert len(remembered) < len(before)
    assert {slot: after[slot] for slot in after.keys() & before.keys()} == remembered
    assert joined.record.spent(joined.plan, last) >= paid


def restore(backup: Path, folder: Path) -> None:
    """Put a backup of the configuration folder back."""
    shutil.rmtree(folder)
    shutil.copytree(backup, folder)


def test_two_plans_in_one_home(joined):
    """Another plan is another entry with entities of its own, and one ledger pays for both; leaving it erases it."""
    house, plan = joined.house, joined.street.plan(OTHER)
    flow = house.continue_flow(house.begin_flow("hushwatt"), address=joined.street.provider.address)
    for answers in ({"plan": plan.id}, {}, {}, {"agree": True}):
        flow = house.continue_flow(flow, **answers)
    joined.record.wait_for_more(plan)
    joined.wait_for_more()
    entities = [name for name in house.states() if "of_leeds_" in name or "in_leeds_" in name]
    entry = next(each for each in house.entries("hushwatt") if each["title"] == OTHER)
    house.delete(f"/api/config/config_entries/entry/{entry['entry_id']}")
    until("it has left", lambda: joined.record.rows("SELECT left FROM plans WHERE plan = ?", plan.id)[0][0])

    assert flow["type"] == "create_entry"
    assert len([name for name in entities if "of_leeds_" in name]) == len(entities) / 2 > 0
    assert joined.wait_for_more() > 0
    assert "Detected blocking call" not in house.log  # Home Assistant watches its own event loop
