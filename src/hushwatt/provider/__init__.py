"""What the energy company runs: reports in, estimates with error bars out.

Reports are tallied, the tally is debiased by the law that drew it, and every
number comes with its uncertainty.  Below the plan's minimum of homes the
answer is "too few homes", never a number.

This room knows nothing of the household's.
"""
