"""Reports become tallies: how often each answer was given, and in how many reports.

An engine (`engines`) reads report files in batches.  Of each batch, what no home following the plan sends is
left out (`file_plausible`, `file_rotations` with `home_index`), `draws` tells in which slot each report was
drawn, and `tally` adds up what was drawn in one slot with one budget.  `estimate` goes on from there.
"""
