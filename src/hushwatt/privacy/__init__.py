"""What a report may tell, and the arithmetic that keeps it so.

`laws` know the exact chance of every answer, `kernels` draw and tally answers
in bulk, `strategies` share the budget out over the slots of a window, the
`ledger` refuses a spend that would break the promise, and the decision rules
see released bits and public numbers, never the truth.
"""
