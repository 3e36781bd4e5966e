"""The file sources.toml, and every way to get it wrong."""

import pytest

from hushwatt.errors import UsageError
from hushwatt.household.clock import SECOND
from hushwatt.household.sources.entities import EntityEntry
from hushwatt.household.sources.home_assistant_login import HomeAssistantLogin
from hushwatt.household.sources.presets import Custom, Tasmota
from hushwatt.household.sources.sources_file import Broker, SourcesFile

GOOD = """
entities = true
[mqtt]
host = "broker.local"
username = "me"
password = "secret"
[[plug]]
appliance = "kettle"
preset = "tasmota"
topic = "kitchen"
[[plug]]
name = "boiler"
appliance = "boiler"
preset = "custom"
topic = "my/topic"
path = "a.b"
unit = "kW"
stale = "5m"
maximum = 9000
[[table]]
path = "nilm.csv"
appliances = { "fridge freezer" = "fridge" }
"""


def load(folder, text):
    (folder / "sources.toml").write_text(text)
    return SourcesFile.load(folder / "sources.toml")


def test_the_file_is_read(folder):
    """Plugs, tables and the broker come out as they were written."""
    mapping = load(folder, GOOD)

    assert mapping.broker == Broker("broker.local", username="me", password="secret")
    assert [plug.preset for plug in mapping.plugs] == [Tasmota("kitchen"), Custom("my/topic", "a.b", "kW")]
    assert [plug.stale // SECOND for plug in mapping.plugs] == [900, 300]
    assert mapping.tables[0].path == folder / "nilm.csv"
    assert mapping.entities
    assert "secret" not in repr(mapping)


def test_a_password_may_have_its_own_file(folder):
    """So that sources.toml can be shown to others."""
    (folder / "password").write_text("secret\n")
    mapping = load(folder, f'[mqtt]\npassword_file = "{folder}/password"\n')

    assert mapping.broker.secret() == "secret"


ENTITY = """
[home_assistant]
url = "http://homeassistant.local:8123"
token_file = "token"
[[entity]]
appliance = "kettle"
entity = "sensor.kettle_power"
[[entity]]
name = "oven"
appliance = "oven"
entity = "sensor.oven_energy"
stale = "5m"
maximum = 9000
"""


def test_entities_of_home_assistant_are_read(folder):
    """Beside plugs and tables; files are found from the folder, and the old switch `entities` is another thing."""
    mapping = load(folder, ENTITY)

    assert mapping.home_assistant == HomeAssistantLogin(
        "http://homeassistant.local:8123", token_file=str(folder / "token")
    )
    assert mapping.entities_of_home_assistant == (
        EntityEntry("sensor.kettle_power", "kettle", "sensor.kettle_power"),
        EntityEntry("oven", "oven", "sensor.oven_energy", 300 * SECOND, 9000.0),
    )
    assert mapping.appliances == {"kettle", "oven"}
    assert mapping.broker is None
    assert mapping.entities is False


PLUG = '[[plug]]\nappliance = "kettle"\npreset = "tasmota"\ntopic = "k"\n'


@pytest.mark.parametrize(
    "text, words",
    [
        ("nonsense", "sources.toml"),
        ("other = 1", "unknown key other"),
        ("plug = 3", r"write plug as \[\[plug\]\]"),
        ('[[plug]]\npreset = "tasmota"\ntopic = "k"', "plug 1: needs appliance"),
        (PLUG.replace("tasmota", "tasmoto"), "there is no preset tasmoto"),
        (PLUG.replace('"k"', '"+"'), "must name one device"),
        (PLUG + "path = 'x'", "unknown key path"),
        (PLUG + "stale = 'soon'", "stale must be a time"),
        (PLUG + "maximum = -1", "maximum must be watts"),
        (PLUG.replace("tasmota", "custom") + "unit = 'horses'", "unit must be one of"),
        (PLUG.replace("tasmota", "custom") + "path = 3", "must be texts"),
        ("[mqtt]\nhots = 'x'", "unknown key hots"),
        ("[[table]]\nmode = 'follow'", "needs path"),
        ("[[table]]\npath = 'x.csv'\nmode = 'backwards'", "mode must be follow or replay"),
        ("entities = 1", "entities must be true or false"),
        ("mqtt = 1", "write it as a table"),
        ("plug = [1]", "write it as"),
        (PLUG.replace("tasmota", "custom") + "unit = []", "must be texts"),
        (PLUG.replace("tasmota", "zigbee2mqtt") + "base = '#'", "must name one device"),
        (PLUG.replace('"k"', '"k\\u0000"'), "must name one device"),
        ("[mqtt]\nport = 'x'", "port must be a port"),
        ("[mqtt]\nport = true", "port must be a port"),
        ("[mqtt]\nhost = 3", "host must be a text"),
        ("[mqtt]\ntls = 1", "tls must be true or false"),
        ("[[table]]\npath = 'x.csv'\nappliances = {a = 1}", "appliances must be a table of texts"),
        ("[[table]]\npath = 'x\\u0000.csv'".replace("'", '"'), "path must be a text"),
        ("plug = " + "[" * 5_000, "nested too deeply"),
        ("entity = 3", r"write entity as \[\[entity\]\]"),
        (ENTITY + "[[entity]]\nappliance = 'x'", "entity 3: needs entity"),
        (ENTITY + "watts = 3", "entity 2: unknown key watts"),
        (ENTITY.replace("sensor.oven_energy", "Oven energy"), "entity 2: entity must be as Home Assistant names it"),
        (ENTITY.replace("9000", "0"), "entity 2: maximum must be watts"),
        (ENTITY.replace('"5m"', '"soon"'), "entity 2: stale must be a time"),
        (ENTITY.replace("http://", ""), "home_assistant: url must begin with http://"),
        (ENTITY.replace("token_file", "token_fiel"), "home_assistant: unknown key token_fiel"),
        (ENTITY.replace('token_file = "token"', ""), "home_assistant: needs token_file"),
        ("[home_assistant]\ntoken_file = 'x'", "home_assistant: needs url"),
        (ENTITY.partition("[[")[1] + ENTITY.partition("[[")[2], r"\[\[entity\]\] needs \[home_assistant\]"),
        ("home_assistant = 1", "write it as a table"),
        (ENTITY.partition("[[")[0] + "entity = [1]", "entity"),
    ],
)
def test_a_wrong_file_is_one_line(folder, text, words):
    """Each mistake is named with the plug or table it is in."""
    with pytest.raises(UsageError, match=words):
        load(folder, text)
