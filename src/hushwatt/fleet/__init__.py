"""Whole fleets in one process: many homes, the same steps.

Bulk files of readings become bulk files of reports, by the functions that
also run in a single home, never by a faster copy of them.  For planning alone,
`aggregate` draws what a provider would count without drawing any home's report.
"""
