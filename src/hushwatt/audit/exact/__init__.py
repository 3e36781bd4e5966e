"""How much a whole stream of reports can tell, in exact fractions.

Two streams of readings that differ in one window of w slots, in whatever way, must lead
to every transcript with chances at most e^ε apart; and when only one appliance differs,
at most e to the power of what that appliance is promised.

* `inputs`: what a home can hold in a slot.
* `schedules` and `open`: mechanisms in which everything drawn is sent.
* `hidden` and `observers`: mechanisms with a probe that never leaves home.
* `memoised`: permanent answers, which no plan has, and what they would cost homes that change.
* `brute`: any rule at all, step by step, slowly; checks the others and convicts the paper's.

The proofs in writing are in docs/proofs: composition, the kept-probe decision, dithering, rotation and
population division.
"""
