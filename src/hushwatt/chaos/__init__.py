"""Does it hold when the world is against it?

One file is one scenario, `kill_agent.py` the scenario `kill-agent`: something terrible
is done to the shipped code, again and again, and a promise is checked each time.

    scenario.py   what a scenario is, and what a case of one may say
    scenarios.py  all of them, by name
    run.py        many cases, seeded, within a time, and how to see one failure again
"""
