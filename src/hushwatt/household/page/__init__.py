"""The owner's page: what the home reads beside what it sends, on this machine only."""
