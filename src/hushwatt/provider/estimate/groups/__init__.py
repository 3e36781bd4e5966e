"""Kinds of homes by their labels, each answered by itself, and none that too few homes are in."""
