"""Stretches of time against each other: by how much they differ, and how surely."""
