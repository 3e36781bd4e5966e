"""Whole fleets in one process: many homes, the same steps.

Bulk files of readings become bulk files of reports, by the functions that
also run in a single home, never by a faster copy of them.
"""
