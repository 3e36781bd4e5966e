"""Reports become tallies: how often each answer was given, and in how many reports."""
