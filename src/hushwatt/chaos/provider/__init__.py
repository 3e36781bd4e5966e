"""Scenarios about a provider: its power, its disk, its clients, its files, and what it publishes."""
