"""A home with a whole-house meter only: a real broker with a P1 stream, a real provider, and estimates of it."""

import asyncio
import json
import re
import signal
import time
import urllib.error
import urllib.request
from contextlib import suppress

import aiomqtt
import pytest
from tests.household.serving import Provider, broker, plan_text
from tests.household.test_run import Agent, began

from hushwatt.household.join import agree, propose
from hushwatt.household.ledger.caps import Caps
from hushwatt.household.ledger.store import Store
from hushwatt.household.upload.provider_client import ProviderClient
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset_text
from hushwatt.privacy.entropy import OperatingSystem

SOURCES = """
[mqtt]
port = {port}

[[plug]]
appliance = "mains"
preset = "dsmr"
topic = "dsmr/reading"
"""
WIDE = """
epsilon_per_window = 1000
epsilon_per_day = 1000000
epsilon_per_year = 1000000
epsilon_lifetime = 1000000
appliance_epsilon = 1000000
appliance_epsilon_per_year = 1000000
appliance_epsilon_lifetime = 1000000
smallest_minimum_homes = 1
"""
REPORTS = 2  # of each plan
SHORT = {"start": None, "expires": None, "slot": '"2s"', "epsilon": "20", "window": "1", "appliance_epsilon": "20"}


def soon_over() -> str:
    """Ten minutes from now: so short a plan fits into caps."""
    return f'"{time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 600))}"'


def whole_house() -> str:
    """The preset `mains` with slots of two seconds and hardly any noise."""
    text = re.sub(r"^publish = .*$", "", preset_text("mains"), flags=re.M)
    soon = {"start": began(), "expires": soon_over(), "minimum_homes": "1"}
    for key, value in {**SHORT, **soon}.items():
        text = re.sub(rf"^{key} = .*$", f"{key} = {value}", text, flags=re.M)
    return text


def several() -> str:
    """A plan about a kettle, a fridge, a television and the whole house, in which a home may not measure some."""
    keys = {
        "slot": "2s",
        "expires": soon_over(),
        "minimum_homes": "1",
        "start": began(),
        "window": "1",
        "epsilon": "80",
    }
    text = plan_text(**keys, oracle='"grr"', mapping='"dither"', unmeasured='"answer"', name="Several")
    text = text.replace("edges = [100, 1000]", "values = [0, 500, 2000]").replace(
        "edges = [50, 100]", "values = [0, 60]"
    )
    return (
        text.replace("edges = [30, 60]", "values = [0, 60]")
        + '[[appliance]]\nname = "mains"\nvalues = [0, 440, 1100]\n'
    )


async def telegrams(port, until):
    """What DSMR-reader publishes of a house that exports at first and then draws 440 W, until something is so."""
    async with aiomqtt.Client("127.0.0.1", port) as connected:
        for count in range(300):
            now = (0.0, 1.5) if count < 2 else (0.44, 0.0)
            for name, kilowatts in zip(("delivered", "returned"), now, strict=True):
                await connected.publish(f"dsmr/reading/electricity_currently_{name}", f"{kilowatts:.3f}")
            if until():
                return
            await asyncio.sleep(0.2)
    raise AssertionError("it did not happen within a minute")


def ask(address, plan, path, body=None):
    request = urllib.request.Request(
        f"{address}/v1/plans/{plan.id}/{path}", json.dumps(body).encode() if body else None
    )
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


@pytest.fixture(scope="module")
def lived(tmp_path_factory):
    """The estimates of both plans after a home with nothing but a P1 meter took part, and what its agent said."""
    folder = tmp_path_factory.mktemp("mains")
    home = folder / "home"
    home.mkdir()
    provider = Provider(folder, whole_house(), several())
    provider.start()
    try:
        plans = [Plan.load(path) for path in provider.plans]
        with broker(folder) as port:
            (home / "sources.toml").write_text(SOURCES.format(port=port))
            (home / "caps.toml").write_text(WIDE)
            last, said = live(home, provider, plans, port)
        return [estimates(provider.address, plan, last) for plan in plans], said
    finally:
        provider.stop()


def live(home, provider, plans, port):
    """Join both plans and take part until each has some reports; gives the last slot and what the agent said."""
    with Store(home / "ledger.sqlite") as store:
        for plan in plans:
            proposal = propose(store, Caps.load(home / "caps.toml"), ProviderClient(provider.address), plan.id)
            agree(store, proposal, "words", None, time.time_ns(), OperatingSystem())
        agent = Agent(home, store.home)
        agent.start()
        counted = "SELECT count(*) FROM reports WHERE answer = 'accepted' AND place = ?"

        def enough():
            return all(store.value(counted, (place,)) > REPORTS for place in (1, 2))

        try:
            asyncio.run(telegrams(port, enough))
        finally:
            agent.stop(signal.SIGTERM)
        return store.value("SELECT max(slot) FROM reports WHERE answer = 'accepted'"), agent.lines.read_text()


def estimates(address, plan, last):
    for until in range(last, last - 5, -1):
        with suppress(urllib.error.HTTPError):
            ask(address, plan, "publish", {"until": until})
            break
    return ask(address, plan, "estimates")


def test_the_whole_house_is_estimated(lived):
    """The preset about mains works from a P1 port to an estimate, and export on the way is no trouble."""
    (whole, _), said = lived

    assert whole["appliances"]["mains"]["mean_watts"] == pytest.approx(440, abs=1)
    assert "less than nothing" not in said
    assert "dsmr" not in said


def test_what_it_does_not_measure_is_said_to_be_not_measured(lived):
    """Under a plan with that answer, one home with a meter alone says nothing of kettles, instead of zeros."""
    (_, several), said = lived
    mains = several["appliances"].pop("mains")

    assert mains["mean_watts"] == pytest.approx(440, abs=1)
    assert mains["measured"] == pytest.approx(1, abs=0.01)
    assert several["appliances"] == {"kettle": None, "fridge": None, "tv": None}
    assert said.count("it is reported as not measured") == 3
