"""The running service: its setup, its keys, its slots, and what it has collected."""
