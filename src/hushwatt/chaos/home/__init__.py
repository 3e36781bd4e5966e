"""Scenarios about a home: its power, its disk, its clock, its broker, and who answers for its provider."""
