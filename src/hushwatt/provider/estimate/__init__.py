"""Tallies become estimates: unbiased, with standard errors, intervals, shares and ranks.

`estimate` goes the way: tallies as `arrays`, the noise undone (`debias`), each slot's mean (`slots`, with
`pooling` of small ones), smoothed by Kalman filters if asked (`smoothing`), the mean of the `period`, its
`intervals`, `covariance` and `ranking`, how far forgers could move it (`influence`), and the `results`,
which become JSON (`document`) or files (`export`).
"""
