"""Appliances beside each other: shares, ranks, and what their errors may have in common."""
