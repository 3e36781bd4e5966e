"""Appliances over time: means and limits alone, quickly."""
