"""The reports of a slot, wherever they lie: a row each, or a thousand in a segment.

What arrives by ones and twos gets rows of its own, which `compaction` packs once a slot is published; what arrives by
the thousand goes into `segments` at once, in a fifth of the space.  `stored` finds, adds, changes and removes reports
in both, and `by_device` reads a slot in the order in which files name homes.
"""
