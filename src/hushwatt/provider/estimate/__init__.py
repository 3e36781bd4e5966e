"""Tallies become estimates: unbiased, with standard errors, intervals, shares and ranks."""
