"""Where watts come from: plugs on an MQTT broker, tables that grow, tables that are replayed.

Whatever the source, all that comes out is one mean per appliance and slot.  What is
stale, retained, unavailable or impossible is not a reading, and what is not read is 0 W,
or NaN where the plan has the answer "not measured".
"""
