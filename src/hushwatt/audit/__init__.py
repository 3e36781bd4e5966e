"""Is it private, and does it hold?

Enumerates every answer in exact fractions, tries every sequence of decisions,
puts the samplers to the test, and attacks the real bytes.  It also plants the
bugs it must be able to find.
"""
