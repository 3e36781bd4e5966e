"""Tables of readings, read in two passes: an index of homes and slots, then the values."""
