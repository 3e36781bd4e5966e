"""Does it work?  Data sets, baselines, metrics and the experiments that compare them.

Experiments are rows in a table, seeded, by name.  The unsound variants that
are worth measuring live here, and cannot be named in a plan.
"""
