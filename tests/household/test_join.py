"""Joining, changing and leaving, against a real provider."""

import hashlib
import json
import re
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import ClassVar

import pytest
from tests.household.living import NO_CAPS
from tests.household.serving import Provider, plan_text

from hushwatt.errors import UsageError
from hushwatt.household.clock import SECOND
from hushwatt.household.join import agree, pause, pinned_key, propose, resume, taking_part
from hushwatt.household.leave import leave
from hushwatt.household.ledger.caps import AMOUNTS
from hushwatt.household.ledger.demand import lifetime_cost
from hushwatt.household.ledger.store import Store
from hushwatt.household.upload.http import Unreachable, check_address
from hushwatt.household.upload.provider_client import (
    Enrolment,
    ProviderClient,
    ProviderRefused,
    WrongProvider,
    choose_plan,
)
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.entropy import OperatingSystem
from hushwatt.wire.signature import public_bytes

CAPS = replace(NO_CAPS, epsilon_per_window=10 * MICRO, smallest_minimum_homes=10)
WIDE = [word for cap in AMOUNTS for word in ("--cap", f"{cap}=100000")]
SPEND = "INSERT INTO spends (place, slot, purpose, start, end, amount) VALUES (1, ?, 'publication', 0, ?, 1000)"


@pytest.fixture(scope="module")
def provider(tmp_path_factory):
    """A provider with four plans: two versions of one, a greedy one, and a modest one."""
    served = Provider(
        tmp_path_factory.mktemp("provider"),
        plan_text(),
        plan_text(window="4"),
        plan_text(name="Greedy", epsilon="1000"),
        plan_text(name="More kettles"),
    )
    served.start()
    yield served
    served.stop()


@pytest.fixture
def plans(provider):
    return [Plan.load(path) for path in provider.plans]


@pytest.fixture
def store(folder):
    with Store(folder / "ledger.sqlite") as opened:
        yield opened


def joined(store, provider, plan, **more):
    proposal = propose(store, CAPS, ProviderClient(provider.address), plan.id, **more)
    return agree(store, proposal, "words", None, time.time_ns(), OperatingSystem())


def test_a_home_joins(store, provider, plans):
    """It gets a name, keeps the key it agreed with, and begins in the next slot."""
    joined(store, provider, plans[0])
    row = taking_part(store)[0]

    assert len(row["device"]) == 16
    assert len(row["provider"]) == 32
    assert row["slot"] == 1
    assert store.rows("SELECT plan, words FROM consents") == [{"plan": plans[0].id, "words": "words"}]


def test_a_greedy_plan_is_not_joined(store, provider, plans):
    """What is beyond the caps is refused, and nothing is enrolled."""
    with pytest.raises(UsageError, match="epsilon_per_window is 10"):
        joined(store, provider, plans[2])

    assert store.rows("SELECT * FROM plans") == []


def test_plans_are_weighed_together(store, provider, plans):
    """What fits alone is refused beside another plan; a plan it takes the place of does not count."""
    caps = replace(CAPS, epsilon_per_day=30 * MICRO)
    joined(store, provider, plans[0])
    beside = propose(store, caps, ProviderClient(provider.address), plans[3].id)
    instead = propose(store, caps, ProviderClient(provider.address), plans[1].id)
    later = propose(store, caps, ProviderClient(provider.address), plans[3].id, now=nanoseconds(plans[0].expires))

    assert [each.words for each in beside.objections] == [
        "it asks 50 ε in a day together with your other plans, your cap epsilon_per_day is 30"
    ]
    assert instead.objections == later.objections == ()


def test_joining_twice_is_refused(store, provider, plans):
    """One home takes part in a plan once."""
    joined(store, provider, plans[0])

    with pytest.raises(UsageError, match="already takes part"):
        joined(store, provider, plans[0])


def test_a_plan_that_is_over_is_not_joined(store, provider, plans):
    """At its very end a plan is over, and nothing is enrolled; a moment before it is not."""
    proposal = propose(store, CAPS, ProviderClient(provider.address), plans[0].id)
    end = nanoseconds(plans[0].expires)

    with pytest.raises(UsageError, match=f"is over since {plans[0].expires:%Y-%m-%d}"):
        agree(store, proposal, "words", None, end, OperatingSystem())
    assert store.rows("SELECT * FROM plans") == store.rows("SELECT * FROM consents") == []
    assert agree(store, proposal, "words", None, end - 1, OperatingSystem()) == plans[0]


def test_leaving_one_of_several_needs_its_name(store, provider, plans):
    """Where several plans could be meant none is left."""
    joined(store, provider, plans[0])
    joined(store, provider, plans[3])

    with pytest.raises(
        UsageError, match=r"several plans; name one with --plan: [0-9a-f]{12} “Kettles”; [0-9a-f]{12} “More kettles”"
    ):
        leave(store, None, time.time_ns())
    assert len(taking_part(store)) == 2


def test_coming_back_gives_no_budget(store, provider, plans):
    """A plan left and joined again goes on where it was."""
    joined(store, provider, plans[0])
    store.disk.execute("UPDATE plans SET slot = 4711")
    store.disk.execute(SPEND, (4710, 1))
    store.write_value("state", "as of now")
    leave(store, None, time.time_ns())
    joined(store, provider, plans[1])
    assert store.read_value("state") == "as of now"
    joined(store, provider, plans[0])

    assert store.read_value("state") is None  # nobody vouches for the time between
    assert taking_part(store, plans[0].id)[0]["slot"] == 4711
    assert store.value("SELECT sum(amount) FROM spends") == 1000


def test_a_changed_plan_waits_for_the_old_window(store, provider, plans):
    """A plan in place of another begins when no window of its own can touch what was spent."""
    joined(store, provider, plans[0])
    end = int(plans[0].calendar.end_of(0).timestamp() * 1e9)
    store.disk.execute(SPEND, (0, end))
    proposal = propose(store, CAPS, ProviderClient(provider.address), plans[1].id)
    joined(store, provider, plans[1])
    rows = store.rows("SELECT plan, slot, left FROM plans ORDER BY place")

    assert proposal.replaces == plans[0]
    assert rows[0]["left"] is not None
    assert rows[1]["slot"] >= plans[1].window
    assert [row["plan"] for row in taking_part(store)] == [plans[1].id]


class Door(ProviderClient):
    """A provider whose answer to an enrolment is known beforehand."""

    keys: ClassVar[list] = []

    @contextmanager
    def plan_session(self, plan_id, pinned=None):
        yield self

    def enrol(self, plan, key, code):
        self.keys.append(public_bytes(key))
        if isinstance(self.connect, Exception):
            raise self.connect
        return Enrolment(bytes(16), offered=False)


def tried(store, proposal, answer):
    door = Door(proposal.client.address, answer)
    agree(store, replace(proposal, client=door), "words", "code", time.time_ns(), OperatingSystem())


def test_a_failed_join_leaves_nothing(store, provider, plans):
    """A refused code leaves neither plan nor consent nor key, and nothing is charged when it works later."""
    proposal = propose(store, CAPS, ProviderClient(provider.address), plans[0].id)
    with pytest.raises(ProviderRefused):
        tried(store, proposal, ProviderRefused("wrong code"))

    assert store.rows("SELECT * FROM plans") == store.rows("SELECT * FROM consents") == []
    assert store.rows("SELECT name FROM home") == [{"name": "home"}]
    assert pinned_key(store, provider.address) is None


def test_a_lost_answer_can_be_asked_for_again(store, provider, plans):
    """The key that was shown is kept until there is an answer, and is in no plan before."""
    proposal = propose(store, CAPS, ProviderClient(provider.address), plans[0].id)
    Door.keys.clear()
    for _ in range(2):
        with pytest.raises(Unreachable):
            tried(store, proposal, Unreachable("nobody answers"))
    assert store.rows("SELECT * FROM plans") == store.rows("SELECT * FROM consents") == []
    tried(store, proposal, None)

    assert len(set(Door.keys)) == 1
    assert len(Door.keys) == 3
    assert len(store.rows("SELECT * FROM consents")) == 1
    assert taking_part(store)[0]["device"] == bytes(16)
    assert store.rows("SELECT name FROM home") == [{"name": "home"}]


def test_a_join_that_failed_long_ago_is_not_charged(store, provider, plans):
    """What an older version left of a failed join gives way to the new one, with its own first slot."""
    joined(store, provider, plans[0])
    store.disk.execute("UPDATE plans SET device = NULL, slot = -5")
    joined(store, provider, plans[0])

    assert [row["slot"] for row in taking_part(store)] == [1]


def test_a_moved_clock_does_not_end_the_old_window(store, provider, plans):
    """A plan in place of another begins when the other's window is really over, whatever the clock says."""
    joined(store, provider, plans[0])
    now, slot = time.time_ns(), plans[0].slot.seconds * SECOND
    row = (now - slot, now, 1000, 0)
    store.disk.execute("INSERT INTO spends VALUES (1, 0, 'publication', ?, ?, ?, NULL, ?, 0)", row)
    store.write_value("running", f"{now} 0 0 boot")
    later = now + 50 * slot
    proposal = propose(store, CAPS, ProviderClient(provider.address), plans[1].id)
    agree(store, proposal, "words", None, later, OperatingSystem())
    begins = nanoseconds(plans[1].calendar.start_of(taking_part(store)[0]["slot"]))

    assert begins >= later + (plans[1].window - 1) * slot


def test_time_since_leaving_counts_when_joining_again(store, provider, plans):
    """Nobody vouches for that time, so it counts for the lifetime, and the owner is told before."""
    plan = joined(store, provider, plans[0])
    leave(store, None, time.time_ns())
    caps = replace(CAPS, epsilon_lifetime=lifetime_cost(plan, plan.calendar.slots - 1))
    end = nanoseconds(plan.expires) - SECOND
    again = propose(store, caps, ProviderClient(provider.address), plan.id, now=end)
    fresh = propose(store, caps, ProviderClient(provider.address), plans[3].id, now=end)

    assert [each.cap for each in again.objections] == ["epsilon_lifetime"]
    assert fresh.objections == ()


def test_leaving_erases_and_forgets(store, provider, plans):
    """The provider erases the device, and the keys are gone from the ledger."""
    joined(store, provider, plans[0])
    left, erased = leave(store, None, time.time_ns())
    row = store.rows("SELECT * FROM plans")[0]

    assert (left.id, erased) == (plans[0].id, 0)
    assert row["secret"] is None
    assert row["device"] is None


def test_pausing_and_resuming(store, provider, plans):
    """A pause has its time, and resuming takes it away."""
    joined(store, provider, plans[0])
    pause(store, None, 7)
    paused = taking_part(store)[0]["paused"]
    resume(store, plans[0].id[:8])

    assert paused == 7
    assert taking_part(store)[0]["paused"] is None


def test_another_key_is_not_believed(store, provider, plans):
    """A provider that does not have the expected key is refused before anything is agreed."""
    with pytest.raises(WrongProvider, match="another key"):
        joined(store, provider, plans[0], key=bytes(32))


def test_a_plan_that_is_not_there(store, provider):
    """A refusal is handed on in the provider's words."""
    with pytest.raises(ProviderRefused, match="not collected here"):
        ProviderClient(provider.address).offer(hashlib.sha256(b"").hexdigest())


def test_the_plan_is_chosen_by_its_start(provider, plans):
    """With several plans the start of the id is needed, and enough."""
    assert choose_plan(ProviderClient(provider.address), plans[1].id[:10])[0] == plans[1].id

    with pytest.raises(UsageError, match="name one plan with --plan"):
        choose_plan(ProviderClient(provider.address), None)


def test_nobody_there():
    """A provider that does not answer is one line."""
    with pytest.raises(Unreachable, match="does not answer"):
        ProviderClient("http://127.0.0.1:9").plans()


@pytest.mark.parametrize(
    "given, address",
    [
        ("energy.example.org", "https://energy.example.org"),
        ("https://energy.example.org/v1/plans/abc", "https://energy.example.org"),
        ("https://example.org/energy/", "https://example.org/energy"),
        ("http://127.0.0.1:8040", "http://127.0.0.1:8040"),
    ],
)
def test_addresses(given, address):
    """An address is taken with or without what follows the host."""

    assert check_address(given) == address


@pytest.mark.parametrize("given", ["ftp://x", "https://", "http://energy.example.org", "https://a:b@c.org"])
def test_unfit_addresses(given):
    """Nothing but https leaves the home's own network."""
    with pytest.raises(UsageError):
        check_address(given)


def test_join_from_the_command_line(hushwatt, provider, plans, folder):
    """The words come first; without an answer nothing is agreed, and with --yes it is."""
    where = ("--folder", folder / "home", "--plan", plans[0].id[:8])
    refused = hushwatt("household", "join", provider.address, *where, "--yes", "--cap", "epsilon_per_year=9")
    mute = hushwatt("household", "join", provider.address, *where, *WIDE)
    kept = (folder / "home" / "caps.toml").exists()
    done = hushwatt("household", "join", provider.address, *where, "--yes", *WIDE)

    assert refused.returncode == 2
    assert "epsilon_per_year" in refused.stderr
    assert mute.returncode == 2
    assert not kept
    assert done.returncode == 0
    for words in ("who asks", "kettles@example.org", "in a year", "odds", "EXAMPLE", plans[0].id):
        assert words in done.stdout


def test_labels_are_seen_before_and_after(hushwatt, provider, plans, folder):
    """What hangs on a code stands among the terms, in the consent, in the status and beside what was sent."""
    data = ("--data", provider.folder / "data", "--plan", plans[0].id)
    labels = ("--label", "tariff=A", "--label", "region=north")
    code = hushwatt("provider", "keys", "code", *labels, *data).stdout.strip()
    where = ("--folder", folder / "home")
    done = hushwatt(
        "household", "join", provider.address, "--plan", plans[0].id, "--code", code, "--yes", *where, *WIDE
    )
    status = hushwatt("household", "status", *where)
    table = json.loads(hushwatt("household", "status", "--json", *where).stdout)

    assert "filed under     tariff A, region north: your provider knows this anyway" in done.stdout
    assert "  The provider files this home under: tariff A, region north." in status.stdout.splitlines()
    assert table["plans"][0]["labels"] == {"tariff": "A", "region": "north"}


def test_what_a_refusal_names_allows_it(hushwatt, provider, plans, folder):
    """The options that it prints are the ones that join; what was raised is in the terms and in the consent."""
    where = ("--folder", folder / "home", "--plan", plans[0].id, "--yes")
    refused = hushwatt("household", "join", provider.address, *where)
    options = re.findall(r"--cap (\S+)", refused.stderr)
    done = hushwatt("household", "join", provider.address, *where, *(f"--cap={each}" for each in options))
    with Store(folder / "home" / "ledger.sqlite") as store:
        consent = store.value("SELECT words FROM consents")

    assert refused.returncode == 2
    assert len(refused.stderr.splitlines()) == 1
    assert "Your caps do not allow this plan:" in refused.stdout
    assert "\n  Someone who watches all your reports for " in refused.stdout
    assert {each.partition("=")[0] for each in options} >= {"epsilon_per_year", "appliance_epsilon_per_year"}
    assert done.returncode == 0
    for text in (done.stdout, consent):
        assert "you raised them for this home: " in text
        assert "epsilon_per_year is " in text
        assert "how long " in text


def test_the_errands_of_an_owner(hushwatt, provider, plans, folder):
    """Status, sent, pause, resume and leave, each as one command."""
    home = ("--folder", folder / "home")
    nothing = hushwatt("household", "status", *home)
    hushwatt("household", "join", provider.address, *home, "--plan", plans[0].id, "--yes", *WIDE)
    answers = [hushwatt("household", word, *home) for word in ("pause", "status", "sent", "resume")]
    answers.append(hushwatt("household", "leave", "--yes", *home))

    assert nothing.returncode == 2
    assert "joined nothing yet" in nothing.stderr
    assert [answer.returncode for answer in answers] == [0, 0, 0, 0, 0]
    assert "paused" in answers[1].stdout
    assert "any one appliance, in any day: ε 0 of at most 100000" in answers[1].stdout
    assert "keys deleted" in answers[4].stderr
