"""Does it hold when the world is against it?

One file is one scenario, `home/kill_agent.py` the scenario `kill-agent`: something terrible
is done to the shipped code, again and again, and a promise is checked each time.

    home/         scenarios of a home: killed, without power, with a wild clock, lied to
    provider/     scenarios of a service: killed, without power, flooded, forged, asked
    mutations.py  bytes that nobody should send
    scenario.py   what a scenario is, and what a case of one may say
    scenarios.py  all of them, by name
    run.py        many cases, seeded, within a time, and how to see one failure again

What they are done to comes from `audit/harness`.
"""
