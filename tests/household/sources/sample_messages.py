"""Messages as devices send them."""

import json

TASMOTA = {"Time": "2024-01-01T00:00:00", "ENERGY": {"Total": 3.185, "Power": 22, "Voltage": 230}}
SHELLY = {
    "src": "shellyplusplugs-80646fc7b1d4",
    "dst": "shelly/events",
    "method": "NotifyStatus",
    "params": {"ts": 1_700_000_000.1, "switch:0": {"id": 0, "apower": 61.3}},
}
EM = {
    "id": 0,
    "a_act_power": 310.5,
    "b_act_power": -1200.0,
    "c_act_power": 40.0,
    "total_current": 7.1,
    "total_act_power": -849.5,
}
EM_DATA = {
    "id": 0,
    "a_total_act_energy": 5010.25,
    "a_total_act_ret_energy": 3.0,
    "total_act": 9000.0,
    "total_act_ret": 800.0,
}
GLOW = {
    "electricitymeter": {
        "timestamp": "2022-06-24T13:02:29Z",
        "energy": {
            "export": {"cumulative": 12.5, "units": "kWh"},
            "import": {"cumulative": 4595.563, "day": 10.464, "units": "kWh", "price": {"unitrate": 0.3}},
        },
        "power": {"value": 0.623, "units": "kW"},
    }
}
TELEGRAM = {
    "timestamp": "2024-01-01T00:00:00Z",
    "electricity_delivered_1": "1234.100",
    "electricity_delivered_2": "2000.400",
    "electricity_returned_1": "10.000",
    "electricity_currently_delivered": "0.000",
    "electricity_currently_returned": "1.250",
    "phase_currently_delivered_l1": None,
}


def payload(content):
    """A message with this content."""
    return (content if isinstance(content, str) else json.dumps(content)).encode()
